"""The metadata service, which identifies servers by their addresses, and the config drive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from calor.localcloud.backend import MetadataRequest, MetadataResponse
from calor.localcloud.compute.guest_data import (
    Tree,
    as_json,
    ec2_data,
    meta_data,
    network_data,
    user_data,
)
from calor.localcloud.compute.personality import list_files, on_drive
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.peers import ServerPort

_OPENSTACK = (
    "2012-08-10",
    "2013-04-04",
    "2013-10-17",
    "2015-10-15",
    "2016-06-30",
    "2016-10-06",
    "2017-02-22",
    "2018-08-27",
    "2020-10-14",
    "latest",
)
_EC2 = (
    "1.0",
    "2007-01-19",
    "2007-03-01",
    "2007-08-29",
    "2007-10-10",
    "2007-12-15",
    "2008-02-01",
    "2008-09-01",
    "2009-04-04",
    "latest",
)
_PASSWORD_LENGTH = 255
_NOT_FOUND = MetadataResponse(404, b"Not found\n")
_JSON = "application/json"


def answer(compute: ComputeService, question: MetadataRequest) -> MetadataResponse:
    device = compute.networks.owner_of_address(question.network_id, question.address)
    server = compute.records.servers.get(device) if device else None
    if server is None:
        return _NOT_FOUND
    parts = [part for part in question.path.split("?")[0].split("/") if part]
    if not parts:
        return _text("\n".join(_EC2))
    if parts[0] == "openstack":
        return _answer_openstack(compute, server, parts[1:], question)
    if question.method not in ("GET", "HEAD"):
        return MetadataResponse(405, b"")
    return _answer_ec2(compute, server, parts) if parts[0] in _EC2 else _NOT_FOUND


def drive_files(compute: ComputeService, server: Server, ports: Sequence[ServerPort]) -> dict[str, bytes]:
    """The files of the config drive."""
    documents = _documents(compute, server, ports, list_files(server.files))
    files = {
        f"openstack/{version}/{name}": content
        for version in _OPENSTACK
        for name, content in documents.items()
    }
    files |= on_drive(server.files)
    result = as_json(ec2_data(server, ports))
    for version in ("2009-04-04", "latest"):
        files[f"ec2/{version}/meta-data.json"] = result
        if (given := user_data(server)) is not None:
            files[f"ec2/{version}/user-data"] = given
    return files


def _documents(
    compute: ComputeService,
    server: Server,
    ports: Sequence[ServerPort],
    files: Sequence[Mapping[str, str]] = (),
) -> dict[str, bytes]:
    """Injected files are on the config drive only."""
    disks = compute.records.disks.find(server_id=server.id)
    plans = [compute.networks.plan_of(port.id) for port in ports]
    documents = {
        "meta_data.json": as_json(meta_data(server, ports, disks) | ({"files": files} if files else {})),
        "network_data.json": as_json(network_data(plans)),
        "vendor_data.json": b"{}",
        "vendor_data2.json": b"{}",
    }
    if (given := user_data(server)) is not None:
        documents["user_data"] = given
    return documents


def _answer_openstack(
    compute: ComputeService, server: Server, parts: list[str], question: MetadataRequest
) -> MetadataResponse:
    if not parts:
        return _text("\n".join(_OPENSTACK))
    if parts[0] not in _OPENSTACK or len(parts) > 2:
        return _NOT_FOUND
    if parts[1:] == ["password"]:
        return _answer_password(compute, server, question)
    if question.method not in ("GET", "HEAD"):
        return MetadataResponse(405, b"")
    documents = _documents(compute, server, compute.networks.ports_of(server.id))
    if len(parts) == 1:
        return _text("\n".join(sorted([*documents, "password"])))
    content = documents.get(parts[1])
    if content is None:
        return _NOT_FOUND
    return MetadataResponse(200, content, _JSON if parts[1].endswith(".json") else "application/octet-stream")


def _answer_password(compute: ComputeService, server: Server, question: MetadataRequest) -> MetadataResponse:
    """A server can post its encrypted password once."""
    if question.method != "POST":
        return _text(server.password)
    if server.password:
        return MetadataResponse(409)
    if len(question.body) > _PASSWORD_LENGTH:
        return MetadataResponse(400)
    compute.records.servers.put(replace(server, password=question.body.decode("utf-8", "replace")))
    return MetadataResponse(200)


def _answer_ec2(compute: ComputeService, server: Server, parts: list[str]) -> MetadataResponse:
    if len(parts) == 1:
        return _text("meta-data/\nuser-data" if server.user_data else "meta-data/")
    if parts[1] == "user-data" and len(parts) == 2:
        given = user_data(server)
        return _NOT_FOUND if given is None else MetadataResponse(200, given, "application/octet-stream")
    if parts[1] != "meta-data":
        return _NOT_FOUND
    place: Tree | str = ec2_data(server, compute.networks.ports_of(server.id))
    for part in parts[2:]:
        if not isinstance(place, Mapping) or part not in place:
            return _NOT_FOUND
        place = place[part]
    if isinstance(place, str):
        return _text(place)
    return _text("\n".join(_entry(server, parts, name, below) for name, below in place.items()))


def _entry(server: Server, parts: list[str], name: str, below: Tree | str) -> str:
    """An entry in the listing of a directory."""
    if parts[-1] == "public-keys":
        return f"{name}={server.key_name}"
    return name if isinstance(below, str) else f"{name}/"


def _text(content: str) -> MetadataResponse:
    return MetadataResponse(200, content.encode())
