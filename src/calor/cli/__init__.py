"""The `calor` command."""
