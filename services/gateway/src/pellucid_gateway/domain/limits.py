"""Limits of a native request that every door keeps."""

# UTF-8 bytes of one message.
MESSAGE_BYTES = 32 * 1024
# Messages of one conversation, the person's included.
MESSAGES = 50
