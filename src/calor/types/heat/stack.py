from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.schema import SHOW, Attribute, Problem, Property, supported
from calor.language.values import concealed
from calor.resources.context import AttributeContext, Context, LookupContext
from calor.resources.contract import ResourceType
from calor.resources.outcomes import NeedsReplacement, ResourceFailed
from calor.resources.services import RemoteStacks
from calor.resources.values import JsonObject, Properties
from calor.types.rules import filled, visible

POLLED_EVERY = 2.0
"""Seconds between looks at the stack over there."""


@dataclass(frozen=True, slots=True)
class _InThisCloud:
    """Without the credentials, the stack would be created in this cloud, where nobody wants it."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        if filled((visible(given.get("context")) or {}).get("credential_secret_id")):
            yield Problem(
                "StackValidationFailed",
                "credential_secret_id is not supported: the stack can be in another region of this cloud only",
                ("context", "credential_secret_id"),
            )


class Stack(ResourceType):
    """A separate stack, in another region or another cloud.

    It is created through the orchestration API found there and is a stack like any other. For a part of the
    same stack in the same place, use a template as a resource type instead.
    """

    type_name = "OS::Heat::Stack"
    adopted_data = ("stack_name", "outputs", "secret_outputs")
    service = "heat"
    properties = {
        "context": Property(
            dict,
            "Where to create the stack. Left out: in the same region of the same cloud.",
            update_allowed=True,
            fields={
                "region_name": Property(
                    str, "A region of the catalog. By default, it is the one of the parent stack."
                ),
                "credential_secret_id": Property(
                    str,
                    "The id of a secret in Barbican with credentials for the other cloud, as JSON: the "
                    "authentication plugin and its arguments. By default, the same cloud.",
                    update_allowed=True,
                    support=supported("12.0.0"),
                ),
                "ca_cert": Property(
                    str,
                    "The certificates, as PEM text, to trust when connecting to the other cloud.",
                    update_allowed=True,
                    support=supported("12.0.0"),
                ),
                "insecure": Property(
                    bool,
                    "Connects without verifying any certificate; ca_cert is ignored then.",
                    default=False,
                    update_allowed=True,
                    support=supported("12.0.0"),
                ),
            },
        ),
        "template": Property(
            str,
            "The text of the template, usually from a file by get_file. It can use the files of the "
            "parent's template.",
            required=True,
            update_allowed=True,
        ),
        "timeout": Property(
            int,
            "Minutes that the stack may take before it fails. By default, the default of that region applies.",
            update_allowed=True,
        ),
        "parameters": Property(
            dict, "Values for the template's parameters.", default={}, update_allowed=True
        ),
    }
    attributes = {
        "stack_name": Attribute(str, "The name that the stack was given over there."),
        "outputs": Attribute(dict, "The values of all outputs. Name one in the path to read it alone."),
        "show": SHOW,
    }

    rules = [_InThisCloud()]

    update_when_unchanged = True
    """Its template may name files that have changed, and over there something may be wrong."""

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        there = await _there(ctx, props)
        body = {"stack_name": ctx.physical_name(), "disable_rollback": True, **_body(ctx, props)}
        ctx.set_physical_id(await there.create(body))
        await cls._finish(ctx, there, "CREATE")

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        """Its name has the resource's id in it: no other stack is called so."""
        there = await _there(ctx, ctx.properties)
        stack = await there.show(ctx.physical_id or ctx.physical_name())
        if stack is None:
            return False
        ctx.set_physical_id(stack["id"])
        if ctx.action == "CREATE":
            await cls._finish(ctx, there, "CREATE")
        return True

    @classmethod
    def needs_replacement(cls, before: Properties, after: Properties, changed: frozenset[str]) -> bool:
        return "context" in changed and _region(after) != _region(before)

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        if ctx.physical_id is None:
            raise NeedsReplacement
        there = await _there(ctx, props)
        await there.update(ctx.physical_id, _body(ctx, props))
        await cls._finish(ctx, there, "UPDATE")

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None:
            return
        there = await _there(ctx, ctx.properties)
        await there.delete(ctx.physical_id)
        await cls._finish(ctx, there, "DELETE")

    @classmethod
    async def suspend(cls, ctx: Context) -> None:
        await cls._act(ctx, "SUSPEND")

    @classmethod
    async def resume(cls, ctx: Context) -> None:
        await cls._act(ctx, "RESUME")

    @classmethod
    async def check(cls, ctx: Context) -> None:
        await cls._act(ctx, "CHECK")

    @classmethod
    async def exists(cls, ctx: LookupContext) -> bool:
        there = await ctx.remote_stacks(ctx.properties.get("context") or {})
        return await there.show(str(ctx.physical_id)) is not None

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        """As of the last action on the stack from here."""
        found = ctx.data.get(name)
        if name != "outputs" or found is None:
            return found
        secret = ctx.data.get("secret_outputs", ())
        return {key: concealed(value) if key in secret else value for key, value in found.items()}

    @classmethod
    async def _act(cls, ctx: Context, action: str) -> None:
        if ctx.physical_id is None:
            raise ResourceFailed("the stack was never created", "Error")
        there = await _there(ctx, ctx.properties)
        await there.act(ctx.physical_id, action.lower())
        await cls._finish(ctx, there, action)

    @classmethod
    async def _finish(cls, ctx: Context, there: RemoteStacks, action: str) -> None:
        """Waits until an action has ended, and notes what can be read."""
        assert ctx.physical_id is not None
        while True:
            stack = await there.show(ctx.physical_id)
            if stack is None:
                if action == "DELETE":
                    return
                raise ResourceFailed("the stack is gone", "NotFound")
            status = stack["stack_status"]
            if status.startswith(f"{action}_") and status != f"{action}_IN_PROGRESS":
                break
            await ctx.sleep(POLLED_EVERY)
        if status != f"{action}_COMPLETE":
            reason = stack.get("stack_status_reason")
            raise ResourceFailed(f"the stack went to {status}: {reason}", "ResourceInError")
        found = stack.get("outputs") or ()
        ctx.set_data(
            stack_name=stack["stack_name"],
            outputs={each["output_key"]: each.get("output_value") for each in found},
            secret_outputs=[each["output_key"] for each in found if each.get("sensitive")],
        )


async def _there(ctx: Context, props: Properties) -> RemoteStacks:
    return await ctx.remote_stacks(props["context"] or {})


def _region(props: Properties) -> str | None:
    region: str | None = (props["context"] or {}).get("region_name")
    return region


def _body(ctx: Context, props: Properties) -> JsonObject:
    body = {
        "template": props["template"],
        "parameters": props["parameters"] or {},
        "files": dict(ctx.files()),
        "environment": dict(ctx.environment()),
    }
    return {**body, "timeout_mins": props["timeout"]} if props["timeout"] is not None else body
