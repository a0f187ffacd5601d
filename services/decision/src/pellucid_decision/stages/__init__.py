"""The stages that settle a decision, in order."""
