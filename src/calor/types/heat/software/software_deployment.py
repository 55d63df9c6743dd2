from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from calor.language.schema import SHOW, Attribute, Peer, Peers, Problem, supported
from calor.language.values import bare, has_unknown
from calor.resources.context import AdoptContext, AttributeContext, Context, LookupContext
from calor.resources.contract import ResourceType
from calor.resources.outcomes import NeedsReplacement, ResourceFailed
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.heat.signals.wait_base import LONGEST_SLEEP, POLLED_EVERY
from calor.types.heat.software.config_base import UNGROUPED
from calor.types.heat.software.deployment_base import NAME, ONE_SERVER, SIGNAL_TRANSPORT
from calor.types.heat.software.derived_config import derived_inputs, outcome, replaces, runs_on

COLLECTED = ("TEMP_URL_SIGNAL", "ZAQAR_SIGNAL")
"""Transports whose signals have to be fetched."""
HANDED_OVER = "_handed_over"
"""Where a deployment notes what it gave the server last: when, for which action, the configuration of the template and
that of the server."""
NOT_FETCHED = (
    "The server has not fetched the deployment yet: check that an agent such as os-collect-config runs on it and "
    "reaches the orchestration service"
)


class SoftwareDeployment(ResourceType):
    """Applies a software configuration to a server and waits for the result.

    The server needs an agent, such as os-collect-config, that fetches the configuration and reports back. The
    outputs which the configuration declares can be read as attributes afterwards. The deployment fails when
    the reported exit code is not 0.
    """

    type_name = "OS::Heat::SoftwareDeployment"
    support = supported("2014.1")
    adopted_data = ("outputs",)
    stored_in_database: ClassVar[bool] = True
    service = "heat"
    open_attributes = True
    # Suspending and deleting, too, may be something that the server does and reports.
    no_signal_actions = ()
    properties = {
        **ONE_SERVER,
        "name": NAME,
        "signal_transport": SIGNAL_TRANSPORT,
    }
    new_reference = True
    may_need_replacement = True
    """An input may be declared to replace the deployment when it changes; inputs are declared in the configuration."""
    attributes = {
        "deploy_stdout": Attribute(str, "What the configuration wrote to standard output on the server."),
        "deploy_stderr": Attribute(str, "What the configuration wrote to standard error on the server."),
        "deploy_status_code": Attribute(str, "The exit code that the server reported; 0 is success."),
        "show": SHOW,
    }

    @classmethod
    def peer_problems(cls, me: Peer, peers: Peers) -> Iterator[Problem]:
        """A server of the same template has to be prepared for software deployments."""
        server = peers.named(me.value("server"))
        if server is None or server.type_name not in ("OS::Nova::Server", "OS::Heat::DeployedServer"):
            return
        if server.type_name == "OS::Nova::Server" and server.value("user_data_format") != "SOFTWARE_CONFIG":
            message = f"its server `{server.name}` needs user_data_format: SOFTWARE_CONFIG"
            yield Problem("StackValidationFailed", message, ("server",))

    @classmethod
    def never_replaced(cls, props: Properties, peers: Callable[[object], JsonMapping | None]) -> bool:
        """Whether no changed input replaces the deployment, as far as known."""
        config = peers(props["config"]) if props["config"] else {}
        inputs = config.get("inputs") if config is not None else None
        if config is None or has_unknown(inputs):
            return False
        return not any(each.get("replace_on_change") for each in bare(inputs) or ())

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await cls._apply(ctx, props, "CREATE")

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        await cls._apply(ctx, props, "UPDATE")

    @classmethod
    async def suspend(cls, ctx: Context) -> None:
        await cls._apply(ctx, ctx.properties, "SUSPEND")

    @classmethod
    async def resume(cls, ctx: Context) -> None:
        await cls._apply(ctx, ctx.properties, "RESUME")

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None:
            if await _begins_after_creation(ctx):
                await cls._take_back(ctx)
        elif await ctx.deployment(ctx.physical_id) is not None:
            await cls._take_back(ctx)
        await ctx.remove_signalling()

    @classmethod
    async def exists(cls, ctx: LookupContext) -> bool:
        return await ctx.deployment(str(ctx.physical_id)) is not None

    @classmethod
    async def is_adoptable(cls, ctx: AdoptContext) -> bool:
        """One deployment has one owner."""
        return await cls.exists(ctx) and not await ctx.claimed([str(ctx.physical_id)])

    @classmethod
    async def signal(cls, ctx: Context, details: object) -> str | None:
        """A report counts as long as one is waited for."""
        id = ctx.physical_id
        deployment = await ctx.deployment(id) if id is not None else None
        if id is None or deployment is None or deployment["status"] != "IN_PROGRESS":
            return None
        details = details or {}
        if not isinstance(details, dict):
            raise ResourceFailed("a report is a map of outputs", "ValueError")
        config = await ctx.config(deployment["config"]) or {}
        found = outcome(config, deployment.get("output_values") or {}, details)
        await ctx.update_deployment(id, found.fields)
        return f"deployment {id} {'failed' if found.failed else 'succeeded'}"

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        return ctx.data.get("outputs", {}).get(name)

    @classmethod
    def _config_for(cls, props: Properties, source: JsonMapping, inputs: JsonMapping) -> object:
        """The configuration itself, as the server gets it."""
        return source.get("config") or ""

    @classmethod
    async def _apply(cls, ctx: Context, props: Properties, action: str) -> None:
        before = await ctx.deployment(ctx.physical_id) if ctx.physical_id is not None else None
        if before is not None and _has_been_handed_over(ctx, props, action, before):
            # By an engine that is gone. A new configuration would run again on the server.
            await cls._await_report(ctx, props, action)
            return
        source = await _source(ctx, props["config"])
        if not runs_on(source, props["actions"] or (), action):
            return
        about = {
            "deploy_server_id": props["server"],
            "deploy_action": action,
            "deploy_stack_id": f"{ctx.stack_name}/{ctx.stack_id}",
            "deploy_resource_name": ctx.name,
            "deploy_signal_transport": props["signal_transport"],
            **await _reporting(ctx, props["signal_transport"]),
        }
        inputs = derived_inputs(source, props["input_values"] or {}, about)
        if action == "UPDATE" and before is not None:
            old = await ctx.config(before["config"]) or {}
            if replaces(inputs, old.get("inputs") or []):
                raise NeedsReplacement
        values = {each["name"]: each["value"] for each in inputs}
        derived = {
            "name": props["name"] or source.get("name") or ctx.physical_name(),
            "group": source.get("group") or UNGROUPED,
            "config": cls._config_for(props, source, values),
            "options": source.get("options"),
            "inputs": inputs,
            "outputs": source.get("outputs") or [],
        }
        await cls._deploy(ctx, props, action, ctx.store_config(derived), before)

    @classmethod
    async def _deploy(
        cls,
        ctx: Context,
        props: Properties,
        action: str,
        config: str,
        before: Properties | None,
    ) -> None:
        """Hands a configuration to the server and waits for the report, unless there will be none."""
        # First: an engine that takes over has to know what the server may have.
        ctx.set_data(**{HANDED_OVER: [ctx.occasion, action, props["config"], config]})
        waits = props["signal_transport"] != "NO_SIGNAL"
        fields = {
            "config": config,
            "action": action,
            "input_values": props["input_values"],
            "status": "IN_PROGRESS" if waits else "COMPLETE",
            "status_reason": "waiting for the server" if waits else "the server will not report",
        }
        if ctx.physical_id is None or before is None:
            await ctx.create_deployment({"server": props["server"], **fields})
        else:
            await ctx.update_deployment(ctx.physical_id, fields)
            ctx.delete_config(before["config"])
        await cls._await_report(ctx, props, action)

    @classmethod
    async def _await_report(cls, ctx: Context, props: Properties, action: str) -> None:
        """Returns at once if there will be none."""
        assert ctx.physical_id is not None
        if props["signal_transport"] == "NO_SIGNAL":
            return
        collects = props["signal_transport"] in COLLECTED
        can_tell = _is_polled_from_api(ctx, props["server"])
        asked_at = ctx.now()
        while True:
            if collects:
                for details in await ctx.collect_signals():
                    await cls.signal(ctx, details)
            deployment = await ctx.deployment(ctx.physical_id)
            if deployment is None:
                raise ResourceFailed("the deployment was deleted meanwhile", "NotFound")
            if deployment["status"] != "IN_PROGRESS":
                break
            if action == "DELETE" and await ctx.server(props["server"]) is None:
                return
            can_tell = can_tell and not deployment["fetched"]
            if can_tell and ctx.now() >= asked_at + LONGEST_SLEEP:
                ctx.add_event(NOT_FETCHED)
                can_tell = False
            await ctx.wait_for_signal(POLLED_EVERY if collects else LONGEST_SLEEP)
        ctx.set_data(outputs=deployment.get("output_values") or {})
        if deployment["status"] == "FAILED":
            raise ResourceFailed(f"the server reports a failure: {deployment['status_reason']}", "Error")

    @classmethod
    async def _take_back(cls, ctx: Context) -> None:
        """Lets the server undo what was applied, if the configuration is for that, and deletes the deployment."""
        if await ctx.server(ctx.properties["server"]) is not None:
            await cls._apply(ctx, ctx.properties, "DELETE")
        deployment = await ctx.deployment(ctx.physical_id) if ctx.physical_id is not None else None
        if ctx.physical_id is not None and deployment is not None:
            await ctx.delete_deployment(ctx.physical_id)
            ctx.delete_config(deployment["config"])


async def _begins_after_creation(ctx: Context) -> bool:
    """Whether the creation applies nothing, so that there may be no deployment before the deletion."""
    props = ctx.properties
    config = await ctx.config(props["config"]) if props["config"] else {}
    return config is not None and not runs_on(config, props["actions"] or (), "CREATE")


def _has_been_handed_over(ctx: Context, props: Properties, action: str, before: JsonMapping) -> bool:
    """Whether the server has been given a deployment with these inputs by the same action on the stack."""
    given = ctx.data.get(HANDED_OVER) == [ctx.occasion, action, props["config"], before["config"]]
    return given and before["input_values"] == props["input_values"]


def _is_polled_from_api(ctx: Context, server: object) -> bool:
    """Whether the API notices that the server fetches its deployments."""
    peer = ctx.peer(server)
    if peer is None:
        return False
    return peer.properties.get("software_config_transport") not in ("POLL_TEMP_URL", "ZAQAR_MESSAGE")


async def _source(ctx: Context, id: str | None) -> JsonObject:
    if not id:
        return {}
    config = await ctx.config(id)
    if config is None:
        raise ResourceFailed(f"there is no software configuration {id}", "NotFound")
    return config


async def _reporting(ctx: Context, transport: str) -> JsonObject:
    """The inputs with which a server reports its result."""
    match transport:
        case "CFN_SIGNAL":
            return {"deploy_signal_id": await ctx.signed_url(), "deploy_signal_verb": "POST"}
        case "TEMP_URL_SIGNAL":
            return {"deploy_signal_id": await ctx.temporary_url(many=False), "deploy_signal_verb": "PUT"}
        case "HEAT_SIGNAL" | "ZAQAR_SIGNAL":
            names = ("auth_url", "username", "user_id", "password", "project_id", "region_name")
            user = await ctx.user_credentials()
            inputs = {f"deploy_{name}": user[name] for name in names if user.get(name) is not None}
            return {**inputs, "deploy_queue_id": await ctx.queue()} if transport == "ZAQAR_SIGNAL" else inputs
    return {}
