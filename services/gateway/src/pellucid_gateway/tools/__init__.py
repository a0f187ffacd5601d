"""Command-line tools of the operator."""
