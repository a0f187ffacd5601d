"""Implementations of the ports: the four services, the model, the evidence store."""
