"""What ends a tool with a message for its user."""


class Problem(Exception):
    """Something that cannot be done. The text is for the person who reads the log."""
