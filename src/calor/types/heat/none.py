from typing import Any

from calor.entropy import new_uuid
from calor.language.schema import ResourceType, supported
from calor.types.behaviour import Context


class Nothing(ResourceType):
    """Nothing at all: accepts any property and any attribute, creates no object, gives null.

    Map another type to it in the environment to leave that part of a template out.
    """

    type_name = "OS::Heat::None"
    placeholder = True
    support = supported("5.0.0")
    new_reference = True

    @classmethod
    def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        ctx.made(str(new_uuid()))

    @classmethod
    def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        """There is nothing to change."""

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> None:
        return None
