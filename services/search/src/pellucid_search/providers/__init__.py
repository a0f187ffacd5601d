"""One module per search provider: a pure request builder and a pure answer parser."""
