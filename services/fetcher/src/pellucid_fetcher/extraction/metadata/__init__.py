"""What a page says about itself: title, author, dates."""
