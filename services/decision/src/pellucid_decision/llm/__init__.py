"""What a language model is asked for: a decision, queries, one further query."""
