"""Servers and channels: deadlines, errors, hedging, admission, TLS."""
