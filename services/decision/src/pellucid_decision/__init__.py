"""Pellucid decision."""
