"""What a resource type can do while it works on a resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from calor.clouds.signing import Purpose
from calor.engine import server_metadata, stored_signals
from calor.engine.cloud_access import CloudAccess
from calor.engine.ids import physical_name
from calor.engine.remote import RemoteStacks
from calor.engine.states import ResourceState
from calor.engine.users import ResourceUsers
from calor.plan.present import declared_type
from calor.types.behaviour import ResourceFailed

if TYPE_CHECKING:
    from calor.engine.acting import ActionWalk
    from calor.engine.applying import StackWalk
    from calor.engine.opened import OpenedStack


class Context:
    """A resource on which a type works. Types change nothing but through this."""

    __slots__ = ("_signal", "_state", "_walk", "below", "child", "members")

    def __init__(
        self,
        walk: OpenedStack | ActionWalk,
        state: ResourceState,
        members: Sequence[ResourceState] = (),
        child: OpenedStack | None = None,
        below: Mapping[str, Any] | None = None,
        signal: str | None = None,
    ) -> None:
        self._walk = walk
        self._state = state
        self.members = members
        """The resources of the stack below, before it changes."""
        self.child = child
        """The stack below, as it has become."""
        self._signal = signal
        self.below = below or {}
        """The definitions of the resources of the stack below, as its present template has them."""

    @property
    def stack_name(self) -> str:
        return self._walk.stack.name

    @property
    def stack_id(self) -> str:
        return self._walk.stack.id

    @property
    def project(self) -> str:
        return self._walk.stack.project

    @property
    def name(self) -> str:
        return self._state.name

    @property
    def id(self) -> str:
        return self._state.id

    @property
    def type(self) -> Any:
        return declared_type(self._state, self._walk.run.world.declaration)

    @property
    def action(self) -> str:
        return self._state.action

    @property
    def status(self) -> str:
        return self._state.status

    @property
    def timeout(self) -> float | None:
        return self._walk.run.timeout(self._walk.stack)

    @property
    def update_policy(self) -> Mapping[str, Any]:
        return self._walk.update_policy(self.name)

    def now(self) -> float:
        return self._walk.run.now()

    @property
    def physical_id(self) -> str | None:
        return self._state.physical_id

    @property
    def properties(self) -> dict[str, Any]:
        """The properties as they were when the last step on the resource succeeded."""
        return self._state.properties

    @property
    def metadata(self) -> dict[str, Any]:
        return self._state.metadata

    @property
    def data(self) -> dict[str, Any]:
        """What the type has noted for itself. Change it through `note`."""
        return self._state.data

    def reads(self, attribute: str) -> bool:
        return self._walk.reads(self.name, attribute)

    def physical_name(self, limit: int = 255) -> str:
        return physical_name(self.stack_name, self.name, self.id, limit)

    def made(self, physical_id: str) -> None:
        """Notes the id of the object that was made, before anything else can go wrong."""
        self._state.physical_id = physical_id
        self._walk.run.note_maker(self._state)
        self._walk.run.check_late(physical_id)
        self._walk.journal.resource(self._state)

    def refer_to(self, value: Any) -> None:
        """Says what get_resource gives, where that is not the physical id."""
        self._state.reference = value
        self._walk.journal.resource(self._state)

    def note(self, **data: Any) -> None:
        self._state.data = {**self._state.data, **data}
        self._walk.journal.resource(self._state)

    def set_metadata(self, metadata: dict[str, Any]) -> None:
        self._state.metadata = metadata
        self._walk.journal.resource(self._state)

    async def await_signal(self, seconds: float) -> None:
        await self._walk.run.await_signal(seconds)

    async def fresh_metadata(self) -> dict[str, Any]:
        """The run that walks a stack also handles its signals, so what it knows is what there is."""
        return self._state.metadata

    def peer(self, reference: Any) -> Context | None:
        found = self._walk.by_reference(reference)
        return self._walk.context(found, signal=self._signal) if found is not None else None

    async def change_below(self, assemble: Callable[[Context], dict[str, Any]]) -> None:
        if self._signal is None:
            raise ResourceFailed("only a signal changes the stack below by itself", "NotSupported")
        walk = cast("StackWalk", self._walk)
        self.child = await walk.run.below.change(walk, self._state, self._signal, assemble)

    async def update_peer(self, name: str, properties: Mapping[str, Any]) -> None:
        walk = cast("StackWalk", self._walk)
        await walk.run.below.define(walk)
        await walk.update_peer(name, properties)

    async def recreate(self, name: str) -> None:
        await self._walk.run.recreate(cast("StackWalk", self._walk), name)

    async def sleep(self, seconds: float) -> None:
        """Waits; ends early, with an error, when the run is told to stop."""
        await self._walk.run.pause(seconds)

    async def intend(self) -> None:
        """Returns when all that was noted is written down, so that whoever takes over after a crash knows it."""
        await self._walk.journal.flush()

    async def in_thread(self, work: Any, *args: Any) -> Any:
        return await self._walk.run.in_thread(work, *args)

    # Software configs and deployments.

    def store_config(self, fields: Mapping[str, Any]) -> str:
        return self._walk.run.configs.store_config(self.project, fields)

    async def config(self, id: str) -> dict[str, Any] | None:
        return await self._walk.run.configs.config(self.project, id)

    def delete_config(self, id: str) -> None:
        self._walk.run.configs.delete_config(self.project, id)

    async def create_deployment(self, fields: Mapping[str, Any]) -> None:
        await self._walk.run.configs.create_deployment(self.project, fields, self.made)

    async def update_deployment(self, id: str, fields: Mapping[str, Any]) -> None:
        await self._walk.run.configs.update_deployment(self.project, id, fields)

    async def deployment(self, id: str) -> dict[str, Any] | None:
        return await self._walk.run.configs.deployment(self.project, id)

    async def delete_deployment(self, id: str) -> None:
        await self._walk.run.configs.delete_deployment(self.project, id)

    # Signals from outside.

    @property
    def arn(self) -> str:
        return f"{self._walk.stack.arn}/resources/{self.name}"

    @property
    def _users(self) -> ResourceUsers:
        users = self._walk.run.users
        if users is None:
            raise ResourceFailed("this server has no users for resources", "NotSupported")
        return users

    async def make_user(self, password: str | None = None) -> str:
        user = await self._users.user(self, password)
        return str(user["user_id"])

    async def access_keys(self) -> tuple[str, str]:
        pair = await self._users.keys(self)
        return pair.access, pair.secret

    async def signed_url(self, purpose: Purpose = "signal") -> str:
        return await self._users.signed_url(self, purpose)

    def signal_url(self) -> str:
        return self._users.signal_url(self, self.project)

    def user_signal_url(self) -> str:
        return self._users.signal_url(self, self._walk.run.stack.user_project or self.project)

    def cfn_url(self) -> str:
        return self._users.addresses.cfn

    async def user_token(self) -> str:
        return await self._users.token(self)

    async def user_credentials(self) -> dict[str, Any]:
        return await self._users.credentials(self)

    async def enable_user(self, enabled: bool) -> None:
        if self._walk.run.users is not None:
            await self._walk.run.users.enable(self, enabled)

    async def remove_signalling(self) -> None:
        await stored_signals.remove(self)
        await server_metadata.remove(self)
        if self._walk.run.users is not None:
            await self._walk.run.users.remove(self)

    async def temporary_url(self, *, many: bool) -> str:
        return await stored_signals.url_for_signals(self, many=many)

    async def metadata_url(self, container: str | None = None, object: str | None = None) -> str:
        return await server_metadata.place(self, container, object)

    async def publish_metadata(self) -> None:
        where = self.data.get(server_metadata.PLACE)
        if where is not None:
            cloud = await self.cloud()
            known = await self._walk.run.configs.deployed(self.physical_id or "")
            document = {**self.metadata, server_metadata.DEPLOYMENTS: known}
            await cloud.send("object", "PUT", *where, body=document)

    async def collect_signals(self) -> list[dict[str, Any]]:
        return await stored_signals.collect(self)

    async def remote_stacks(self, place: Mapping[str, Any]) -> RemoteStacks:
        return await self._walk.run.remote_stacks(place)

    def files(self) -> Mapping[str, str]:
        definition = self._walk.definition
        return definition.library.files if definition is not None else {}

    def environment(self) -> Mapping[str, Any]:
        definition = self._walk.definition
        if definition is None:
            return {}
        shown = definition.environment.shown()
        return {name: section for name, section in shown.items() if name != "parameters"}

    async def cloud(self, region: str | None = None) -> CloudAccess:
        return (await self._walk.run.cloud(region)).for_resource(self._state)

    async def owns_stack(self, id: str) -> bool:
        return await self._walk.run.owns_stack(id)

    async def taken(self, physical_ids: Sequence[str]) -> frozenset[str]:
        return await self._walk.run.taken(physical_ids, but=self.id)

    @property
    def began_at(self) -> float:
        return self._state.updated_at or self._state.created_at

    async def server(self, id: str) -> dict[str, Any] | None:
        """Without anything that lets the engine act for the owner there are no servers."""
        if self._walk.run.vault is None:
            return None
        cloud = await self.cloud()
        return await cloud.show("compute", "servers", id) if await cloud.has("compute") else None

    def __getattr__(self, name: str) -> Any:
        """What a type may ask for, but this server does not offer, fails the resource with a word."""
        raise ResourceFailed(f"this server does not offer `{name}` to resource types", "NotSupported")
