"""Asking the providers: breakers, buckets, cache, budget."""
