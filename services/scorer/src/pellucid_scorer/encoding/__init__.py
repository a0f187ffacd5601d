"""Texts to vectors: batching and cache."""
