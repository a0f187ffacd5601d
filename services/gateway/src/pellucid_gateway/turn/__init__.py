"""One turn from message to result."""
