"""A resource to work on, without an engine: all that a type does to it can be looked at afterwards."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fake_cloud import FakeCloud

from calor.language.schema import ResourceType
from calor.types.behaviour import Context, NothingToDo, RemoteStacks


def filled_in(kind: type[ResourceType], **given: Any) -> dict[str, Any]:
    """Properties as the engine passes them: all that are declared, with their defaults."""
    unknown = set(given) - set(kind.properties)
    assert not unknown, f"{kind.type_name} has no {unknown}"
    return {name: prop.default for name, prop in kind.properties.items()} | given


def run(outcome: Any) -> Any:
    """What a plain or async piece of work comes to."""

    async def awaited() -> Any:
        return await outcome

    return asyncio.run(awaited()) if inspect.isawaitable(outcome) else outcome


@dataclass
class FakeMember:
    name: str
    status: str = "COMPLETE"
    created_at: float = 0.0
    physical_id: str | None = None
    action: str = "CREATE"
    reference: Any = None
    replaced_by: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


class FakeStackBelow:
    def __init__(self, *members: FakeMember, outputs: Mapping[str, Any] | None = None) -> None:
        self.current = {member.name: member for member in members}
        self._outputs = outputs or {}

    @property
    def states(self) -> FakeStackBelow:
        return self

    def reference(self, name: str) -> Any:
        return self.current[name].physical_id

    def read(self, resource: str, attribute: str, path: Sequence[Any] = ()) -> Any:
        value: Any = self.current[resource].attributes.get(attribute)
        for step in path:
            value = value[step]
        return value

    def outputs(self) -> Mapping[str, Any]:
        return self._outputs


@dataclass
class FakeContext:
    """Time passes only when somebody waits; `meanwhile` is called when that happens for a signal."""

    type: type[ResourceType] = ResourceType
    properties: dict[str, Any] = field(default_factory=dict)
    name: str = "thing"
    action: str = "CREATE"
    status: str = "IN_PROGRESS"
    physical_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    update_policy: dict[str, Any] = field(default_factory=dict)
    members: Sequence[FakeMember] = ()
    below: dict[str, Any] = field(default_factory=dict)
    child: FakeStackBelow | None = None
    timeout: float | None = None
    peers: dict[Any, FakeContext] = field(default_factory=dict)
    configs: dict[str, dict[str, Any]] = field(default_factory=dict)
    deployments: dict[str, dict[str, Any]] = field(default_factory=dict)
    servers: dict[str, dict[str, Any]] = field(default_factory=dict)
    remote: Any = None
    busy: bool = False
    meanwhile: Callable[[], Any] | None = None
    arriving: list[dict[str, Any]] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    calls: list[Any] = field(default_factory=list)
    reference: Any = None
    clock: float = 1_000_000.0
    made_below: dict[str, Any] | None = None
    read: frozenset[str] = frozenset()
    """The attributes that the template reads."""
    services: FakeCloud = field(default_factory=FakeCloud)
    """The cloud that the type works with."""
    intended: dict[str, Any] | None = None
    """What was noted when it was last made sure that it is written down."""
    elsewhere: frozenset[str] = frozenset()
    """What belongs to other resources."""

    id = "0b7e2cd6-9f9c-4a35-9e1b-000000000000"
    stack_name = "web"
    stack_id = "5a1f0d8e-0000-4000-8000-000000000000"
    project = "p1"

    def reads(self, attribute: str) -> bool:
        return attribute in self.read

    def physical_name(self, limit: int = 255) -> str:
        return f"{self.stack_name}-{self.name}-abcdefghijkl"

    def made(self, physical_id: str) -> None:
        self.physical_id = physical_id

    def refer_to(self, value: Any) -> None:
        self.reference = value

    def note(self, **data: Any) -> None:
        self.data = {**self.data, **data}

    async def intend(self) -> None:
        self.intended = dict(self.data)

    def set_metadata(self, metadata: dict[str, Any]) -> None:
        self.metadata = metadata

    async def fresh_metadata(self) -> dict[str, Any]:
        return self.metadata

    def peer(self, reference: Any) -> FakeContext | None:
        return self.peers.get(reference)

    async def update_peer(self, name: str, properties: Mapping[str, Any]) -> None:
        self.calls.append(("update_peer", name, dict(properties)))

    async def recreate(self, name: str) -> None:
        self.calls.append(("recreate", name))

    async def change_below(self, assemble: Callable[[Context], dict[str, Any]]) -> None:
        if self.busy:
            raise NothingToDo("busy")
        self.made_below = assemble(self)
        self.child = FakeStackBelow(
            *(FakeMember(name, physical_id=f"id-{name}") for name in self.made_below["resources"])
        )

    def now(self) -> float:
        return self.clock

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock += seconds
        if len(self.slept) > 1000:
            raise TimeoutError("nobody waits that long")

    async def await_signal(self, seconds: float) -> None:
        await self.sleep(seconds)
        if self.meanwhile is not None:
            outcome = self.meanwhile()
            if inspect.isawaitable(outcome):
                await outcome

    async def in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        return work(*args)

    async def cloud(self, region: str | None = None) -> FakeCloud:
        return self.services

    async def taken(self, physical_ids: Sequence[str]) -> frozenset[str]:
        return self.elsewhere.intersection(physical_ids)

    @property
    def began_at(self) -> float:
        return self.clock

    async def server(self, id: str) -> dict[str, Any] | None:
        return self.servers.get(id)

    async def remote_stacks(self, place: Mapping[str, Any]) -> RemoteStacks:
        self.calls.append(("remote_stacks", dict(place)))
        remote: RemoteStacks = self.remote
        return remote

    def files(self) -> Mapping[str, str]:
        return {"a.yaml": "text"}

    def environment(self) -> Mapping[str, Any]:
        return {"resource_registry": {}}

    # Signals.

    async def make_user(self, password: str | None = None) -> str:
        self.calls.append("make_user" if password is None else ("make_user", password))
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

    async def user_credentials(self) -> dict[str, Any]:
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

    async def collect_signals(self) -> list[dict[str, Any]]:
        arrived, self.arriving = self.arriving, []
        return arrived

    # Configurations and deployments.

    def store_config(self, fields: Mapping[str, Any]) -> str:
        id = f"config-{len(self.configs) + 1}"
        self.configs[id] = {"id": id, **fields}
        return id

    async def config(self, id: str) -> dict[str, Any] | None:
        return self.configs.get(id)

    def delete_config(self, id: str) -> None:
        self.configs[id] = {}
        self.calls.append(("delete_config", id))

    async def create_deployment(self, fields: Mapping[str, Any]) -> None:
        self.deployments["deployment-1"] = dict(fields)
        self.made("deployment-1")

    async def update_deployment(self, id: str, fields: Mapping[str, Any]) -> None:
        self.deployments[id].update(fields)

    async def deployment(self, id: str) -> dict[str, Any] | None:
        deployment = self.deployments.get(id)
        return None if deployment is None else dict(deployment)

    async def delete_deployment(self, id: str) -> None:
        self.deployments.pop(id, None)
