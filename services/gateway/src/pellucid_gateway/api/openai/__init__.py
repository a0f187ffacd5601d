"""The OpenAI APIs: chat completions and responses."""
