"""The request for a new server."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping

from calor.resources.values import JsonMapping, Properties
from calor.types.cloud_objects import Object, some

READ = "2.26"
"""The microversion in which servers are read: the first with tags. Later ones show flavors without their ids."""
WITH_ALLOCATION = "2.37"
"""The microversion from which a request must specify networks."""
WITH_NETWORK_TAGS = "2.42"
WITH_SHARED_VOLUMES = "2.60"
"""From here on a server may have a volume that others have, too."""
WITH_VOLUME_TYPES = "2.67"

Networks = list[Object] | str | None


def new_server(props: Properties, name: str, user_data: str, networks: Networks, least: str = READ) -> Object:
    """The server itself, for a microversion that is not below `least`; scheduler hints go beside it."""
    disks = [*_old_disks(props), *map(_disk, props.get("block_device_mapping_v2") or ())]
    image = props.get("image")
    if image and disks:
        disks.insert(0, _image_disk(image))
    body: Object = {
        "name": name,
        "flavorRef": props["flavor"],
        **({"imageRef": image} if image else {}),
        **some(props, ("key_name", "availability_zone", "config_drive")),
        **({"block_device_mapping_v2": disks} if disks else {}),
        **({"user_data": encoded(user_data)} if user_data else {}),
        **({"networks": networks} if networks is not None else {}),
    }
    if props.get("metadata"):
        body["metadata"] = as_text(props["metadata"])
    if props.get("security_groups"):
        body["security_groups"] = [{"name": str(group)} for group in props["security_groups"]]
    if props.get("diskConfig"):
        body["OS-DCF:diskConfig"] = props["diskConfig"]
    if props.get("admin_pass"):
        body["adminPass"] = props["admin_pass"]
    if props.get("personality"):
        body["personality"] = personality(props["personality"])
    if _version(body, least) > _parts(WITH_ALLOCATION):
        body.setdefault("networks", "auto")
    return body


def version_for(body: JsonMapping, least: str = READ) -> str:
    """The lowest microversion that supports the whole request: later ones refuse what earlier ones accept."""
    return ".".join(map(str, _version(body, least)))


def volumes_of(props: Properties) -> list[str]:
    """The volumes that exist already and become disks of the server."""
    disks = (*(props.get("block_device_mapping") or ()), *(props.get("block_device_mapping_v2") or ()))
    return [str(disk["volume_id"]) for disk in disks if disk.get("volume_id")]


def _version(body: JsonMapping, least: str) -> tuple[int, ...]:
    networks = body.get("networks")
    needed = [least]
    if isinstance(networks, str):
        needed.append(WITH_ALLOCATION)
    elif any("tag" in network for network in networks or ()):
        needed.append(WITH_NETWORK_TAGS)
    if any("volume_type" in disk for disk in body.get("block_device_mapping_v2") or ()):
        needed.append(WITH_VOLUME_TYPES)
    return max(map(_parts, needed))


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def encoded(text: str) -> str:
    return b64encode(text.encode("utf-8")).decode("ascii")


def as_text(metadata: JsonMapping) -> dict[str, str]:
    """Nova stores strings only."""
    return {
        str(name): value if isinstance(value, str) else json.dumps(value) for name, value in metadata.items()
    }


def personality(given: Mapping[str, str]) -> list[Object]:
    return [{"path": path, "contents": encoded(str(content))} for path, content in given.items()]


def _image_disk(image: str) -> Object:
    """If there are other disks, the one with the image must also be listed."""
    return {
        "uuid": image,
        "source_type": "image",
        "destination_type": "local",
        "boot_index": 0,
        "delete_on_termination": True,
    }


def _old_disks(props: Properties) -> list[Object]:
    """In the older form, the device determines the boot disk."""
    found = []
    for given in props.get("block_device_mapping") or ():
        source = "snapshot" if given.get("snapshot_id") else "volume"
        starts = not props.get("image") and given["device_name"].rpartition("/")[2] == "vda"
        found.append(
            {
                "uuid": given.get("snapshot_id") or given.get("volume_id"),
                "source_type": source,
                "destination_type": "volume",
                "boot_index": 0 if starts else -1,
                "device_name": given["device_name"],
                "delete_on_termination": bool(given.get("delete_on_termination")),
                **some(given, ("volume_size",)),
            }
        )
    return found


def _disk(given: Properties) -> Object:
    common = some(
        given,
        (
            "device_name",
            "device_type",
            "disk_bus",
            "boot_index",
            "volume_size",
            "delete_on_termination",
            "volume_type",
        ),
    )
    for name, source in (("volume_id", "volume"), ("snapshot_id", "snapshot"), ("image", "image")):
        if given.get(name):
            return {
                "uuid": given[name],
                "source_type": source,
                "destination_type": "volume",
                "boot_index": 0,
                "delete_on_termination": False,
                **common,
            }
    local: Object = {
        "source_type": "blank",
        "destination_type": "local",
        "boot_index": -1,
        "delete_on_termination": True,
    }
    if given.get("swap_size") is not None:
        return {**local, **common, "volume_size": given["swap_size"], "guest_format": "swap"}
    size = {"volume_size": given["ephemeral_size"]} if given.get("ephemeral_size") is not None else {}
    format = {"guest_format": given["ephemeral_format"]} if given.get("ephemeral_format") else {}
    return {**local, **common, **size, **format}
