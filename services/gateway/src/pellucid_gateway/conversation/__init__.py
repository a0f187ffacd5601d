"""What is kept between turns: conversations, memories, evidence."""
