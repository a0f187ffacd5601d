"""What a model reads in a message and the conversation before it."""
