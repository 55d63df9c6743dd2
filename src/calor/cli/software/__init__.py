"""Software configurations and their deployments."""
