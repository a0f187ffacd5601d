"""Pellucid fetcher."""
