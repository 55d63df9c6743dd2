"""Parses requests for new servers."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calor.localcloud.compute.microversions import Version
from calor.localcloud.compute.personality import PERSONALITY
from calor.localcloud.compute.requests import (
    address,
    device,
    flag,
    items,
    number,
    plain_name,
    strict,
    tag,
    uuid,
)
from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import Reader, anything, identifier, listing, mapping, nullable, one_of, text
from calor.localcloud.types import Json

USER_DATA_LENGTH = 65_535
MOST_INTERFACES, MOST_DISKS = 32, 32
"""Those of one server. Each takes devices of the host, and time to apply the rules of all of them together."""


@dataclass(frozen=True)
class RequestedNic:
    """Either a port, or a network with an optional fixed IP."""

    network_id: str | None
    port_id: str | None
    address: str | None
    tag: str | None


@dataclass(frozen=True)
class BlockDevice:
    source: str
    """blank, image, snapshot or volume."""
    destination: str
    """local or volume."""
    uuid: str | None
    size: int | None
    boot_index: int | None
    delete_on_termination: bool
    device: str | None
    tag: str | None
    volume_type: str | None


@dataclass(frozen=True)
class ServerRequest:
    name: str
    flavor: str
    image: str
    nics: tuple[RequestedNic, ...]
    """Empty for the default network."""
    no_nics: bool
    """Whether the server gets no network."""
    disks: tuple[BlockDevice, ...]
    groups: tuple[str, ...] | None
    hints: Mapping[str, Any]
    least: int
    most: int
    rest: Mapping[str, Any]
    """Values that are stored unchanged."""


def user_data(value: object, where: str) -> str:
    written: str = text(USER_DATA_LENGTH)(value, where)
    try:
        base64.b64decode(written, validate=False)
    except (binascii.Error, ValueError):
        raise BadRequest(f"{where} must be base64-encoded.") from None
    return written


def host_name(version: Version) -> Reader[str]:
    """At first one name; later also with the domain."""
    label = r"[a-zA-Z0-9][a-zA-Z0-9_-]*"
    longest, pattern = (63, label) if version < (2, 94) else (255, rf"{label}(\.{label})*")

    def read(value: object, where: str) -> str:
        written: str = text(longest, shortest=2)(value, where)
        if not re.fullmatch(pattern, written):
            raise BadRequest(f"{where} must be a host name.")
        return written

    return read


def read_server_request(body: Any, version: Version) -> ServerRequest:
    whole = strict(
        {"server": _server_form(version)},
        {"os:scheduler_hints": _hints, "OS-SCH-HNT:scheduler_hints": _hints},
    )(body, "The body")
    given = whole["server"]
    if version >= (2, 37) and "networks" not in given:
        raise BadRequest("server.networks is required.")
    networks = given.get("networks") or ()
    named = networks if not isinstance(networks, str) else ()
    least, most = given.get("min_count", 1), given.get("max_count")
    if most is None:
        most = max(least, 1)
    if least > most:
        raise BadRequest("min_count must not be larger than max_count.")
    disks = given.get("block_device_mapping_v2", ())
    if disks and given.get("block_device_mapping"):
        raise BadRequest("Only one of block_device_mapping and block_device_mapping_v2 may be given.")
    disks = disks or tuple(_modern(each) for each in given.get("block_device_mapping", ()))
    image = given.get("imageRef") or ""
    return ServerRequest(
        name=given["name"],
        flavor=str(given["flavorRef"]).rsplit("/", 1)[-1],
        image=image.rsplit("/", 1)[-1],
        nics=tuple(_nic(each) for each in named),
        no_nics=networks == "none",
        disks=tuple(_disk(each) for each in disks if not each.get("no_device")),
        groups=tuple(each["name"] for each in given["security_groups"])
        if given.get("security_groups")
        else None,
        hints=whole.get("os:scheduler_hints") or whole.get("OS-SCH-HNT:scheduler_hints") or {},
        least=least,
        most=most,
        rest={field: given[member] for member, field in _KEPT.items() if given.get(member) not in (None, "")},
    )


_KEPT = {
    "adminPass": "admin_password",
    "metadata": "metadata",
    "OS-DCF:diskConfig": "disk_config",
    "accessIPv4": "access_v4",
    "accessIPv6": "access_v6",
    "availability_zone": "zone",
    "key_name": "key_name",
    "user_data": "user_data",
    "config_drive": "config_drive",
    "return_reservation_id": "return_reservation_id",
    "description": "description",
    "tags": "tags",
    "trusted_image_certificates": "certificates",
    "hostname": "host_name",
    "personality": "files",
}


def _server_form(version: Version) -> Reader[Json]:
    optional: dict[str, Reader[object]] = {
        "imageRef": nullable(text(255)),
        "adminPass": text(255),
        "metadata": items,
        "networks": listing(_nic_form(version), longest=MOST_INTERFACES)
        if version < (2, 37)
        else _networks(version),
        "OS-DCF:diskConfig": one_of("AUTO", "MANUAL"),
        "accessIPv4": address(4),
        "accessIPv6": address(6),
        "availability_zone": nullable(text(255)),
        "key_name": nullable(plain_name),
        "user_data": nullable(user_data),
        "config_drive": _config_drive,
        "min_count": number(1),
        "max_count": number(1),
        "return_reservation_id": flag,
        "block_device_mapping": listing(_LEGACY_DISK, longest=MOST_DISKS),
        "block_device_mapping_v2": listing(_disk_form(version), longest=MOST_DISKS),
        "security_groups": listing(strict(optional={"name": identifier})),
    }
    if version < (2, 57):
        optional["personality"] = PERSONALITY
    if version >= (2, 19):
        optional["description"] = nullable(text(255))
    if version >= (2, 52):
        optional["tags"] = listing(tag, longest=50)
    if version >= (2, 63):
        optional["trusted_image_certificates"] = nullable(listing(identifier, longest=50))
    if version >= (2, 74):
        optional |= {"host": identifier, "hypervisor_hostname": identifier}
    if version >= (2, 90):
        optional["hostname"] = host_name(version)
    return strict({"name": plain_name, "flavorRef": _reference}, optional)


def _reference(value: object, where: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return str(value)
    return str(identifier(value, where))


def _config_drive(value: object, where: str) -> bool:
    return False if value in ("", None) else flag(value, where)


def _nic_form(version: Version) -> Reader[Json]:
    members: dict[str, Reader[object]] = {
        "uuid": uuid,
        "port": nullable(uuid),
        "fixed_ip": address(),
    }
    if (2, 32) <= version <= (2, 36) or version >= (2, 42):
        members["tag"] = tag
    return strict(optional=members)


def _networks(version: Version) -> Reader[object]:
    each = listing(_nic_form(version), longest=MOST_INTERFACES)
    return lambda value, where: value if value in ("auto", "none") else each(value, where)


def _nic(given: Mapping[str, Any]) -> RequestedNic:
    nic = RequestedNic(given.get("uuid"), given.get("port"), given.get("fixed_ip"), given.get("tag"))
    if nic.network_id is None and nic.port_id is None:
        raise BadRequest("Either the uuid of a network or a port must be given.")
    if nic.port_id and nic.address:
        raise BadRequest("A fixed IP cannot be given together with a port.")
    return nic


_LEGACY_DISK = strict(
    optional={
        "virtual_name": text(255),
        "volume_id": uuid,
        "snapshot_id": uuid,
        "volume_size": nullable(number(0)),
        "device_name": device,
        "delete_on_termination": flag,
        "no_device": anything,
        "connection_info": anything,
    }
)


def _disk_form(version: Version) -> Reader[Json]:
    members: dict[str, Reader[object]] = {
        "boot_index": nullable(number(-1)),
        "delete_on_termination": flag,
        "destination_type": one_of("local", "volume"),
        "device_name": nullable(device),
        "device_type": text(255),
        "disk_bus": text(255),
        "guest_format": nullable(text(255)),
        "image_id": uuid,
        "no_device": anything,
        "snapshot_id": uuid,
        "source_type": one_of("blank", "image", "snapshot", "volume"),
        "uuid": nullable(text(255, shortest=1)),
        "virtual_name": text(255),
        "volume_id": uuid,
        "volume_size": nullable(_size),
    }
    if version == (2, 32) or version >= (2, 42):
        members["tag"] = tag
    if version >= (2, 67):
        members["volume_type"] = nullable(text(255))
    return strict(optional=members)


def _size(value: object, where: str) -> int | None:
    return None if value == "" else int(number(0)(value, where))


def _modern(legacy: Mapping[str, Any]) -> Json:
    """Converts a block_device_mapping to the v2 form: the device vda is booted from."""
    source = "snapshot" if legacy.get("snapshot_id") else "volume"
    device = legacy.get("device_name", "")
    return {
        **legacy,
        "source_type": source,
        "destination_type": "volume",
        "uuid": legacy.get("snapshot_id") or legacy.get("volume_id"),
        "boot_index": 0 if device.removeprefix("/dev/") == "vda" else None,
    }


def _disk(given: Mapping[str, Any]) -> BlockDevice:
    source = given.get("source_type", "blank")
    destination = given.get("destination_type") or ("local" if source in ("blank", "image") else "volume")
    disk = BlockDevice(
        source=source,
        destination=destination,
        uuid=given.get("uuid") or given.get(f"{source}_id"),
        size=given.get("volume_size"),
        boot_index=None if given.get("boot_index") in (None, -1) else given["boot_index"],
        delete_on_termination=given.get("delete_on_termination", False),
        device=given.get("device_name") or None,
        tag=given.get("tag"),
        volume_type=given.get("volume_type"),
    )
    if disk.uuid is None and source != "blank":
        raise BadRequest(
            f"A block device from {'an' if source == 'image' else 'a'} {source} requires a uuid."
        )
    if destination == "local" and source in ("snapshot", "volume"):
        raise BadRequest(f"A block device with the source {source} cannot have the destination local.")
    if destination == "volume" and source in ("blank", "image") and not disk.size:
        raise BadRequest("A blank or image block device with the destination volume requires a volume_size.")
    return disk


def _hints(value: object, where: str) -> Json:
    """Scheduler hints, of which only the group is checked."""
    hints = mapping(value, where)
    if "group" in hints:
        uuid(hints["group"], f"{where}.group")
    return hints
