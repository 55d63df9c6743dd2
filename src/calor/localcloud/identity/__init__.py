"""The identity service: who there is, who may do what where, and the tokens that prove it (Keystone's API v3)."""
