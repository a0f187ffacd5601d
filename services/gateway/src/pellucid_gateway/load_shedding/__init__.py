"""How many turns run at once: a limit that follows measured latency, and what it refuses."""
