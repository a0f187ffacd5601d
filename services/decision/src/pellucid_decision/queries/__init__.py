"""From a question to search queries, and whether what was found is enough."""
