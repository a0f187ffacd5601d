"""Reading a message: normal form, language, addresses, topic."""
