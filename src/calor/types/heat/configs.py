"""What the types of software configuration have in common."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any, ClassVar

from calor.language.constraints import one_of
from calor.language.schema import ANY, SHOW, Attribute, Property, ResourceType
from calor.types.behaviour import Context

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
            "default": Property(ANY, "Taken when a deployment gives no value."),
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


class ConfigType(ResourceType):
    """A configuration is stored once and never changes."""

    service = "heat"
    entity = "software_configs"
    kept_here: ClassVar[bool] = True
    new_reference = True
    attributes = {
        "config": Attribute(str, "The configuration as it was stored."),
        "show": SHOW,
    }

    @classmethod
    def content(cls, props: Mapping[str, Any]) -> dict[str, Any]:
        """What is stored: group, config, options, inputs and outputs."""
        return dict(props)

    @classmethod
    def create(cls, ctx: Context, props: dict[str, Any]) -> Coroutine[Any, Any, None] | None:
        cls.store(ctx, cls.content(props))
        return None

    @staticmethod
    def store(ctx: Context, content: Mapping[str, Any]) -> None:
        ctx.made(ctx.store_config({"name": ctx.physical_name(), **content}))

    @classmethod
    def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is not None:
            ctx.delete_config(ctx.physical_id)

    @classmethod
    async def exists(cls, ctx: Context) -> bool:
        return await ctx.config(str(ctx.physical_id)) is not None

    @classmethod
    async def is_adoptable(cls, ctx: Context) -> bool:
        """One config has one owner: who deletes it must not take it from another stack."""
        return await cls.exists(ctx) and not await ctx.taken([str(ctx.physical_id)])

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        return cls.content(ctx.properties)["config"] if name == "config" else None
