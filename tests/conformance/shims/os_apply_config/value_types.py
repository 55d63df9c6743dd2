from calor_guest.apply.value_types import check


def ensure_type(text, name="default"):
    return check(text, name)
