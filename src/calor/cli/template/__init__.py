"""`calor template`: everything that can be done with templates without a server."""
