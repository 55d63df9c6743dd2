class ApplyError(Exception):
    """Templates, metadata or a key are not as they have to be."""
