"""The compute service: servers and what they need."""
