"""Pellucid runtime."""
