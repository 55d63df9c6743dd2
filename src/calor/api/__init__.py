"""The HTTP APIs: they translate requests into use cases and results into responses."""
