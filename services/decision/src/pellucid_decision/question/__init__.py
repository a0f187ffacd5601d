"""What a message asks: its questions, their chunks, the topic of the conversation."""
