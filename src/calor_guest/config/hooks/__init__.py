"""Hooks: each reads a config from standard input, applies it, and prints its result."""
