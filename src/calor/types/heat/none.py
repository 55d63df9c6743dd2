from calor.entropy import new_uuid
from calor.language.schema import supported
from calor.resources.context import AttributeContext, Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject


class Nothing(ResourceType):
    """A placeholder: accepts any property and any attribute, creates nothing, and returns null.

    Map another type to it in the environment to leave that part of a template out.
    """

    type_name = "OS::Heat::None"
    placeholder = True
    support = supported("5.0.0")
    new_reference = True

    @classmethod
    def create(cls, ctx: Context, props: JsonObject) -> None:
        ctx.set_physical_id(new_uuid())

    @classmethod
    def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        """There is nothing to change."""

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> None:
        return None
