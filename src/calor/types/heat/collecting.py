"""Where the agent on a server learns what to do: the settings of os-collect-config that a server resource gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.types.behaviour import Context

SETTINGS = "os-collect-config"
"""The member of a resource's metadata that holds them."""
CREDENTIALS = ("password", "access_key_id", "secret_access_key", "metadata_url")
"""Those of the settings that let in whoever has them."""
COLLECTORS = {
    "POLL_SERVER_CFN": "cfn",
    "POLL_SERVER_HEAT": "heat",
    "POLL_TEMP_URL": "request",
    "ZAQAR_MESSAGE": "zaqar",
}


async def connect(ctx: Context, transport: str, swift: Mapping[str, Any] | None = None) -> None:
    """Puts the settings for a transport into the metadata. What was set for another one is emptied, so that an agent
    that merges what it gets forgets it."""
    collector = COLLECTORS[transport]
    before = ctx.metadata.get(SETTINGS) or {}
    others = {name: None for name in COLLECTORS.values() if name in before and name != collector}
    settings = {
        **before,
        **others,
        collector: await _settings(ctx, transport, swift or {}),
        "collectors": ["ec2", collector, "local"],
    }
    ctx.set_metadata({"deployments": [], **ctx.metadata, SETTINGS: settings})
    await ctx.publish_metadata()


async def _settings(ctx: Context, transport: str, swift: Mapping[str, Any]) -> dict[str, Any]:
    stack = f"{ctx.stack_name}/{ctx.stack_id}"
    if transport == "POLL_SERVER_CFN":
        access, secret = await ctx.access_keys()
        return {
            "metadata_url": f"{ctx.cfn_url()}/",
            "access_key_id": access,
            "secret_access_key": secret,
            "stack_name": stack,
            "path": f"{ctx.name}.Metadata",
        }
    if transport == "POLL_TEMP_URL":
        return {"metadata_url": await ctx.metadata_url(swift.get("container"), swift.get("object"))}
    user = await ctx.user_credentials()
    settings = {name: user[name] for name in ("user_id", "password", "auth_url", "project_id", "region_name")}
    if transport == "ZAQAR_MESSAGE":
        return {**settings, "queue_id": await ctx.queue()}
    return {**settings, "stack_id": stack, "resource_name": ctx.name}
