"""What types of several services have in common."""

from calor.language.schema import ResourceType


class NestedStackType(ResourceType):
    nested_stack = True
    deferred_auth = True


class SignalledType(ResourceType):
    """A signal comes without the stack owner's token: a user of the resource's own sends it, and what it sets
    off runs with deferred credentials."""

    takes_signals = True
    owns_user = True
    deferred_auth = True
