"""The identity service (Keystone's API v3): users, projects, role assignments and tokens."""
