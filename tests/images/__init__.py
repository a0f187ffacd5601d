"""The five images, built without Docker, looked into, and run together as production runs them."""
