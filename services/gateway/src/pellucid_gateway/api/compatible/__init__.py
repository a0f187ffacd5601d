"""What the APIs of other products share: requests, translation, the model server."""
