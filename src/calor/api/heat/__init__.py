"""Version 1 of the REST API, as Heat's clients speak it."""
