"""Text that readers of Markdown will read: what they make of it, and what keeps it harmless."""
