"""Pellucid search."""
