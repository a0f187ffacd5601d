"""What the faces of other products share: requests, translation, the model server."""
