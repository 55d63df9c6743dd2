"""Finds the declarations of resource types.

A built-in type is declared in a file that is named after it: OS::Neutron::FloatingIP in `floating_ip.py` in `neutron`
or a folder below it; case and underscores do not matter. So a type is found without importing all the others, and its
file is all that a new type needs: the catalogue, its constraint and the lookup of its objects follow from it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from calor.resources.contract import ResourceType

if TYPE_CHECKING:
    from calor.clouds.lookups import Lookup

ALIASES: dict[str, str] = {
    "OS::Ceilometer::Alarm": "OS::Aodh::Alarm",
    "OS::Ceilometer::CombinationAlarm": "OS::Aodh::CombinationAlarm",
    "OS::Ceilometer::GnocchiAggregationByMetricsAlarm": "OS::Aodh::GnocchiAggregationByMetricsAlarm",
    "OS::Ceilometer::GnocchiAggregationByResourcesAlarm": "OS::Aodh::GnocchiAggregationByResourcesAlarm",
    "OS::Ceilometer::GnocchiResourcesAlarm": "OS::Aodh::GnocchiResourcesAlarm",
    "OS::Heat::StructuredDeploymentsGroup": "OS::Heat::StructuredDeploymentGroup",
    "OS::Metering::Alarm": "OS::Aodh::Alarm",
    "OS::Quantum*": "OS::Neutron*",
}
"""Old names of types. With a `*` at the end, all names that start like the alias."""

STAND_INS: dict[str, str] = {"OS::Heat::ScaledResource": "AWS::EC2::Instance"}
"""Names that the environment can map, with the type that they mean by default."""


_CONSTRAINT = re.compile(r'\bcustom\("([^"]+)"')
_CONSTRAINT_OF_TYPE = re.compile(r'^    constraint = "([^"]+)"$', re.MULTILINE)
_FOLDER = Path(__file__).parent
_DECLARATION = re.compile(r'^    type_name = "([^"]+)"$', re.MULTILINE)


def declaration(type_name: str) -> type[ResourceType] | None:
    """The class that declares a type, or None if there is no such type."""
    return _built_in(type_name) or _plugins().get(type_name)


def names() -> list[str]:
    """The names of all types, including those of plug-ins."""
    return sorted([*built_in_names(), *_plugins()])


@cache
def built_in_names() -> frozenset[str]:
    """The names of all built-in types. They are read from the text of the files: importing them takes much longer."""
    return frozenset(name for files in _files().values() for file in files for name in _declared_in(file))


@cache
def constraint_names() -> frozenset[str]:
    """The names of the custom constraints that built-in types use or declare, also read from their text."""
    used = (
        name for files in _files().values() for file in files for name in _CONSTRAINT.findall(_text(file))
    )
    return frozenset(used) | _constraint_files().keys()


def lookup(constraint: str) -> Lookup | None:
    """How to find the objects that a constraint names, if a built-in type declares it."""
    from calor.types.cloud_objects import CloudObject

    file = _constraint_files().get(constraint)
    if file is None:
        return None
    declared = declaration(_declared_in(file)[0])
    return declared.lookup() if declared is not None and issubclass(declared, CloudObject) else None


@cache
def _constraint_files() -> dict[str, str]:
    return {
        name: file
        for files in _files().values()
        for file in files
        for name in _CONSTRAINT_OF_TYPE.findall(_text(file))
    }


def load_plugins() -> None:
    """Loads the plug-ins now, not when the first type is requested that is not built in."""
    _plugins()


_loaded: dict[str, type[ResourceType]] = {}


def _built_in(type_name: str) -> type[ResourceType] | None:
    if type_name not in _loaded:
        for file in _files().get(_key(type_name.rpartition("::")[2]), ()):
            if type_name in _declared_in(file):
                _loaded[type_name] = _imported(file, type_name)
    return _loaded.get(type_name)


def _imported(file: str, type_name: str) -> type[ResourceType]:
    module = import_module(f"calor.types.{file.removesuffix('.py').replace(os.sep, '.')}")
    declared: type[ResourceType] = next(
        one
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, ResourceType) and vars(one).get("type_name") == type_name
    )
    return declared


@cache
def _files() -> dict[str, list[str]]:
    """The paths of all modules in the folders of services, by the name of the type that each may declare."""
    found: dict[str, list[str]] = {}
    for file in _below(_FOLDER):
        found.setdefault(_key(os.path.basename(file)[: -len(".py")]), []).append(file)
    return found


def _below(folder: Path, prefix: str = "") -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py") and prefix:
                yield prefix + entry.name
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from _below(folder / entry.name, prefix + entry.name + os.sep)


def _key(name: str) -> str:
    return name.replace("_", "").lower()


def _declared_in(file: str) -> list[str]:
    return _DECLARATION.findall(_text(file))


def _text(file: str) -> str:
    return (_FOLDER / file).read_text("utf-8")


@cache
def _plugins() -> dict[str, type[ResourceType]]:
    # Most templates use built-in types only.
    from calor.types import plugins

    # Plug-ins cannot replace built-in types.
    return plugins.load(taken=built_in_names())
