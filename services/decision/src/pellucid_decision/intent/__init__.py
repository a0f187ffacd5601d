"""Whether a message needs the web: by its form, the model, a language model, the fallback."""
