"""The use cases of the APIs and the command line, independent of HTTP."""
