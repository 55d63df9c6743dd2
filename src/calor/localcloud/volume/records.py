"""Records of the volume service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from calor.localcloud.store import Collection, Store

Texts = Mapping[str, str]


@dataclass(frozen=True)
class Volume:
    id: str
    project_id: str
    user_id: str
    size: int
    volume_type_id: str
    availability_zone: str
    created_at: str
    updated_at: str | None = None
    name: str | None = None
    description: str | None = None
    status: str = "creating"
    task: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the present transition, to resume it after a restart."""
    snapshot_id: str | None = None
    source_volid: str | None = None
    image_id: str | None = None
    bootable: bool = False
    readonly: bool | None = None
    """None until it is set."""
    encrypted: bool = False
    multiattach: bool = False
    group_id: str | None = None
    migration_status: str | None = None
    metadata: Texts = field(default_factory=dict)
    image_metadata: Texts = field(default_factory=dict)


@dataclass(frozen=True)
class Attachment:
    id: str
    volume_id: str
    project_id: str
    status: str
    server_id: str | None = None
    host_name: str | None = None
    device: str | None = None
    mode: str = "rw"
    attached_at: str | None = None
    connector: Mapping[str, Any] | None = None
    by_compute: bool = False
    """Whether the compute service created it, and removes it."""


@dataclass(frozen=True)
class Snapshot:
    id: str
    project_id: str
    user_id: str
    volume_id: str
    size: int
    created_at: str
    updated_at: str | None = None
    name: str | None = None
    description: str | None = None
    status: str = "creating"
    progress: str = "0%"
    metadata: Texts = field(default_factory=dict)
    group_snapshot_id: str | None = None


@dataclass(frozen=True)
class GroupType:
    id: str
    name: str
    description: str | None = None
    is_public: bool = True
    group_specs: Texts = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """A group of volumes, which have its id."""

    id: str
    project_id: str
    group_type_id: str
    volume_types: tuple[str, ...]
    availability_zone: str
    created_at: str
    name: str | None = None
    description: str | None = None
    status: str = "available"


@dataclass(frozen=True)
class GroupSnapshot:
    """Snapshots of all volumes of a group, which have its id."""

    id: str
    project_id: str
    group_id: str
    group_type_id: str
    created_at: str
    name: str | None = None
    description: str | None = None


@dataclass(frozen=True)
class Backup:
    id: str
    project_id: str
    user_id: str
    volume_id: str
    size: int
    availability_zone: str
    created_at: str
    updated_at: str | None = None
    name: str | None = None
    description: str | None = None
    container: str = "volumebackups"
    status: str = "creating"
    snapshot_id: str | None = None
    parent_id: str | None = None
    """The parent of an incremental backup."""
    task: Mapping[str, Any] = field(default_factory=dict)
    metadata: Texts = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    """Attributes of the volume, for the restored one."""


@dataclass(frozen=True)
class VolumeType:
    id: str
    name: str
    description: str | None = None
    is_public: bool = True
    extra_specs: Texts = field(default_factory=dict)
    qos_specs_id: str | None = None
    projects: tuple[str, ...] = ()
    """The projects that can use it if it is not public."""
    encryption: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class QosSpecs:
    id: str
    name: str
    consumer: str
    specs: Texts = field(default_factory=dict)


@dataclass(frozen=True)
class Transfer:
    id: str
    project_id: str
    volume_id: str
    name: str
    created_at: str
    secret_hash: str
    no_snapshots: bool = False


@dataclass(frozen=True)
class QuotaSet:
    """What a project may have of each kind, where it differs from the default; its id is the project's. The one of
    the quota class `default` is for all projects."""

    id: str
    limits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ProjectUsage:
    """The usage of a project; has the id of the project."""

    id: str
    amounts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class DefaultType:
    """The default type of a project; has the id of the project."""

    id: str
    volume_type_id: str


class Records:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.volumes: Collection[Volume] = store.collection(
            "volume_volumes",
            Volume,
            [("project_id", "name"), ("status",), ("volume_type_id",), ("group_id",)],
        )
        self.attachments: Collection[Attachment] = store.collection(
            "volume_attachments", Attachment, [("volume_id",), ("project_id",)]
        )
        self.snapshots: Collection[Snapshot] = store.collection(
            "volume_snapshots",
            Snapshot,
            [("project_id", "name"), ("volume_id",), ("status",), ("group_snapshot_id",)],
        )
        self.group_types: Collection[GroupType] = store.collection(
            "volume_group_types", GroupType, [], [("name",)]
        )
        self.groups: Collection[Group] = store.collection(
            "volume_groups", Group, [("project_id",), ("group_type_id",)]
        )
        self.group_snapshots: Collection[GroupSnapshot] = store.collection(
            "volume_group_snapshots", GroupSnapshot, [("project_id",), ("group_id",)]
        )
        self.backups: Collection[Backup] = store.collection(
            "volume_backups",
            Backup,
            [("project_id", "name"), ("volume_id",), ("status",), ("parent_id",)],
        )
        self.types: Collection[VolumeType] = store.collection(
            "volume_types", VolumeType, [("qos_specs_id",)], [("name",)]
        )
        self.qos_specs: Collection[QosSpecs] = store.collection("volume_qos_specs", QosSpecs, [], [("name",)])
        self.transfers: Collection[Transfer] = store.collection(
            "volume_transfers", Transfer, [("project_id",), ("volume_id",)]
        )
        self.allowances: Collection[QuotaSet] = store.collection("volume_allowances", QuotaSet)
        self.used: Collection[ProjectUsage] = store.collection("volume_used", ProjectUsage)
        self.default_types: Collection[DefaultType] = store.collection(
            "volume_default_types", DefaultType, [("volume_type_id",)]
        )


def resting_status(records: Records, volume_id: str) -> str:
    """The status of a volume with which nothing is being done, from its attachments."""
    found = {each.status for each in records.attachments.find(volume_id=volume_id)}
    return "in-use" if "attached" in found else "reserved" if found else "available"
