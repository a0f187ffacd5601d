"""From a decision to numbered sources: search, score, read."""
