"""Pellucid scorer."""
