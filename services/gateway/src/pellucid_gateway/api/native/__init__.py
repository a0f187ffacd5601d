"""Pellucid's own API, pages and probes."""
