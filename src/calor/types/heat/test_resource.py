from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.resources.context import AttributeContext, Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonObject, Properties

A_DAY = 86_400.0


class TestResource(ResourceType):
    """Stores a text, and can be set to be slow, to fail or to require replacement.

    Made for testing templates and the engine: it needs no cloud.
    """

    type_name = "OS::Heat::TestResource"
    support = supported("5.0.0")
    adopted_data = ("value",)
    properties = {
        "constraint_prop_secs": Property(
            float,
            "Seconds by which the validation of this very property is delayed.",
            default=0,
            update_allowed=True,
            constraints=[custom("test_constr")],
            support=supported("6.0.0"),
        ),
        "attr_wait_secs": Property(
            float,
            "Has no effect: reading the output is never delayed.",
            default=0,
            update_allowed=True,
            support=supported("6.0.0"),
        ),
        "value": Property(
            str, "The text to store, to be read from the output.", default="test_string", update_allowed=True
        ),
        "update_replace_value": Property(
            str, "Kept and otherwise unused, but a change replaces the resource.", support=supported("7.0.0")
        ),
        "fail": Property(
            bool,
            "Whether creating the resource or updating its value fails.",
            default=False,
            update_allowed=True,
        ),
        "update_replace": Property(
            bool,
            "Whether a change of the value replaces the resource instead of updating it.",
            default=False,
            update_allowed=True,
        ),
        "wait_secs": Property(
            float,
            "Seconds that creating, updating and deleting takes; with -1 it never ends.",
            default=0,
            update_allowed=True,
        ),
        "action_wait_secs": Property(
            dict,
            "Seconds for single actions, where they differ from wait_secs.",
            update_allowed=True,
            fields={
                "create": Property(float, "Seconds that the creation takes.", update_allowed=True),
                "update": Property(float, "Seconds that a change of the value takes.", update_allowed=True),
                "delete": Property(float, "Seconds that the deletion takes.", update_allowed=True),
            },
        ),
        "client_name": Property(
            str,
            "Has no effect: no service is kept busy while waiting.",
            default="",
            update_allowed=True,
        ),
        "entity_name": Property(
            str, "Has no effect, as client_name has none.", default="", update_allowed=True
        ),
    }
    attributes = {
        "output": Attribute(None, "The stored text.", live=True),
        "show": SHOW,
    }
    attributes_from_properties = {"output": "value"}
    new_reference = True

    @classmethod
    def needs_replacement(cls, before: Properties, after: Properties, changed: frozenset[str]) -> bool:
        return "value" in changed and bool(after["update_replace"])

    @classmethod
    def create(cls, ctx: Context, props: JsonObject) -> Coroutine[Any, Any, None] | None:
        if not props["fail"]:
            ctx.set_data(value=props["value"])
            ctx.set_physical_id(ctx.physical_name())
        return _take_time(ctx, _seconds(props, "create"), props["fail"])

    @classmethod
    def update(
        cls, ctx: Context, props: JsonObject, changed: frozenset[str]
    ) -> Coroutine[object, object, None] | None:
        if "value" not in changed:
            return _take_time(ctx, 0, props["fail"])
        if not props["fail"]:
            ctx.set_data(value=props["value"])
        return _take_time(ctx, _seconds(props, "update"), props["fail"])

    @classmethod
    def delete(cls, ctx: Context) -> Coroutine[object, object, None] | None:
        return _take_time(ctx, _seconds(ctx.properties, "delete"), fails=False)

    @classmethod
    def check(cls, ctx: Context) -> None:
        if ctx.physical_id is None:
            raise ResourceFailed("Resource not created", "Exception")

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        return ctx.data.get("value") if name == "output" else None


def _seconds(props: Properties, action: str) -> float:
    own = (props.get("action_wait_secs") or {}).get(action)
    return float((props.get("wait_secs") or 0) if own is None else own)


def _take_time(ctx: Context, seconds: float, fails: bool) -> Coroutine[object, object, None] | None:
    """Waits, and then fails, as the properties request."""
    if seconds:
        return _wait(ctx, seconds, fails)
    _fail_if(ctx, fails)
    return None


async def _wait(ctx: Context, seconds: float, fails: bool) -> None:
    while seconds < 0:
        await ctx.sleep(A_DAY)
    await ctx.sleep(seconds)
    _fail_if(ctx, fails)


def _fail_if(ctx: Context, fails: bool) -> None:
    if fails:
        raise ResourceFailed(f"Test Resource failed {ctx.name}", "ValueError")
