"""A context for hooks without an engine, which records what a type does to a resource."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import NothingToDo
from calor.resources.services import RemoteStacks
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.testing.cloud import FakeCloud

T = TypeVar("T")
Type = type[ResourceType]
MAX_WAITS = 1000
"""How often a type may sleep before the test fails."""


class EngineKilled(BaseException):
    """Simulates that the engine is killed during a hook."""


@overload
def run(outcome: Awaitable[T]) -> T: ...
@overload
def run(outcome: T) -> T: ...
def run(outcome: Awaitable[T] | T) -> T:
    """The result of a hook, plain or async."""
    return asyncio.run(_awaited(outcome)) if isinstance(outcome, Awaitable) else outcome


async def _awaited(outcome: Awaitable[T]) -> T:
    return await outcome


@dataclass
class FakeMember:
    """A member of a group, as a resource of its nested stack."""

    name: str
    status: str = "COMPLETE"
    created_at: float = 0.0
    physical_id: str | None = None
    action: str = "CREATE"
    reference: object = None
    replaced_by: str | None = None
    attributes: JsonObject = field(default_factory=dict)


class FakeNestedStack:
    """The nested stack of a resource. A member's reference is its physical id."""

    def __init__(self, *members: FakeMember, outputs: JsonMapping | None = None) -> None:
        self.current = {member.name: member for member in members}
        self._outputs = outputs or {}

    def reference(self, name: str) -> object:
        return self.current[name].physical_id

    def read(self, resource: str, attribute: str, path: Sequence[Any] = ()) -> Any:
        value: Any = self.current[resource].attributes.get(attribute)
        for step in path:
            value = value[step]
        return value

    def outputs(self) -> JsonMapping:
        return self._outputs


@dataclass
class FakeContext:
    """A resource to run hooks on, with its surroundings. What types store is in the fields; the calls to others are in
    `calls`. Time passes only while a type waits."""

    type: Type = ResourceType
    properties: JsonObject = field(default_factory=dict)
    name: str = "thing"
    action: str = "CREATE"
    status: str = "IN_PROGRESS"
    physical_id: str | None = None
    metadata: JsonObject = field(default_factory=dict)
    data: JsonObject = field(default_factory=dict)
    update_policy: JsonObject = field(default_factory=dict)
    members: Sequence[FakeMember] = ()
    nested_definitions: JsonObject = field(default_factory=dict)
    nested: FakeNestedStack | None = None
    timeout: float | None = None
    services: FakeCloud = field(default_factory=FakeCloud)
    """The cloud."""
    peers: dict[object, FakeContext] = field(default_factory=dict)
    """The other resources of the stack, by name or reference."""
    configs: dict[str, JsonObject] = field(default_factory=dict)
    deployments: dict[str, JsonObject] = field(default_factory=dict)
    servers: dict[str, JsonObject] = field(default_factory=dict)
    stacks: frozenset[str] = frozenset()
    """The ids of the project's stacks."""
    template_files: dict[str, str] = field(default_factory=dict)
    """The files of the stack's template."""
    remote: RemoteStacks | None = None
    """The orchestration API of another region."""
    polling_interval: int | None = None
    claimed_ids: frozenset[str] = frozenset()
    """The physical ids of other resources."""
    attributes_read: frozenset[str] = frozenset()
    """The attributes that the template reads."""
    incoming: list[JsonObject] = field(default_factory=list)
    """The signals waiting at the temporary URL or in the queue."""
    on_wait: Callable[[], object] | None = None
    """Called, and awaited, each time the type has waited for a signal."""
    busy: bool = False
    """Whether an action on the nested stack is in progress, so that signals cannot change it."""
    clock: float = 1_000_000.0
    started_at: float = 1_000_000.0
    occasion: str = "1 CREATE"
    """Identifies the action on the stack."""
    real_time: bool = False
    """Whether `sleep` really waits, for types whose objects are processes, for instance."""
    kill_when_created: bool = False
    """Whether the engine is killed when the type stores the id of the object that it has created."""
    calls: list[object] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    reference: object = None
    """The value of get_resource, if it is not the physical id."""
    stored_data: JsonObject | None = None
    """The data when `flush` was last called."""
    nested_template: JsonObject | None = None
    """The nested template set by `update_nested`."""
    id: str = "0b7e2cd6-9f9c-4a35-9e1b-000000000000"
    stack_name: str = "web"
    stack_id: str = "5a1f0d8e-0000-4000-8000-000000000000"
    project: str = "p1"

    @property
    def marked_properties(self) -> JsonObject:
        return self.properties

    def reads(self, attribute: str) -> bool:
        return attribute in self.attributes_read

    def physical_name(self, limit: int = 255) -> str:
        return f"{self.stack_name}-{self.name}-{self.id[-12:]}"[-limit:]

    def set_physical_id(self, physical_id: str) -> None:
        self.physical_id = physical_id
        if self.kill_when_created:
            raise EngineKilled

    def set_reference(self, value: object) -> None:
        self.reference = value

    def set_data(self, **data: Any) -> None:
        self.data = {**self.data, **data}

    async def flush(self) -> None:
        self.stored_data = dict(self.data)

    def set_metadata(self, metadata: JsonObject) -> None:
        self.metadata = metadata

    def add_event(self, reason: str) -> None:
        self.calls.append(("add_event", reason))

    async def read_metadata(self) -> JsonObject:
        return self.metadata

    def peer(self, reference: object) -> FakeContext | None:
        return self.peers.get(reference)

    async def update_peer(self, name: str, properties: Properties) -> None:
        self.calls.append(("update_peer", name, dict(properties)))

    async def recreate(self, name: str) -> None:
        self.calls.append(("recreate", name))

    async def update_nested(self, assemble: Callable[[Context], JsonObject]) -> None:
        if self.busy:
            raise NothingToDo("busy")
        self.nested_template = assemble(self)
        self.nested = FakeNestedStack(
            *(FakeMember(name, physical_id=f"id-{name}") for name in self.nested_template["resources"])
        )

    def now(self) -> float:
        return self.clock

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock += seconds
        if len(self.slept) > MAX_WAITS:
            raise AssertionError(f"the type still waits after {MAX_WAITS} attempts")
        if self.real_time:
            await asyncio.sleep(seconds)

    async def wait_for_signal(self, seconds: float) -> None:
        await self.sleep(seconds)
        if self.on_wait is not None:
            outcome = self.on_wait()
            if inspect.isawaitable(outcome):
                await outcome

    async def in_thread(self, work: Callable[..., object], *args: object) -> object:
        return work(*args)

    async def cloud(self, region: str | None = None) -> FakeCloud:
        return self.services

    async def claimed(self, physical_ids: Sequence[str]) -> frozenset[str]:
        return self.claimed_ids.intersection(physical_ids)

    async def owns_stack(self, id: str) -> bool:
        return id in self.stacks

    async def server(self, id: str) -> JsonObject | None:
        return self.servers.get(id)

    async def remote_stacks(self, place: JsonMapping) -> RemoteStacks:
        self.calls.append(("remote_stacks", dict(place)))
        assert self.remote is not None, "the test sets no `remote`"
        return self.remote

    def files(self) -> Mapping[str, str]:
        return self.template_files

    def environment(self) -> JsonMapping:
        return {"resource_registry": {}}

    # Signals.

    async def create_user(self, password: str | None = None) -> str:
        self.calls.append("create_user" if password is None else ("create_user", password))
        return "user-1"

    async def access_keys(self) -> tuple[str, str]:
        return f"access-of-{self.name}", f"secret-of-{self.name}"

    async def enable_user(self, enabled: bool) -> None:
        self.calls.append(("enable_user", enabled))

    async def remove_signalling(self) -> None:
        self.calls.append("remove_signalling")

    async def signed_url(self, purpose: str = "signal") -> str:
        return f"https://cfn/{purpose}?Signature=s"

    def signal_url(self) -> str:
        return "https://heat/p1/signal"

    def user_signal_url(self) -> str:
        return "https://heat/users/signal"

    def cfn_url(self) -> str:
        return "http://cfn:8000/v1"

    async def metadata_url(self, container: str | None = None, object: str | None = None) -> str:
        return f"https://swift/{container or 'made-up'}/{object or 'made-up'}"

    async def publish_metadata(self) -> None:
        self.calls.append("publish_metadata")

    async def user_token(self) -> str:
        return "token-1"

    async def user_credentials(self) -> JsonObject:
        return {
            "auth_url": "https://keystone",
            "username": "u",
            "user_id": "user-1",
            "password": "secret",
            "project_id": "users",
            "domain_id": "d",
            "region_name": None,
        }

    async def temporary_url(self, *, many: bool) -> str:
        return f"https://swift/{'many' if many else 'one'}"

    async def queue(self) -> str:
        return "queue-1"

    async def collect_signals(self) -> list[JsonObject]:
        arrived, self.incoming = self.incoming, []
        return arrived

    # Configurations and deployments.

    def store_config(self, fields: JsonMapping) -> str:
        id = f"config-{len(self.configs) + 1}"
        self.configs[id] = {"id": id, **fields}
        return id

    async def config(self, id: str) -> JsonObject | None:
        return self.configs.get(id)

    def delete_config(self, id: str) -> None:
        self.configs.pop(id, None)
        self.calls.append(("delete_config", id))

    async def create_deployment(self, fields: JsonMapping) -> None:
        self.deployments["deployment-1"] = dict(fields)
        self.set_physical_id("deployment-1")

    async def update_deployment(self, id: str, fields: JsonMapping) -> None:
        self.deployments[id].update(fields)

    async def deployment(self, id: str) -> JsonObject | None:
        deployment = self.deployments.get(id)
        return None if deployment is None else dict(deployment)

    async def delete_deployment(self, id: str) -> None:
        self.deployments.pop(id, None)
