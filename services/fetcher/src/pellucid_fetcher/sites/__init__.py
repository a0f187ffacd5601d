"""Sites whose pages are read from what they offer programs, one module each."""
