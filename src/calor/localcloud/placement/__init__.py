"""What the host has for servers, and what they take of it, as the placement service shows it."""
