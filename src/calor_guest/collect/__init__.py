"""os-collect-config: collects the metadata of the server, and runs a command when it has changed."""
