"""Resource types of other packages, found by the entry point group `calor.types`.

An entry point names a class that declares a type, or a module: then every type that the module declares. What
cannot be used is reported in the log, with the name of the package, and left out: a server starts without it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from inspect import isclass, ismodule
from typing import TYPE_CHECKING

from calor.language.schema import Attribute, Property
from calor.resources.contract import ResourceType

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "calor.types"

log = logging.getLogger(__name__)


class Unusable(Exception):
    """What an entry point names does not declare a resource type."""


def load(taken: Collection[str]) -> dict[str, type[ResourceType]]:
    """All types of plug-ins, by name. Built-in types take precedence, then the plug-ins of packages in alphabetical
    order."""
    # Slow to import, and asked for only once.
    from importlib.metadata import entry_points

    found: dict[str, type[ResourceType]] = {}
    for point in sorted(entry_points(group=GROUP), key=_place):
        try:
            declared = list(_types(point.load()))
        except Unusable as error:
            _leave_out(point, str(error))
        # An import may run anything; a plug-in that wants to end the program must not.
        except (Exception, SystemExit) as error:
            _leave_out(point, f"{type(error).__name__}: {error}")
        else:
            for one in declared:
                if one.type_name in taken or found.get(one.type_name, one) is not one:
                    _leave_out(point, f"{one.type_name} is there already")
                else:
                    found[one.type_name] = one
    return found


def _place(point: EntryPoint) -> tuple[str, str]:
    return (point.dist.name if point.dist is not None else "", point.name)


def _leave_out(point: EntryPoint, why: str) -> None:
    package = f" of {point.dist.name} {point.dist.version}" if point.dist is not None else ""
    log.error("the plug-in %s = %s%s is left out: %s", point.name, point.value, package, why)


def _types(named: object) -> Iterator[type[ResourceType]]:
    if not ismodule(named):
        yield _checked(named)
        return
    # What a module has imported from elsewhere, such as a base, is not its own.
    own = [
        one
        for one in vars(named).values()
        if isclass(one) and issubclass(one, ResourceType) and one.__module__ == named.__name__
    ]
    declared = [one for one in own if hasattr(one, "type_name")]
    if not declared:
        raise Unusable(f"the module {named.__name__} declares no resource type")
    for one in declared:
        yield _checked(one)


def _checked(named: object) -> type[ResourceType]:
    """The class, if a template can use it."""
    if not isclass(named) or not issubclass(named, ResourceType):
        raise Unusable(f"{named!r} is neither a class derived from ResourceType nor a module")
    if not isinstance(getattr(named, "type_name", None), str) or not named.type_name:
        raise Unusable(f"{named.__qualname__} has no type_name")
    if not isinstance(named.service, str | None):
        raise Unusable(f"{named.__qualname__}: its service is not a name")
    for kind, declared in ((Property, named.properties), (Attribute, named.attributes)):
        for name, one in declared.items():
            if not isinstance(name, str) or not isinstance(one, kind):
                raise Unusable(f"{named.__qualname__}: {name!r} is not a {kind.__name__}")
    return named
