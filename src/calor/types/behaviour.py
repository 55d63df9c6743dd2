"""What the work on resources is made of: what a type is given, and how it says what became of it.

A type's work is classmethods, each either plain, and done when it returns, or async. A type has only those it
needs:

- `create(ctx, props)`, `update(ctx, props, changed)`, `delete(ctx)`, `check(ctx)`, `suspend(ctx)`, `resume(ctx)`.
  An engine may be killed at any time: all but `create` are told again what was interrupted, and what is changed
  or gone already is fine
- `find(ctx)`: async; whether what an interrupted `create` was to make is there, noted by `made` if so. While
  `ctx.action` is CREATE it also does what `create` would have done after that, such as waiting. A type that has
  it is told to create only when that intent is stored, and its objects are made once; one that has not is told
  to create again, with the id that was noted, if any
- `attribute(ctx, name)`: plain and quick, from what is known or noted
- `knows(ctx, attribute)`: whether what an attribute tells was asked for. A type that asks for some only if the template
  reads them is observed when a template comes to read another one
- `observe(ctx)`: async; notes anew what attributes are read from. A type that is `volatile` is observed once more
  when its stack is done, as other resources may have changed it
- `live(ctx)`: async; the properties that can be changed as the service shows them now, as far as it does; None if
  what was made is gone
- `exists(ctx)`: async; whether the id of the resource names something that the stack's owner can see; it changes
  nothing. `is_adoptable(ctx)`: async; whether a stack may take it over, where more than that has to be asked
- `signal(ctx, details)`: gives the reason for the event
- `snapshot(ctx)`: gives a map of what the snapshot is known by; `restored(props, kept)`: plain; the properties that
  lead back to it. `snapshot_parts`: the service and the collection of what is known so, by the key in the map; it
  is deleted with the snapshot
- `make_way(ctx)`: async; gives away what its replacement will need, before that is made; `come_back(ctx)`: async;
  takes it back, where the way leads back

`own_metadata` are members of the metadata that the type itself puts there: the template does not take them away.
The metadata of a type with `follows_metadata` are evaluated anew whenever a resource of its stack was signalled.

Plans foresee what a type does, if it says so beforehand:

- `demands_replacement(before, after, changed)`: plain; whether such a change of properties needs a new resource
  although each of them could be changed in place. What is not known yet cannot be read from `after`: where it is
  tried, the plan stays open. `may_demand_replacement`: that only `update` can tell, unless
  `never_replaced(after, peers)`, plain, says no; `peers` gives the properties that the resource of a reference will
  have, None if they are not known
- `refusal(before, after, changed)`: plain; why such a change is never made, None if it is. Properties after may be
  unknown. An update that asks for it is refused before anything is done
- `new_reference`: what get_resource gives for a new resource was never given for another, so that whatever reads it
  changes when the resource is replaced
- `mirrors`: attributes that always have the value of a property, by name
- `steady`: attributes that stay when properties are changed in place, but for those that are named with each
- `replaced_by_every_update`, or `renews(props)`: plain; whether such properties have it replaced by every update

A resource on which something failed is replaced, unless its type has `is_well(ctx)`, async, which tells that what it
stands for can be kept.

A type with `looks_for_itself` is updated even if nothing of its definition changes.

Types with a stack below say what it shall be like, and read its members:

- `stack_template(ctx, values)`: its template; `stages(ctx, values)`, where there is one, goes first: the way there
- `prepare(ctx, values)`: what has to be asked before, `settled(ctx, values)`: what has to be noted afterwards
- `member_attribute(ctx, name, path)`
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class ResourceFailed(Exception):
    """The work on a resource failed. `kind` names the class of error in the reasons that users see."""

    def __init__(self, message: str, kind: str = "ResourceFailure") -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind


class NeedsReplacement(Exception):
    """Raised by `update` when the change cannot be made in place."""


class NothingToDo(Exception):
    """Raised by `signal` when a signal is passed over: it is no error, and no event tells of it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A template on the way to the last one, and the seconds to rest before the next."""

    template: dict[str, Any]
    pause: float = 0.0


class Member(Protocol):
    """A resource of the stack below."""

    @property
    def name(self) -> str: ...
    @property
    def action(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def created_at(self) -> float: ...
    @property
    def physical_id(self) -> str | None: ...
    @property
    def reference(self) -> Any:
        """What get_resource gives, where that is not the physical id."""

    @property
    def replaced_by(self) -> str | None: ...


class References(Protocol):
    def reference(self, name: str) -> Any:
        """What get_resource gives for the resource of a name."""


class StackBelow(Protocol):
    """The stack below a resource as it has become."""

    @property
    def current(self) -> Mapping[str, Member]: ...
    @property
    def states(self) -> References: ...

    def read(self, resource: str, attribute: str, path: Sequence[Any] = ()) -> Any:
        """An attribute of a member, and what a path leads to in it."""

    def outputs(self) -> Mapping[str, Any]:
        """A map of each output, with its `value`."""


class Signalling(Protocol):
    """What lets software outside signal a resource. Whatever is needed is made when it is first asked for."""

    async def make_user(self, password: str | None = None) -> str:
        """The id of the user in whose name the resource is signalled; without a password it gets a random one."""

    async def access_keys(self) -> tuple[str, str]:
        """The pair of keys, access and secret, with which the user signs requests."""

    async def enable_user(self, enabled: bool) -> None:
        """Lets the user in or keeps it out, if there is one."""

    async def remove_signalling(self) -> None:
        """Removes all that was made for signals: user, keys, temporary object, queue. What is gone is fine."""

    async def signed_url(self, purpose: str = "signal") -> str:
        """A URL of the CFN API, signed with a key of the user, that never expires. The purpose is `signal`, to
        be POSTed to, or `waitcondition`, for PUT."""

    def signal_url(self) -> str:
        """The URL of the orchestration API, below the stack's own project, that takes signals with a token."""

    def user_signal_url(self) -> str:
        """The same URL below the project of the user."""

    async def user_token(self) -> str:
        """A token of the user."""

    async def user_credentials(self) -> dict[str, Any]:
        """What the user logs in with: auth_url, username, user_id, password, project_id, domain_id,
        region_name."""

    def cfn_url(self) -> str:
        """The address of the CFN API as servers reach it."""

    async def temporary_url(self, *, many: bool) -> str:
        """A URL of Swift to PUT a signal to; with `many`, earlier ones are kept as versions."""

    async def metadata_url(self, container: str | None = None, object: str | None = None) -> str:
        """A URL of Swift at which the resource's metadata can be read by whoever knows it, in a container and an
        object of these names, or of made-up ones."""

    async def publish_metadata(self) -> None:
        """Puts the metadata, with what the server has to apply, where `metadata_url` leads, if it was asked for."""

    async def queue(self) -> str:
        """The id of a queue of Zaqar for signals."""

    async def collect_signals(self) -> list[dict[str, Any]]:
        """The signals that have arrived at the temporary URL or in the queue since last asked; each is given
        once."""


class Configs(Protocol):
    """Software configurations and deployments. A configuration has name, group, config, options, inputs and
    outputs; a deployment has server, config, action, status, status_reason, input_values and output_values."""

    def store_config(self, fields: Mapping[str, Any]) -> str:
        """Stores a configuration of the stack's project; its id."""

    async def config(self, id: str) -> dict[str, Any] | None:
        """A configuration of the stack's project, also one that was stored a moment ago."""

    def delete_config(self, id: str) -> None:
        """Deletes a configuration; one that is gone is fine."""

    async def create_deployment(self, fields: Mapping[str, Any]) -> None:
        """Stores a deployment, notes its id as that of what was made, and tells the server."""

    async def update_deployment(self, id: str, fields: Mapping[str, Any]) -> None:
        """Changes fields of a deployment, and tells the server if it has a new configuration."""

    async def deployment(self, id: str) -> dict[str, Any] | None:
        """A deployment as it is now."""

    async def delete_deployment(self, id: str) -> None:
        """Deletes a deployment, tells the server; one that is gone is fine."""


class RemoteStacks(Protocol):
    """The orchestration API of another region or cloud."""

    async def create(self, body: Mapping[str, Any]) -> str:
        """Creates a stack; its id."""

    async def show(self, id: str) -> dict[str, Any] | None:
        """The stack as the API shows it, None if there is none."""

    async def update(self, id: str, body: Mapping[str, Any]) -> None: ...

    async def delete(self, id: str) -> None:
        """Begins to delete the stack; one that is gone is fine."""

    async def act(self, id: str, action: str) -> None:
        """Begins `suspend`, `resume` or `check`."""


class CloudServices(Protocol):
    """The services of the cloud, in the name of the stack's owner: `compute`, `network`, `image`, `volume`, `object`,
    `identity`, or what the catalog calls another. What a service refuses is raised as an error of
    `calor.clouds.errors`. `version` is a microversion."""

    async def project_id(self) -> str: ...

    async def user_id(self) -> str: ...

    async def has(self, service: str) -> bool:
        """Whether the catalog has the service."""

    async def ask(
        self,
        service: str,
        method: str,
        *path: str,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> dict[str, Any]:
        """The body of the answer to what is harmless to ask twice: while a service is away it is asked again."""

    async def ask_once(
        self,
        service: str,
        method: str,
        *path: str,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> dict[str, Any]: ...

    async def make(
        self,
        service: str,
        *path: str,
        body: Mapping[str, Any],
        find: Callable[[], Awaitable[dict[str, Any] | None]] | None = None,
        version: str | None = None,
    ) -> dict[str, Any]:
        """POSTs a new object; gives it without what wraps it. Where the answer is lost, `find` tells whether it is
        there; without that, such an error is raised."""

    async def show(self, service: str, *path: str, version: str | None = None) -> dict[str, Any] | None:
        """An object without what wraps it; None if there is none."""

    async def recent(self, service: str, *path: str) -> dict[str, Any] | None:
        """An object as it was some time within the last minute, for what hardly changes and many ask for."""

    async def all(
        self,
        service: str,
        *path: str,
        key: str,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> list[dict[str, Any]]:
        """All objects of a collection, in which the member `key` of each page holds them."""

    async def send(
        self,
        service: str,
        method: str,
        *path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Any:
        """The whole answer, as `requests` gives it, to what is harmless to ask twice."""

    async def temporary_url(self, method: str, container: str, name: str) -> str:
        """A URL of the object store at which whoever knows it can do one thing with an object, for ever."""

    async def id_of(self, kind: str, name_or_id: str) -> str:
        """The id of something that a template may name, by the name of its constraint, such as neutron.network."""

    async def until(
        self,
        service: str,
        collection: Sequence[str],
        id: str,
        settled: Callable[[dict[str, Any] | None], bool],
        *,
        key: str | None = None,
        details: str | None = None,
        version: str | None = None,
    ) -> dict[str, Any] | None:
        """Reads an object, beginning a moment from now, until it is as it shall be; None is one that is gone.
        Waits for many are served by one list of the collection, which is a path (with `details` at its end, if
        that is given). What
        `settled` raises ends the wait."""


class Context(Signalling, Configs, Protocol):
    """A resource on which a type works. Types change nothing but through this."""

    @property
    def stack_name(self) -> str: ...
    @property
    def stack_id(self) -> str: ...
    @property
    def project(self) -> str: ...
    @property
    def timeout(self) -> float | None:
        """The seconds that an action on the stack may take."""

    @property
    def name(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def type(self) -> Any:
        """The declaration of the resource's type."""

    @property
    def action(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def physical_id(self) -> str | None: ...
    @property
    def properties(self) -> dict[str, Any]:
        """The properties as they were when the last step on the resource succeeded."""

    @property
    def update_policy(self) -> Mapping[str, Any]:
        """The update policy as the template has it now, resolved, with the defaults of the type."""

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata as the run knows them."""

    @property
    def data(self) -> dict[str, Any]:
        """What the type has noted for itself. It may hold secrets. Change it through `note`."""

    @property
    def members(self) -> Sequence[Member]:
        """The resources of the stack below, before it changes."""

    @property
    def below(self) -> Mapping[str, Any]:
        """The definitions of the resources of the stack below, as its present template has them."""

    @property
    def child(self) -> StackBelow | None:
        """The stack below, as it has become."""

    def reads(self, attribute: str) -> bool:
        """Whether the template reads an attribute of the resource."""

    def physical_name(self, limit: int = 255) -> str: ...

    def made(self, physical_id: str) -> None:
        """Notes the id of the object that was made, before anything else can go wrong."""

    def refer_to(self, value: Any) -> None:
        """Says what get_resource gives, where that is not the physical id."""

    def note(self, **data: Any) -> None:
        """Keeps data with the resource, beside what was noted before."""

    async def intend(self) -> None:
        """Returns when all that was noted is written down, so that whoever takes over after a crash knows it."""

    def set_metadata(self, metadata: dict[str, Any]) -> None: ...

    async def fresh_metadata(self) -> dict[str, Any]:
        """The metadata as they are stored now, signals included; `metadata` gives the same from then on."""

    def peer(self, reference: Any) -> Context | None:
        """The resource of the same stack for which get_resource gives the reference, or whose name it is."""

    async def update_peer(self, name: str, properties: Mapping[str, Any]) -> None:
        """Gives another resource of the same stack new values of some properties, as an update of the stack
        would; returns when it has them. What its template says holds again from the next update on."""

    async def recreate(self, name: str) -> None:
        """Has a resource of the same stack, by its name or id, and what depends on it, replaced: an update of
        the stack, in which that resource counts as failed. Returns when that has begun."""

    async def change_below(self, assemble: Callable[[Context], dict[str, Any]]) -> None:
        """Takes the stack below for itself, asks for a template with a context in which `members` and `below`
        are as they are now, and makes the stack so; `child` is what it has become. The resource and all above
        it keep their states.

        Raises NothingToDo when the stack below, or one above, is being worked on, ResourceFailed when the change
        fails, and whatever `assemble` raises."""

    def now(self) -> float:
        """Seconds since the epoch."""

    async def in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        """What a function returns that takes its time, such as a request."""

    async def sleep(self, seconds: float) -> None:
        """Waits; ends early, with an error, when the run is told to stop."""

    async def await_signal(self, seconds: float) -> None:
        """Waits until a signal may have arrived at a resource of the stack, but no longer than that."""

    async def cloud(self, region: str | None = None) -> CloudServices: ...

    async def taken(self, physical_ids: Sequence[str]) -> frozenset[str]:
        """Those of the ids that other resources, of whatever stack, are known by already. What is found when one
        looks for an orphan is none if it is taken."""

    @property
    def began_at(self) -> float:
        """When the step on the resource began, in seconds since the epoch. What was there before was not made in
        it."""

    async def server(self, id: str) -> dict[str, Any] | None:
        """A server as Nova shows it, None if there is none."""

    async def remote_stacks(self, place: Mapping[str, Any]) -> RemoteStacks:
        """The orchestration API at a place: region_name, credential_secret_id, ca_cert, insecure."""

    def files(self) -> Mapping[str, str]:
        """The files that came with the stack's template."""

    def environment(self) -> Mapping[str, Any]:
        """The environment that came with the stack's template, without its parameters."""
