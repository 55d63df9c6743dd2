"""The implementation of `calor.resources.context.Context`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from calor.clouds.signing import Purpose
from calor.engine.run.cloud_access import CloudAccess
from calor.engine.run.remote import RemoteStacks
from calor.engine.run.run import Run
from calor.engine.run.users import ResourceUsers
from calor.engine.view import server_metadata, stored_signals
from calor.language.budget import LIMIT, too_large
from calor.language.definition import Definition
from calor.language.values import size_of
from calor.plan.marking import marked_properties
from calor.plan.present import declared_type
from calor.resources.context import NestedStack
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks import software
from calor.stacks.ids import physical_name
from calor.stacks.states import ResourceState
from calor.store import records


class View(Protocol):
    """The stack of a resource, as far as its context needs it."""

    @property
    def run(self) -> Run: ...
    @property
    def stack(self) -> records.Stack: ...
    @property
    def definition(self) -> Definition | None: ...

    def by_reference(self, reference: object) -> ResourceState | None: ...

    def reads(self, name: str, attribute: str) -> bool: ...

    def update_policy(self, name: str) -> JsonMapping: ...

    async def change_nested(
        self, state: ResourceState, signal: str, assemble: Callable[[Context], JsonObject]
    ) -> NestedStack: ...

    async def update_peer(self, reference: str, values: JsonMapping) -> None: ...

    async def recreate(self, reference: str) -> None: ...


class Context:
    """See `calor.resources.context.Context`."""

    __slots__ = ("_run", "_signal", "_state", "_view", "members", "nested", "nested_definitions")

    def __init__(
        self,
        view: View,
        state: ResourceState,
        members: Sequence[ResourceState] = (),
        nested: NestedStack | None = None,
        nested_definitions: JsonMapping | None = None,
        signal: str | None = None,
    ) -> None:
        self._view = view
        self._run = view.run
        self._state = state
        self.members = members
        """The resources of the nested stack, before it changes."""
        self.nested = nested
        """The nested stack in its current state."""
        self._signal = signal
        self.nested_definitions = nested_definitions or {}
        """The definitions of the resources in the nested stack's current template."""

    @property
    def stack_name(self) -> str:
        return self._view.stack.name

    @property
    def stack_id(self) -> str:
        return self._view.stack.id

    @property
    def project(self) -> str:
        return self._view.stack.project

    @property
    def name(self) -> str:
        return self._state.name

    @property
    def id(self) -> str:
        return self._state.id

    @property
    def type(self) -> type[ResourceType] | None:
        return declared_type(self._state, self._run.world.declaration)

    @property
    def action(self) -> str:
        return self._state.action

    @property
    def status(self) -> str:
        return self._state.status

    @property
    def timeout(self) -> float | None:
        return self._run.timeout(self._view.stack)

    @property
    def update_policy(self) -> JsonMapping:
        return self._view.update_policy(self.name)

    def now(self) -> float:
        return self._run.now()

    @property
    def physical_id(self) -> str | None:
        return self._state.physical_id

    @property
    def properties(self) -> JsonObject:
        """The properties as they were when the last step on the resource succeeded."""
        return self._state.properties

    @property
    def marked_properties(self) -> JsonObject:
        return marked_properties(self._state)

    @property
    def metadata(self) -> JsonObject:
        return self._state.metadata

    @property
    def data(self) -> JsonObject:
        """Data that the type has stored. Change it with `set_data`."""
        return self._state.data

    def reads(self, attribute: str) -> bool:
        return self._view.reads(self.name, attribute)

    def physical_name(self, limit: int = 255) -> str:
        return physical_name(self.stack_name, self.name, self.id, limit)

    def set_physical_id(self, physical_id: str) -> None:
        """Stores the id of a created object. Call it before anything else can fail."""
        self._state.physical_id = physical_id
        self._run.owner.register_object(self._state)
        self._run.journal.resource(self._state)

    def set_reference(self, value: object) -> None:
        """Sets what get_resource returns, if not the physical id."""
        self._state.reference = value
        self._run.journal.resource(self._state)

    def set_data(self, **data: object) -> None:
        self._state.data = {**self._state.data, **data}
        self._run.journal.resource(self._state)

    def set_metadata(self, metadata: JsonObject) -> None:
        """Raises ResourceFailed if the metadata is too large."""
        most = self._run.world.sizes.value
        if size_of(metadata, most) > most:
            raise ResourceFailed(too_large("metadata", most), LIMIT)
        self._state.metadata = metadata
        self._run.journal.resource(self._state)

    def add_event(self, reason: str) -> None:
        state = self._state
        self._run.journal.event(self._view.stack, state, (state.action, state.status), reason)
        self._run.journal.send()

    async def wait_for_signal(self, seconds: float) -> None:
        await self._run.control.await_signal(seconds)

    async def read_metadata(self) -> JsonObject:
        """The run of a stack also handles its signals, so its state is current."""
        return self._state.metadata

    def peer(self, reference: object) -> Context | None:
        found = self._view.by_reference(reference)
        return Context(self._view, found, signal=self._signal) if found is not None else None

    async def update_nested(self, assemble: Callable[[Context], JsonObject]) -> None:
        if self._signal is None:
            raise ResourceFailed("the nested stack can only be changed by a signal", "NotSupported")
        self.nested = await self._view.change_nested(self._state, self._signal, assemble)

    async def update_peer(self, name: str, properties: JsonMapping) -> None:
        await self._view.update_peer(name, properties)

    async def recreate(self, name: str) -> None:
        await self._view.recreate(name)

    async def sleep(self, seconds: float) -> None:
        """Waits; raises early when the run is stopped."""
        await self._run.control.pause(seconds)

    async def flush(self) -> None:
        """Waits until all changes are stored, so that they survive a crash."""
        await self._run.journal.flush()

    async def in_thread(self, work: Any, *args: Any) -> Any:
        return await self._run.control.in_thread(work, *args)

    # Software configs and deployments.

    def store_config(self, fields: JsonMapping) -> str:
        return self._run.software.store_config(self.project, fields)

    async def config(self, id: str) -> JsonObject | None:
        return await self._run.software.config(self.project, id)

    def delete_config(self, id: str) -> None:
        self._run.software.delete_config(self.project, id)

    async def create_deployment(self, fields: JsonMapping) -> None:
        await self._run.software.create_deployment(self.project, fields, self.set_physical_id)

    async def update_deployment(self, id: str, fields: JsonMapping) -> None:
        await self._run.software.update_deployment(self.project, id, fields)

    async def deployment(self, id: str) -> JsonObject | None:
        return await self._run.software.deployment(self.project, id)

    async def delete_deployment(self, id: str) -> None:
        await self._run.software.delete_deployment(self.project, id)

    # Signals from outside.

    @property
    def arn(self) -> str:
        return f"{self._view.stack.arn}/resources/{self.name}"

    @property
    def _users(self) -> ResourceUsers:
        users = self._run.users
        if users is None:
            raise ResourceFailed("users for resources are not configured", "NotSupported")
        return users

    async def create_user(self, password: str | None = None) -> str:
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
        return self._users.signal_url(self, self._run.stack.user_project or self.project)

    def cfn_url(self) -> str:
        return self._users.addresses.cfn

    @property
    def polling_interval(self) -> int | None:
        return self._users.polling_interval

    async def user_token(self) -> str:
        return await self._users.token(self)

    async def user_credentials(self) -> JsonObject:
        return await self._users.credentials(self)

    async def enable_user(self, enabled: bool) -> None:
        if self._run.users is not None:
            await self._run.users.enable(self, enabled)

    async def remove_signalling(self) -> None:
        await stored_signals.remove(self)
        await server_metadata.remove(self)
        if self._run.users is not None:
            await self._run.users.remove(self)

    async def temporary_url(self, *, many: bool) -> str:
        return await stored_signals.url_for_signals(self, many=many)

    async def metadata_url(self, container: str | None = None, object: str | None = None) -> str:
        return await server_metadata.prepare_url(self, container, object)

    async def publish_metadata(self) -> None:
        where = self.data.get(software.METADATA_LOCATION)
        if where is not None:
            cloud = await self.cloud()
            known = await self._run.software.deployed(self.physical_id or "")
            document = {**self.metadata, software.DEPLOYMENTS: known}
            await cloud.send("object", "PUT", *where, body=document)

    async def queue(self) -> str:
        raise ResourceFailed("Zaqar signal queues are not supported", "NotSupported")

    async def collect_signals(self) -> list[JsonObject]:
        return await stored_signals.collect(self, self._run.world.sizes.value)

    async def remote_stacks(self, place: JsonMapping) -> RemoteStacks:
        return await self._run.owner.remote_stacks(place)

    def files(self) -> Mapping[str, str]:
        definition = self._view.definition
        return definition.library.files if definition is not None else {}

    def environment(self) -> JsonMapping:
        definition = self._view.definition
        if definition is None:
            return {}
        shown = definition.environment.shown()
        return {name: section for name, section in shown.items() if name != "parameters"}

    async def cloud(self, region: str | None = None) -> CloudAccess:
        return (await self._run.owner.cloud(region)).for_resource(self._state)

    async def owns_stack(self, id: str) -> bool:
        return await self._run.rows.owns_stack(id)

    async def claimed(self, physical_ids: Sequence[str]) -> frozenset[str]:
        return await self._run.owner.ids_in_use(physical_ids, but=self.id)

    @property
    def occasion(self) -> str:
        return self._run.occasion

    @property
    def started_at(self) -> float:
        return self._state.updated_at or self._state.created_at

    async def server(self, id: str) -> JsonObject | None:
        """A server as Nova shows it; None if it does not exist, or without the owner's credentials."""
        if self._run.owner.vault is None:
            return None
        cloud = await self.cloud()
        return await cloud.show("compute", "servers", id) if await cloud.has("compute") else None
