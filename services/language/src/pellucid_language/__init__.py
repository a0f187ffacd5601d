"""Human language, read once for every service: no I/O, no service."""
