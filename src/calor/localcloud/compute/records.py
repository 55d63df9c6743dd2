"""Records of the compute service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

from calor.localcloud.problems import NotFound
from calor.localcloud.store import Collection, Document, Store


@dataclass(frozen=True)
class Flavor:
    id: str
    name: str
    ram: int
    vcpus: int
    disk: int
    ephemeral: int = 0
    swap: int = 0
    rxtx_factor: float = 1.0
    is_public: bool = True
    description: str | None = None
    extra_specs: Mapping[str, str] = field(default_factory=dict)
    access: tuple[str, ...] = ()
    """The projects that can use a flavor that is not public."""


@dataclass(frozen=True)
class Keypair:
    id: str
    user_id: str
    name: str
    type: str
    public_key: str
    fingerprint: str
    created: str


@dataclass(frozen=True)
class Server:
    """A server. `pending` has the parameters of its present task."""

    id: str
    name: str
    project_id: str
    user_id: str
    created: str
    updated: str
    flavor: Mapping[str, Any]
    """A copy of the flavor's fields, since it can be deleted."""
    former_flavor: Mapping[str, Any] | None = None
    """The flavor before a resize, until that is confirmed."""
    image_id: str = ""
    """Empty if it boots from a volume."""
    vm_state: str = "building"
    task_state: str | None = "scheduling"
    power_state: int = 0
    pending: Mapping[str, Any] = field(default_factory=dict)
    fault: Mapping[str, object] | None = None
    launched: str | None = None
    host_name: str = ""
    description: str | None = None
    key_name: str | None = None
    public_key: str | None = None
    user_data: str | None = None
    """In base64."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    config_drive: bool = False
    admin_password: str | None = None
    password: str = ""
    """The encrypted password that the server has posted to the metadata service."""
    zone: str = "nova"
    pinned_zone: str | None = None
    locked_by: str | None = None
    """owner or admin."""
    locked_reason: str | None = None
    disk_config: str = "MANUAL"
    group_id: str | None = None
    shelved_image: str | None = None
    """The image of a shelved server."""
    hints: Mapping[str, object] = field(default_factory=dict)
    certificates: tuple[str, ...] | None = None
    access_v4: str = ""
    access_v6: str = ""
    reservation: str = ""
    launch_index: int = 0
    nic_tags: Mapping[str, str] = field(default_factory=dict)
    """Tags of interfaces by the ids of their ports."""
    files: tuple[Mapping[str, str], ...] = ()
    """What the request put into it: each with a path, and contents in base64."""


@dataclass(frozen=True)
class Disk:
    """A volume of a server. If `volume_id` is empty, the volume is still to be created from `source`."""

    id: str
    server_id: str
    volume_id: str
    device: str
    boot_index: int | None = None
    delete_on_termination: bool = False
    tag: str | None = None
    source: Mapping[str, Any] = field(default_factory=dict)
    attached: bool = False


@dataclass(frozen=True)
class ServerGroup:
    id: str
    name: str
    project_id: str
    user_id: str
    policy: str
    max_per_host: int | None = None


@dataclass(frozen=True)
class Aggregate:
    id: str
    uuid: str
    name: str
    created: str
    updated: str | None = None
    hosts: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HostService:
    """A process of the compute service as the administrator sees it."""

    id: str
    binary: str
    number: int
    disabled_reason: str | None = None
    disabled: bool = False
    forced_down: bool = False


@dataclass(frozen=True)
class InstanceAction:
    """An entry of os-instance-actions."""

    id: str
    server_id: str
    action: str
    user_id: str
    project_id: str
    request_id: str
    started: str
    finished: str | None = None
    event: str = ""
    result: str = ""


@dataclass(frozen=True)
class Console:
    """A console token; its id gives access to the console."""

    id: str
    server_id: str


@dataclass(frozen=True)
class Quota:
    """Limits that an admin has set for a project; those with the id `default` are for all other projects."""

    id: str
    limits: Mapping[str, int]


@dataclass(frozen=True)
class ProjectUsage:
    """The resource usage of a project's servers, updated with every change."""

    id: str
    instances: int = 0
    cores: int = 0
    ram: int = 0


class Records:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.flavors: Collection[Flavor] = store.collection("compute_flavors", Flavor, unique=[("name",)])
        self.keypairs: Collection[Keypair] = store.collection(
            "compute_keypairs", Keypair, [("user_id",)], [("user_id", "name")]
        )
        self.servers: Collection[Server] = store.collection(
            "compute_servers", Server, [("project_id",), ("group_id",)]
        )
        self.disks: Collection[Disk] = store.collection("compute_disks", Disk, [("server_id",)])
        self.groups: Collection[ServerGroup] = store.collection(
            "compute_groups", ServerGroup, [("project_id",)]
        )
        self.aggregates: Collection[Aggregate] = store.collection(
            "compute_aggregates", Aggregate, unique=[("name",)]
        )
        self.services: Collection[HostService] = store.collection("compute_services", HostService)
        self.instance_actions: Collection[InstanceAction] = store.collection(
            "compute_deeds", InstanceAction, [("server_id",), ("request_id",)]
        )
        self.consoles: Collection[Console] = store.collection("compute_consoles", Console, [("server_id",)])
        self.quotas: Collection[Quota] = store.collection("compute_quotas", Quota)
        self.consumption: Collection[ProjectUsage] = store.collection("compute_consumption", ProjectUsage)


T = TypeVar("T", bound=Document)


def new_id() -> str:
    return str(uuid4())


def need(kind: str, collection: Collection[T], identifier: str) -> T:
    """The document. Raises NotFound."""
    found = collection.get(identifier)
    if found is None:
        raise NotFound.of(kind, identifier)
    return found
