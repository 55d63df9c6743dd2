"""HTTP: translates requests into use cases and their results into answers, and nothing more."""
