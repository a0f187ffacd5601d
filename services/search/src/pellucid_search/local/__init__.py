"""Full-text search over a folder of documents, the provider that needs no network."""
