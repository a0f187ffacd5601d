"""Perplexity's chat and search APIs."""
