"""Types that other packages bring: what an entry point may name, and what becomes of one that is broken."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from types import ModuleType
from typing import Any

import pytest

from calor.resources.contract import ResourceType
from calor.types import catalogue


class Anvil(ResourceType):
    type_name = "Acme::Anvil"


class Base(ResourceType):
    """No type by itself: it has no name."""


class Point(metadata.EntryPoint):
    """An entry point that gives what it is told to, or raises it."""

    named: dict[str, Any] = {}

    def load(self) -> Any:
        value = self.named[self.name]
        if isinstance(value, BaseException):
            raise value
        return value


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    catalogue._plugins.cache_clear()
    yield
    catalogue._plugins.cache_clear()


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the entry points of the group name, to be filled in."""
    points: dict[str, Any] = {}

    def entry_points(group: str) -> list[Point]:
        assert group == "calor.types"
        return [Point(name, f"somewhere:{name}", group) for name in points]

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    monkeypatch.setattr(Point, "named", points)
    return points


def test_a_plugin_adds_a_type(named: dict[str, Any]) -> None:
    named["Acme::Anvil"] = Anvil

    assert catalogue.declaration("Acme::Anvil") is Anvil
    assert "Acme::Anvil" in catalogue.names()


def test_a_plugin_may_be_a_module_of_types(named: dict[str, Any]) -> None:
    module = ModuleType("acme")
    hammer = type("Hammer", (Base,), {"type_name": "Acme::Hammer", "__module__": "acme"})
    tongs = type("Tongs", (Base,), {"type_name": "Acme::Tongs", "__module__": "acme"})
    vars(module).update(Hammer=hammer, Tongs=tongs, Base=Base, Imported=Anvil, other=1)
    named["acme"] = module

    assert catalogue.declaration("Acme::Hammer") is hammer
    assert catalogue.declaration("Acme::Tongs") is tongs
    assert catalogue.declaration("Acme::Anvil") is None


def test_a_plugin_replaces_no_built_in_type(named: dict[str, Any]) -> None:
    named["server"] = type("Taken", (Base,), {"type_name": "OS::Nova::Server"})

    assert catalogue.declaration("OS::Nova::Server") is not named["server"]
    assert catalogue.names().count("OS::Nova::Server") == 1


@pytest.mark.parametrize(
    ("what", "reported"),
    [
        (ImportError("no module named anvil"), "ImportError: no module named anvil"),
        (SystemExit(3), "SystemExit: 3"),
        ("text", "'text' is neither a class derived from ResourceType nor a module"),
        (Base, "Base has no type_name"),
        (ModuleType("empty"), "the module empty declares no resource type"),
        (type("Odd", (Base,), {"type_name": "A::B", "properties": {"p": str}}), "Odd: 'p' is not a Property"),
        (type("Odd", (Base,), {"type_name": "A::B", "service": print}), "Odd: its service is not a name"),
        (type("Taken", (Base,), {"type_name": "OS::Nova::Server"}), "OS::Nova::Server is there already"),
        (type("Second", (Base,), {"type_name": "Acme::Anvil"}), "Acme::Anvil is there already"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_reported_and_left_out(
    named: dict[str, Any], caplog: pytest.LogCaptureFixture, what: Any, reported: str
) -> None:
    named["anvil"] = Anvil
    named["bad"] = what

    assert catalogue.declaration("Acme::Anvil") is Anvil
    assert catalogue.names() == sorted([*catalogue.built_in_names(), "Acme::Anvil"])
    assert [one.getMessage() for one in caplog.records] == [
        f"the plug-in bad = somewhere:bad is left out: {reported}"
    ]


def test_a_misspelt_hook_is_refused_when_the_class_is_defined() -> None:
    with pytest.raises(
        TypeError, match=r"Kettle\.craete is not part of the contract .* did you mean create\?"
    ):

        class Kettle(ResourceType):
            type_name = "Acme::Kettle"

            @classmethod
            async def craete(cls, ctx: Any, props: Any) -> None: ...


def test_a_hook_with_other_parameters_is_refused_when_the_class_is_defined() -> None:
    with pytest.raises(TypeError, match=r"Kettle\.delete must be a classmethod with the parameters \(ctx\)"):

        class Kettle(ResourceType):
            type_name = "Acme::Kettle"

            @classmethod
            async def delete(cls, ctx: Any, props: Any) -> None: ...


def test_a_hook_that_is_not_a_classmethod_is_refused_when_the_class_is_defined() -> None:
    with pytest.raises(TypeError, match=r"Kettle\.create must be a classmethod"):

        class Kettle(ResourceType):
            type_name = "Acme::Kettle"

            async def create(self, ctx: Any, props: Any) -> None: ...


def test_helpers_of_a_type_start_with_an_underscore() -> None:
    class Kettle(ResourceType):
        type_name = "Acme::Kettle"

        @classmethod
        async def _boil(cls, ctx: Any) -> None: ...

    assert Kettle.create is None


def test_a_base_brings_hooks_for_the_types_derived_from_it() -> None:
    class Appliance(ResourceType, extends=True):
        watts: int = 0

    class Kettle(Appliance):
        type_name = "Acme::Kettle"
        watts = 2000

    with pytest.raises(TypeError, match=r"did you mean watts\?"):

        class Toaster(Appliance):
            type_name = "Acme::Toaster"
            wats = 900

    assert Kettle.watts == 2000
