"""Software deployments: runs each config in the metadata once, by the hook of its group, and reports the result."""
