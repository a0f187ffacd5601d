"""Where sources disagree."""
