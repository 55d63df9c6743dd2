"""Scripts that run on a server to process its user data. They use only the standard library of Python 3, in any
version, and are never run by Calor itself."""
