from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.schema import SHOW, Attribute, Property, ResourceType, supported
from calor.types.behaviour import Context, NeedsReplacement, RemoteStacks, ResourceFailed

POLLED_EVERY = 2.0
"""Seconds between looks at the stack over there."""


class Stack(ResourceType):
    """A stack of its own, in another region or another cloud.

    It is created through the orchestration API found there and is a stack like any other. For a part of the
    same stack in the same place, use a template as a resource type instead.
    """

    type_name = "OS::Heat::Stack"
    adopted_data = ("stack_name", "outputs")
    service = "heat"
    entity = "stacks"
    properties = {
        "context": Property(
            dict,
            "Where to create the stack. Left out: in the same region of the same cloud.",
            update_allowed=True,
            fields={
                "region_name": Property(
                    str, "A region of the catalog. Left out, it is the one of the parent stack."
                ),
                "credential_secret_id": Property(
                    str,
                    "The id of a secret in Barbican with credentials for the other cloud, as JSON: the "
                    "authentication plugin and its arguments. Left out, the own cloud is meant.",
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
            "Minutes that the stack may take before it fails. Left out, the default over there holds.",
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

    looks_for_itself = True
    """Its template may name files that have changed, and over there something may be wrong."""

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        there = await _there(ctx, props)
        body = {"stack_name": ctx.physical_name(), "disable_rollback": True, **_body(ctx, props)}
        ctx.made(await there.create(body))
        await cls._finish(ctx, there, "CREATE")

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        """Its name has the resource's id in it: no other stack is called so."""
        there = await _there(ctx, ctx.properties)
        stack = await there.show(ctx.physical_id or ctx.physical_name())
        if stack is None:
            return False
        ctx.made(stack["id"])
        if ctx.action == "CREATE":
            await cls._finish(ctx, there, "CREATE")
        return True

    @classmethod
    def demands_replacement(
        cls, before: Mapping[str, Any], after: Mapping[str, Any], changed: frozenset[str]
    ) -> bool:
        return _region(after) != _region(before)

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
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
    async def exists(cls, ctx: Context) -> bool:
        there = await ctx.remote_stacks(ctx.properties.get("context") or {})
        return await there.show(str(ctx.physical_id)) is not None

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        """As of the last action on the stack from here."""
        return ctx.data.get(name)

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
        outputs = {each["output_key"]: each.get("output_value") for each in stack.get("outputs") or ()}
        ctx.note(stack_name=stack["stack_name"], outputs=outputs)


async def _there(ctx: Context, props: Mapping[str, Any]) -> RemoteStacks:
    return await ctx.remote_stacks(props["context"] or {})


def _region(props: Mapping[str, Any]) -> str | None:
    region: str | None = (props["context"] or {}).get("region_name")
    return region


def _body(ctx: Context, props: Mapping[str, Any]) -> dict[str, Any]:
    body = {
        "template": props["template"],
        "parameters": props["parameters"] or {},
        "files": dict(ctx.files()),
        "environment": dict(ctx.environment()),
    }
    return {**body, "timeout_mins": props["timeout"]} if props["timeout"] is not None else body
