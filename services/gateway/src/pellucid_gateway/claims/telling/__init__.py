"""What a source tells otherwise than a claim: deeds, bindings, limits and opposites."""
