"""The settings of os-collect-config, the agent on a server, in the metadata of the server."""

from __future__ import annotations

from calor.resources.context import Context
from calor.resources.values import JsonMapping, JsonObject

SETTINGS = "os-collect-config"
"""The member of a resource's metadata that holds them."""
CREDENTIALS = ("password", "access_key_id", "secret_access_key", "metadata_url")
"""The settings that are credentials."""
COLLECTORS = {
    "POLL_SERVER_CFN": "cfn",
    "POLL_SERVER_HEAT": "heat",
    "POLL_TEMP_URL": "request",
    "ZAQAR_MESSAGE": "zaqar",
}


def is_connected(metadata: JsonMapping, transport: str) -> bool:
    return COLLECTORS[transport] in _given(metadata)


async def connect(ctx: Context, transport: str, swift: JsonMapping | None = None) -> None:
    """Adds the settings for a transport to the metadata. Those of other transports are emptied, since agents merge
    settings."""
    collector = COLLECTORS[transport]
    before = _given(ctx.metadata)
    others = {name: None for name in COLLECTORS.values() if name in before and name != collector}
    settings = {
        **({} if ctx.polling_interval is None else {"polling_interval": ctx.polling_interval}),
        **before,
        **others,
        collector: await _settings(ctx, transport, swift or {}),
        "collectors": ["ec2", collector, "local"],
    }
    ctx.set_metadata({"deployments": [], **ctx.metadata, SETTINGS: settings})
    await ctx.publish_metadata()


def _given(metadata: JsonMapping) -> JsonObject:
    """The settings so far. A template may have some of its own."""
    found = metadata.get(SETTINGS)
    return found if isinstance(found, dict) else {}


async def _settings(ctx: Context, transport: str, swift: JsonMapping) -> JsonObject:
    if transport == "POLL_SERVER_CFN":
        access, secret = await ctx.access_keys()
        return {
            "metadata_url": f"{ctx.cfn_url()}/",
            "access_key_id": access,
            "secret_access_key": secret,
            "stack_name": ctx.stack_name,
            "path": f"{ctx.name}.Metadata",
        }
    if transport == "POLL_TEMP_URL":
        return {"metadata_url": await ctx.metadata_url(swift.get("container"), swift.get("object"))}
    user = await ctx.user_credentials()
    settings = {name: user[name] for name in ("user_id", "password", "auth_url", "project_id", "region_name")}
    if transport == "ZAQAR_MESSAGE":
        return {**settings, "queue_id": await ctx.queue()}
    return {**settings, "stack_id": f"{ctx.stack_name}/{ctx.stack_id}", "resource_name": ctx.name}
