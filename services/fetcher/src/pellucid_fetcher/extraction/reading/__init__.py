"""From bytes of any kind to text."""
