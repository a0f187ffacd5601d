"""A page as blocks: what is visible, where each block stands."""
