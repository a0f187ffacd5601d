"""Publication dates as providers print them."""
