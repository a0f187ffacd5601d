"""Pellucid gateway."""
