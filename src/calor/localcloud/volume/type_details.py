"""Extra specs and encryption of volume types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import nullable, one_of, text, whole
from calor.localcloud.volume.records import VolumeType
from calor.localcloud.volume.requests import strict, texts
from calor.localcloud.volume.routes import VolumeRoute
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.volume.types import need_type
from calor.localcloud.web import Call, Reply

_ENCRYPTION_MEMBERS = {
    "cipher": nullable(text(255)),
    "key_size": nullable(whole(0, 2**31 - 1)),
    "control_location": one_of("front-end", "back-end"),
}
_PROVIDER = text(255, shortest=1)
_NEW_ENCRYPTION = strict({"provider": _PROVIDER}, _ENCRYPTION_MEMBERS)
_CHANGED_ENCRYPTION = strict(optional={"provider": _PROVIDER, **_ENCRYPTION_MEMBERS})


def list_specs(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"extra_specs": dict(need_type(service, call).extra_specs)})


def add_specs(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("extra_specs", texts)
    volume_type = need_type(service, call)
    service.records.types.put(replace(volume_type, extra_specs={**volume_type.extra_specs, **given}))
    return Reply(body={"extra_specs": given})


def get_spec(service: VolumeService, call: Call) -> Reply:
    key = call.path["key"]
    return Reply(body={key: _spec(need_type(service, call), key)})


def set_spec(service: VolumeService, call: Call) -> Reply:
    given = call.read(texts)
    if list(given) != [call.path["key"]]:
        raise BadRequest("Request body and URI mismatch")
    volume_type = need_type(service, call)
    service.records.types.put(replace(volume_type, extra_specs={**volume_type.extra_specs, **given}))
    return Reply(body=given)


def remove_spec(service: VolumeService, call: Call) -> Reply:
    volume_type, key = need_type(service, call), call.path["key"]
    _spec(volume_type, key)
    left = {name: value for name, value in volume_type.extra_specs.items() if name != key}
    service.records.types.put(replace(volume_type, extra_specs=left))
    return Reply(202)


def _spec(volume_type: VolumeType, key: str) -> str:
    if key not in volume_type.extra_specs:
        raise NotFound(f"Volume Type {volume_type.id} has no extra specs with key {key[:255]}.")
    return volume_type.extra_specs[key]


def get_encryption(service: VolumeService, call: Call) -> Reply:
    """Empty without encryption."""
    return Reply(body=dict(need_type(service, call).encryption or {}))


def get_encryption_member(service: VolumeService, call: Call) -> Reply:
    encryption, key = need_type(service, call).encryption or {}, call.path["key"]
    if key not in encryption:
        raise NotFound(f"The encryption of the volume type has no {key[:255]}.")
    return Reply(body={key: encryption[key]})


def create_encryption(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("encryption", _NEW_ENCRYPTION)
    volume_type = need_type(service, call)
    if volume_type.encryption is not None:
        raise BadRequest(f"Volume type {volume_type.id} already has an encryption.")
    encryption = {
        "volume_type_id": volume_type.id,
        "encryption_id": str(uuid4()),
        "cipher": None,
        "key_size": None,
        "control_location": "front-end",
        **given,
    }
    return _kept(service, volume_type, encryption, encryption)


def update_encryption(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("encryption", _CHANGED_ENCRYPTION)
    volume_type = need_type(service, call)
    return _kept(service, volume_type, {**_encryption(volume_type, call), **given}, given)


def delete_encryption(service: VolumeService, call: Call) -> Reply:
    volume_type = need_type(service, call)
    _encryption(volume_type, call)
    _check_unused(service, volume_type)
    service.records.types.put(replace(volume_type, encryption=None))
    return Reply(202)


def _kept(
    service: VolumeService,
    volume_type: VolumeType,
    encryption: Mapping[str, object],
    result: Mapping[str, object],
) -> Reply:
    _check_unused(service, volume_type)
    service.records.types.put(replace(volume_type, encryption=encryption))
    return Reply(body={"encryption": dict(result)})


def _check_unused(service: VolumeService, volume_type: VolumeType) -> None:
    if service.records.volumes.count(volume_type_id=volume_type.id):
        raise BadRequest("Cannot change the encryption of a volume type while it is in use.")


def _encryption(volume_type: VolumeType, call: Call) -> Mapping[str, object]:
    encryption = volume_type.encryption
    if encryption is None or encryption["encryption_id"] != call.path["key"]:
        raise NotFound(f"Volume type encryption for type {volume_type.id} does not exist.")
    return encryption


_SPECS = "/types/{type_id}/extra_specs"
_ENCRYPTION = "/types/{type_id}/encryption"

ROUTES = (
    VolumeRoute("GET", _SPECS, list_specs, readers),
    VolumeRoute("POST", _SPECS, add_specs, admins),
    VolumeRoute("GET", f"{_SPECS}/{{key}}", get_spec, readers),
    VolumeRoute("PUT", f"{_SPECS}/{{key}}", set_spec, admins),
    VolumeRoute("DELETE", f"{_SPECS}/{{key}}", remove_spec, admins),
    VolumeRoute("GET", _ENCRYPTION, get_encryption, admins),
    VolumeRoute("POST", _ENCRYPTION, create_encryption, admins),
    VolumeRoute("GET", f"{_ENCRYPTION}/{{key}}", get_encryption_member, admins),
    VolumeRoute("PUT", f"{_ENCRYPTION}/{{key}}", update_encryption, admins),
    VolumeRoute("DELETE", f"{_ENCRYPTION}/{{key}}", delete_encryption, admins),
)
