"""Implementations of the scorer's ports."""
