from calor_guest.apply import control


class OacFile:
    """A file and what its control file says; every value is checked as one of a control file."""

    def __init__(self, body):
        self.__dict__.update(control.Control()._asdict(), body=body)

    def __setattr__(self, name, value):
        check = {"allow_empty": control.flag}.get(name) or getattr(control, name)
        self.__dict__[name] = check(value)

    def set(self, name, value):
        setattr(self, name, value)
        return self

    def __eq__(self, other):
        return self.__dict__ == other.__dict__
