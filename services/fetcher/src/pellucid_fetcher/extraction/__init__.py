"""Documents to text; runs in worker processes that may be killed at any time."""
