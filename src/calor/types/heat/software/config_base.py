"""What the types of software configuration have in common."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, ClassVar

from calor.language.constraints import one_of
from calor.language.schema import ANY, SHOW, Attribute, Property
from calor.resources.context import AdoptContext, AttributeContext, Context, LookupContext
from calor.resources.contract import ResourceType
from calor.resources.values import JsonMapping, JsonObject, Properties

UNGROUPED = "Heat::Ungrouped"

VALUE_TYPE = Property(
    str,
    "The kind of value. Agents and user interfaces may use it; nothing is converted here.",
    default="String",
    constraints=[one_of("String", "Number", "CommaDelimitedList", "Json", "Boolean")],
)

INPUTS = Property(
    list,
    "The values that the configuration wants from the deployments that use it.",
    items=Property(
        dict,
        fields={
            "name": Property(
                str,
                "How a deployment's input_values address the input, and how the script sees it: usually as "
                "an environment variable.",
                required=True,
            ),
            "description": Property(str, "A note for people; has no effect."),
            "type": VALUE_TYPE,
            "default": Property(ANY, "Used if a deployment has no value."),
            "replace_on_change": Property(
                bool,
                "Whether a deployment is replaced, rather than updated, when its value of this input "
                "changes.",
                default=False,
            ),
        },
    ),
)

OUTPUTS = Property(
    list,
    "The values that the server reports once the configuration has been applied. Each becomes an attribute "
    "of the deployment.",
    items=Property(
        dict,
        fields={
            "name": Property(
                str, "The attribute of the deployment that holds the reported value.", required=True
            ),
            "description": Property(str, "A note for people; has no effect."),
            "type": VALUE_TYPE,
            "error_output": Property(
                bool,
                "Whether the deployment has failed when the server reports a value under this name. The "
                "value then is part of the failure's reason.",
                default=False,
            ),
        },
    ),
)


class ConfigType(ResourceType, extends=True):
    """A configuration is stored once and never changes."""

    service = "heat"
    stored_in_database: ClassVar[bool] = True
    new_reference = True
    attributes = {
        "config": Attribute(str, "The configuration as it was stored."),
        "show": SHOW,
    }

    @classmethod
    def content(cls, props: Properties) -> JsonObject:
        """What is stored: group, config, options, inputs and outputs."""
        return dict(props)

    @classmethod
    def create(cls, ctx: Context, props: JsonObject) -> Coroutine[Any, Any, None] | None:
        cls.store(ctx, cls.content(props))
        return None

    @staticmethod
    def store(ctx: Context, content: JsonMapping) -> None:
        ctx.set_physical_id(ctx.store_config({"name": ctx.physical_name(), **content}))

    @classmethod
    def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is not None:
            ctx.delete_config(ctx.physical_id)

    @classmethod
    async def exists(cls, ctx: LookupContext) -> bool:
        return await ctx.config(str(ctx.physical_id)) is not None

    @classmethod
    async def is_adoptable(cls, ctx: AdoptContext) -> bool:
        """One config has one owner: who deletes it must not take it from another stack."""
        return await cls.exists(ctx) and not await ctx.claimed([str(ctx.physical_id)])

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        return cls.content(ctx.properties)["config"] if name == "config" else None
