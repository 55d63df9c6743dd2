"""Version 1 of the REST API, compatible with Heat's."""
