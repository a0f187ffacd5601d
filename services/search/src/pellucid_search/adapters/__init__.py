"""Implementations of the ports: HTTP, the ddgs library, the local index, the stores."""
