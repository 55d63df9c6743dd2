"""Host aggregates: groups of hosts, which may be an availability zone."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.records import Aggregate, new_id
from calor.localcloud.compute.requests import plain_name, strict
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import HOST, ComputeService, with_microseconds
from calor.localcloud.policy import admins
from calor.localcloud.problems import BadRequest, Conflict, NotFound
from calor.localcloud.requests import Reader, identifier, mapping, nullable, text
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

_ZONE = "availability_zone"
_NAMED: dict[str, Reader[object]] = {"name": plain_name}
_ZONED: dict[str, Reader[object]] = {_ZONE: nullable(plain_name)}
_NEW = strict(_NAMED, _ZONED)
_CHANGE = strict(optional={**_NAMED, **_ZONED})
_HOST_FORM = strict({"host": identifier})
_ACTIONS = ("add_host", "remove_host", "set_metadata")


def list_aggregates(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"aggregates": [_show(call, each) for each in compute.records.aggregates.find()]})


def create_aggregate(compute: ComputeService, call: Call) -> Reply:
    given = call.read_in("aggregate", _NEW)
    aggregates = compute.records.aggregates
    if aggregates.first(name=given["name"]):
        raise Conflict(f"Aggregate {given['name']} already exists.")
    zone = given.get(_ZONE)
    made = aggregates.add(
        Aggregate(
            id=str(max((int(each.id) for each in aggregates.find()), default=0) + 1),
            uuid=new_id(),
            name=given["name"],
            created=compute.stamp(),
            metadata={_ZONE: zone} if zone else {},
        )
    )
    shown = _show(call, made)
    # hosts and metadata of a new aggregate are not shown.
    return Reply(
        body={"aggregate": {name: shown[name] for name in shown if name not in ("hosts", "metadata")}}
    )


def get_aggregate(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"aggregate": _show(call, _need(compute, call))})


def update_aggregate(compute: ComputeService, call: Call) -> Reply:
    aggregate, given = _need(compute, call), call.read_in("aggregate", _CHANGE)
    if not given:
        raise BadRequest("The request contains no changes.")
    if _ZONE in given:
        _check_emptiness(compute, aggregate, given[_ZONE])
    return _kept(
        compute,
        call,
        replace(
            aggregate,
            name=given.get("name", aggregate.name),
            metadata=_merge_metadata(aggregate, {_ZONE: given[_ZONE]} if _ZONE in given else {}),
        ),
    )


def delete_aggregate(compute: ComputeService, call: Call) -> Reply:
    aggregate = _need(compute, call)
    if aggregate.hosts:
        raise BadRequest(f"Aggregate {aggregate.id} is not empty.")
    compute.records.aggregates.remove(aggregate.id)
    return Reply(200)


def act(compute: ComputeService, call: Call) -> Reply:
    body = call.read(mapping)
    aggregate = _need(compute, call)
    if len(body) != 1 or next(iter(body)) not in _ACTIONS:
        raise BadRequest(f"The body must have exactly one member, one of {', '.join(_ACTIONS)}.")
    [(name, content)] = body.items()
    if name == "set_metadata":
        given = strict({"metadata": _metadata})(content, name)["metadata"]
        if _ZONE in given:
            _check_emptiness(compute, aggregate, given[_ZONE])
        return _kept(compute, call, replace(aggregate, metadata=_merge_metadata(aggregate, given)))
    host = _HOST_FORM(content, name)["host"]
    if host != HOST:
        raise NotFound.of("compute host", host)
    if name == "remove_host":
        if host not in aggregate.hosts:
            raise NotFound(f"Aggregate {aggregate.id} has no host {host}.")
        return _kept(compute, call, replace(aggregate, hosts=()))
    if host in aggregate.hosts:
        raise Conflict(f"Aggregate {aggregate.id} already has host {host}.")
    _check_one_zone(compute, aggregate)
    return _kept(compute, call, replace(aggregate, hosts=(host,)))


def _metadata(value: object, where: str) -> dict[str, str | None]:
    return {
        plain_name(key, where): nullable(text(255))(content, f"{where}.{key}")
        for key, content in mapping(value, where).items()
    }


def _merge_metadata(aggregate: Aggregate, given: dict[str, str | None]) -> dict[str, str]:
    """A null value removes an item."""
    merged = {**aggregate.metadata, **given}
    return {key: value for key, value in merged.items() if value is not None}


def _check_one_zone(compute: ComputeService, aggregate: Aggregate) -> None:
    """A host can be in one availability zone only."""
    mine = aggregate.metadata.get(_ZONE)
    for other in compute.records.aggregates.find():
        if mine and HOST in other.hosts and other.metadata.get(_ZONE, mine) != mine:
            raise Conflict(f"Host {HOST} is already in another availability zone.")


def _check_emptiness(compute: ComputeService, aggregate: Aggregate, zone: str | None) -> None:
    """Servers must not move to another zone because their host does."""
    if zone != aggregate.metadata.get(_ZONE) and aggregate.hosts and compute.records.servers.count():
        raise BadRequest("The availability zone cannot be changed while hosts have servers.")


def _kept(compute: ComputeService, call: Call, aggregate: Aggregate) -> Reply:
    kept = compute.records.aggregates.put(replace(aggregate, updated=compute.stamp()))
    return Reply(body={"aggregate": _show(call, kept)})


def _need(compute: ComputeService, call: Call) -> Aggregate:
    found = compute.records.aggregates.get(call.path["aggregate_id"])
    if found is None:
        raise NotFound.of("aggregate", call.path["aggregate_id"])
    return found


def _show(call: Call, aggregate: Aggregate) -> Json:
    shown: Json = {
        "id": int(aggregate.id),
        "name": aggregate.name,
        _ZONE: aggregate.metadata.get(_ZONE),
        "hosts": aggregate.hosts,
        "metadata": aggregate.metadata,
        "created_at": with_microseconds(aggregate.created),
        "updated_at": with_microseconds(aggregate.updated) if aggregate.updated else None,
        "deleted": False,
        "deleted_at": None,
    }
    return shown | {"uuid": aggregate.uuid} if version_of(call) >= (2, 41) else shown


_ONE = "/os-aggregates/{aggregate_id}"

ROUTES = (
    ComputeRoute("GET", "/os-aggregates", list_aggregates, admins),
    ComputeRoute("POST", "/os-aggregates", create_aggregate, admins),
    ComputeRoute("GET", _ONE, get_aggregate, admins),
    ComputeRoute("PUT", _ONE, update_aggregate, admins),
    ComputeRoute("DELETE", _ONE, delete_aggregate, admins),
    ComputeRoute("POST", f"{_ONE}/action", act, admins),
)
