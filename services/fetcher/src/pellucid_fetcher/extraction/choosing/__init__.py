"""Which parts of a page are its content."""
