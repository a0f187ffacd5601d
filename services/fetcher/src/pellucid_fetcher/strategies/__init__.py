"""The ways to a page: HTTP, browser, reader service, archive."""
