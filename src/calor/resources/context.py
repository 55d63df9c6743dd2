"""The contexts that hooks receive: a resource, and the operations available to the hook, one protocol per capability.

A hook's signature determines what it may use. Some hooks get less than a full `Context`, as they also run elsewhere:
`attribute` sees only what is stored, `stages` only what a plan can know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from calor.language.schema import DeclaredType
from calor.resources.values import JsonMapping, JsonObject, Properties

if TYPE_CHECKING:
    from calor.resources.services import CloudReader, CloudServices, RemoteReader, RemoteStacks

Purpose = Literal["signal", "waitcondition"]


class ObjectView(Protocol):
    """What identifies the object of a resource."""

    @property
    def physical_id(self) -> str | None: ...
    @property
    def properties(self) -> JsonMapping:
        """The properties as they were when the last step on the resource succeeded."""

    @property
    def data(self) -> JsonMapping:
        """Data that the type has stored, which may contain secrets. Change it with `set_data`."""


class ResourceView(ObjectView, Protocol):
    """A resource as it is stored."""

    @property
    def stack_name(self) -> str: ...
    @property
    def stack_id(self) -> str: ...
    @property
    def project(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def type(self) -> type[DeclaredType] | None:
        """The resource's type; None for a template resource."""

    @property
    def action(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def metadata(self) -> JsonMapping:
        """The metadata as known to the run."""

    def physical_name(self, limit: int = 255) -> str: ...


class AttributeContext(ResourceView, Protocol):
    """A resource whose attributes are read, in the engine or in the API."""

    def peer(self, reference: object) -> ResourceView | None:
        """The resource of the same stack with this reference (what get_resource returns) or name."""

    def signal_url(self) -> str | None:
        """The URL of the orchestration API for signals with a token; None if it is not known."""


class Member(Protocol):
    """A resource of the nested stack."""

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
        """What get_resource returns, if not the physical id."""

    @property
    def replaced_by(self) -> str | None: ...


class NestedStack(Protocol):
    """The nested stack of a resource in its current state, with its secrets marked."""

    @property
    def current(self) -> Mapping[str, Member]: ...

    def reference(self, name: str) -> Any:
        """What get_resource returns for a member."""

    def read(self, resource: str, attribute: str, path: Sequence[Any] = ()) -> Any:
        """An attribute of a member, or the value at a path in it."""

    def outputs(self) -> JsonMapping:
        """For each output a map with its `value`, and with `secret` if it is one."""


class NestedStackView(ResourceView, Protocol):
    """A resource with its nested stack."""

    @property
    def nested(self) -> NestedStack | None:
        """The nested stack in its current state."""


class MarkedView(ResourceView, Protocol):
    """A resource whose properties are used in the definitions of members."""

    @property
    def marked_properties(self) -> JsonMapping:
        """The properties with their secrets marked, so that they stay secret in members."""


class GroupContext(MarkedView, Protocol):
    """A resource whose type generates the template of the nested stack, in the engine or in plans."""

    @property
    def timeout(self) -> float | None:
        """The stack's timeout in seconds."""

    @property
    def update_policy(self) -> JsonMapping:
        """The current update policy, resolved, with the type's defaults."""

    @property
    def members(self) -> Sequence[Member]:
        """The resources of the nested stack, before it changes."""

    @property
    def nested_definitions(self) -> JsonMapping:
        """The definitions of the resources in the nested stack's current template."""

    def set_data(self, **data: object) -> None:
        """Stores data with the resource, in addition to what is stored already."""

    def peer(self, reference: object) -> MarkedView | None:
        """The resource of the same stack with this reference (what get_resource returns) or name."""


class LiveContext(ResourceView, Protocol):
    """A resource whose object is only read."""

    async def cloud(self, region: str | None = None) -> CloudReader: ...

    async def in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        """Runs a blocking function in a thread and returns its result."""


class LookupContext(ObjectView, Protocol):
    """An unverified id from a request, which may not belong to the stack's owner."""

    async def cloud(self, region: str | None = None) -> CloudReader: ...

    async def config(self, id: str) -> JsonObject | None:
        """A configuration of the stack's project."""

    async def deployment(self, id: str) -> JsonObject | None:
        """A deployment of the stack's project."""

    async def owns_stack(self, id: str) -> bool:
        """Whether a stack with this id exists in the stack's project."""

    async def remote_stacks(self, place: JsonMapping) -> RemoteReader:
        """The orchestration API of a remote context: region_name, credential_secret_id, ca_cert, insecure."""


class AdoptContext(LookupContext, Protocol):
    async def claimed(self, physical_ids: Sequence[str]) -> frozenset[str]:
        """Those of the ids that belong to other resources of any stack."""


class Signals(Protocol):
    """How software outside Calor signals a resource. Users, keys and URLs are created when they are first requested."""

    async def create_user(self, password: str | None = None) -> str:
        """Creates the user who may signal the resource, with a random password by default; returns its id."""

    async def access_keys(self) -> tuple[str, str]:
        """The user's EC2 keys: access and secret."""

    async def enable_user(self, enabled: bool) -> None:
        """Enables or disables the user, if there is one."""

    async def remove_signalling(self) -> None:
        """Removes user, keys, temporary object and queue, as far as they exist."""

    async def signed_url(self, purpose: Purpose = "signal") -> str:
        """A pre-signed URL of the CFN API that never expires, for POST (`signal`) or PUT (`waitcondition`)."""

    def user_signal_url(self) -> str:
        """The signal URL with the user's project."""

    async def user_token(self) -> str:
        """A token of the user."""

    async def user_credentials(self) -> JsonObject:
        """The user's credentials: auth_url, username, user_id, password, project_id, domain_id, region_name."""

    def cfn_url(self) -> str:
        """The URL of the CFN API for servers."""

    @property
    def polling_interval(self) -> int | None:
        """After how many seconds the agent on a server looks for changes; None leaves it to the agent."""

    async def temporary_url(self, *, many: bool) -> str:
        """A Swift URL to PUT signals to; with `many`, earlier signals are kept as versions."""

    async def metadata_url(self, container: str | None = None, object: str | None = None) -> str:
        """A temporary Swift URL of the resource's metadata, in a container and an object of these names or random
        ones."""

    async def publish_metadata(self) -> None:
        """Stores the metadata, with the server's deployments, at `metadata_url` if that was requested before."""

    async def queue(self) -> str:
        """The id of a Zaqar queue for signals."""

    async def collect_signals(self) -> list[JsonObject]:
        """The signals that have arrived at the temporary URL or in the queue since the last call."""

    async def wait_for_signal(self, seconds: float) -> None:
        """Waits until a signal for a resource of the stack may have arrived, or the time is over."""


class Software(Protocol):
    """Software configurations and deployments. A configuration has name, group, config, options, inputs and
    outputs; a deployment has server, config, action, status, status_reason, input_values and output_values."""

    def store_config(self, fields: JsonMapping) -> str:
        """Stores a configuration in the stack's project; returns its id."""

    async def config(self, id: str) -> JsonObject | None:
        """A configuration of the stack's project, including unsaved ones of this run."""

    def delete_config(self, id: str) -> None:
        """Deletes a configuration; it is not an error if it does not exist."""

    async def create_deployment(self, fields: JsonMapping) -> None:
        """Stores a deployment, sets its id as the physical id, and notifies the server."""

    async def update_deployment(self, id: str, fields: JsonMapping) -> None:
        """Changes fields of a deployment, and notifies the server if it has a new configuration."""

    async def deployment(self, id: str) -> JsonObject | None:
        """The current state of a deployment; `fetched` is whether the server's agent is known to have got it."""

    async def delete_deployment(self, id: str) -> None:
        """Deletes a deployment and notifies the server; it is not an error if it does not exist."""


class Peers(Protocol):
    """The other resources of the stack."""

    def peer(self, reference: object) -> Context | None:
        """The resource of the same stack with this reference (what get_resource returns) or name."""

    async def update_peer(self, name: str, properties: Properties) -> None:
        """Updates some properties of another resource of the stack, and waits for that. The next update of the stack
        restores the template's values."""

    async def recreate(self, name: str) -> None:
        """Starts an update of the stack that replaces a resource, given by name or id, with its dependants, as if it
        had failed."""

    async def update_nested(self, assemble: Callable[[GroupContext], JsonObject]) -> None:
        """Locks the nested stack, calls `assemble` with a context whose `members` and `nested_definitions` are current,
        and updates the nested stack to the template that it returns; `nested` is the result. The resource and the
        stacks above it keep their states.

        Raises NothingToDo when an action on the nested stack, or on one above, is in progress, ResourceFailed when the
        change fails, and whatever `assemble` raises."""


class Notes(Protocol):
    """Changes what is stored with the resource."""

    def set_physical_id(self, physical_id: str) -> None:
        """Stores the id of a created object. Call it before anything else can fail."""

    def set_reference(self, value: object) -> None:
        """Sets what get_resource returns, if not the physical id."""

    def set_metadata(self, metadata: JsonObject) -> None: ...

    def add_event(self, reason: str) -> None:
        """Adds an event with the current state of the resource."""

    async def read_metadata(self) -> JsonObject:
        """Reads the stored metadata, signals included; `metadata` returns the same afterwards."""

    async def flush(self) -> None:
        """Waits until all changes are stored, so that they survive a crash."""


class Time(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""

    @property
    def occasion(self) -> str:
        """Identifies the action on the stack, as distinct from its rollback: the same for each engine that works on
        it."""

    @property
    def started_at(self) -> float:
        """When the step on the resource began, in seconds since the epoch."""

    async def sleep(self, seconds: float) -> None:
        """Waits; raises early when the run is stopped."""


class Context(
    GroupContext,
    AttributeContext,
    NestedStackView,
    AdoptContext,
    LiveContext,
    Signals,
    Software,
    Peers,
    Notes,
    Time,
    Protocol,
):
    """The full context of a hook, through which it makes all changes."""

    @property
    def properties(self) -> JsonObject: ...
    @property
    def metadata(self) -> JsonObject: ...
    @property
    def data(self) -> JsonObject: ...

    def peer(self, reference: object) -> Context | None: ...

    def signal_url(self) -> str: ...

    def reads(self, attribute: str) -> bool:
        """Whether the template uses an attribute of the resource."""

    async def cloud(self, region: str | None = None) -> CloudServices: ...

    async def server(self, id: str) -> JsonObject | None:
        """A server as Nova shows it; None if it does not exist."""

    async def remote_stacks(self, place: JsonMapping) -> RemoteStacks: ...

    def files(self) -> Mapping[str, str]:
        """The files of the stack's template."""

    def environment(self) -> JsonMapping:
        """The stack's environment without its parameters."""
