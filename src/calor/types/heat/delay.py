from __future__ import annotations

import random
from collections.abc import Coroutine
from typing import Any

from calor.language.constraints import one_of, range_
from calor.language.schema import Property, supported
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject, Properties


class Delay(ResourceType):
    type_name = "OS::Heat::Delay"
    support = supported("11.0.0")
    properties = {
        "min_wait": Property(float, default=0, update_allowed=True, constraints=[range_(min=0)]),
        "max_jitter": Property(float, default=0, update_allowed=True, constraints=[range_(min=0)]),
        "jitter_multiplier": Property(float, default=1.0, update_allowed=True, constraints=[range_(min=0)]),
        "actions": Property(
            list,
            default=["CREATE"],
            update_allowed=True,
            constraints=[one_of("CREATE", "DELETE", "SUSPEND", "RESUME")],
        ),
    }

    @classmethod
    def create(cls, ctx: Context, props: JsonObject) -> Coroutine[Any, Any, None] | None:
        return _delay(ctx, props, "CREATE")

    @classmethod
    def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        """What changes counts from the next action on."""

    @classmethod
    def delete(cls, ctx: Context) -> Coroutine[object, object, None] | None:
        return _delay(ctx, ctx.properties, "DELETE")

    @classmethod
    def suspend(cls, ctx: Context) -> Coroutine[object, object, None] | None:
        return _delay(ctx, ctx.properties, "SUSPEND")

    @classmethod
    def resume(cls, ctx: Context) -> Coroutine[object, object, None] | None:
        return _delay(ctx, ctx.properties, "RESUME")


def _delay(ctx: Context, props: Properties, action: str) -> Coroutine[object, object, None] | None:
    if action not in (props.get("actions") or ()):
        return None
    seconds = props["min_wait"] + random.uniform(0, props["max_jitter"] * props["jitter_multiplier"])
    return ctx.sleep(seconds) if seconds else None
