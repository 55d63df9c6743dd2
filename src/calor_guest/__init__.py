"""What runs inside servers. Needs nothing but Python, and knows nothing of what made the server."""
