"""Converts user data to the boot script of a server."""
