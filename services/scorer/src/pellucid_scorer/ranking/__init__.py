"""What a result is worth, and the order of results."""
