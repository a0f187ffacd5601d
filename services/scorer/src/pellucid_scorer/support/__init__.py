"""How like a claim and a passage are."""
