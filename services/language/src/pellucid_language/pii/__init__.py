"""Personal data and secrets taken out of queries."""
