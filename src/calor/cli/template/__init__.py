"""`calor template`: commands for templates that need no server."""
