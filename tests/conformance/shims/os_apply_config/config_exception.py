from calor_guest.apply.errors import ApplyError as ConfigException

__all__ = ["ConfigException"]
