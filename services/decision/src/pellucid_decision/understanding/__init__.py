"""What the trained model reads in a message, and the queries that are made of it."""
