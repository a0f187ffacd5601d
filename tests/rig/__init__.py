"""Rig of the cross-service tests: real processes and faithful local servers."""
