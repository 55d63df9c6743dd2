"""What to do to get from what is to what shall be: decisions and plans, as values."""
