"""Puts the engine and its state together from settings."""
