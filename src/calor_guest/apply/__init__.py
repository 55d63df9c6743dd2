"""os-apply-config: renders templates with the metadata of the server."""
