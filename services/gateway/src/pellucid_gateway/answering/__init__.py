"""What the model is shown, and what is written: by the model, or out of the sources."""
