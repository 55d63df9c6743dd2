"""The object store: the API of Swift, with objects in files."""
