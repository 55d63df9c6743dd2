"""Host aggregates: groups of hosts, which may be an availability zone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from calor.localcloud.compute.forms import plain_name, strict
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.records import Aggregate, new_id
from calor.localcloud.compute.rules import ComputeRoute, admins
from calor.localcloud.compute.state import HOST, Compute, with_fractions
from calor.localcloud.problems import BadRequest, Conflict, NotFound
from calor.localcloud.reading import Reader, identifier, mapping, nullable, text
from calor.localcloud.web import Call, Reply

_ZONE = "availability_zone"
_NAMED: dict[str, Reader] = {"name": plain_name}
_ZONED: dict[str, Reader] = {_ZONE: nullable(plain_name)}
_NEW = strict(_NAMED, _ZONED)
_CHANGE = strict(optional={**_NAMED, **_ZONED})
_HOST_FORM = strict({"host": identifier})
_ACTIONS = ("add_host", "remove_host", "set_metadata")


def list_aggregates(compute: Compute, call: Call) -> Reply:
    return Reply(body={"aggregates": [_show(call, each) for each in compute.records.aggregates.find()]})


def create_aggregate(compute: Compute, call: Call) -> Reply:
    given = call.read_in("aggregate", _NEW)
    aggregates = compute.records.aggregates
    if aggregates.first(name=given["name"]):
        raise Conflict(f"There is already an aggregate {given['name']}.")
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
    # What a new one cannot have yet is not shown.
    return Reply(
        body={"aggregate": {name: shown[name] for name in shown if name not in ("hosts", "metadata")}}
    )


def get_aggregate(compute: Compute, call: Call) -> Reply:
    return Reply(body={"aggregate": _show(call, _need(compute, call))})


def update_aggregate(compute: Compute, call: Call) -> Reply:
    aggregate, given = _need(compute, call), call.read_in("aggregate", _CHANGE)
    if not given:
        raise BadRequest("There is nothing to change.")
    if _ZONE in given:
        _check_emptiness(compute, aggregate, given[_ZONE])
    return _kept(
        compute,
        call,
        replace(
            aggregate,
            name=given.get("name", aggregate.name),
            metadata=_merged(aggregate, {_ZONE: given[_ZONE]} if _ZONE in given else {}),
        ),
    )


def delete_aggregate(compute: Compute, call: Call) -> Reply:
    aggregate = _need(compute, call)
    if aggregate.hosts:
        raise BadRequest(f"The aggregate {aggregate.id} has hosts.")
    compute.records.aggregates.remove(aggregate.id)
    return Reply(200)


def act(compute: Compute, call: Call) -> Reply:
    body = call.read(mapping)
    aggregate = _need(compute, call)
    if len(body) != 1 or next(iter(body)) not in _ACTIONS:
        raise BadRequest(f"The body must have one member, one of {', '.join(_ACTIONS)}.")
    [(name, content)] = body.items()
    if name == "set_metadata":
        given = strict({"metadata": _metadata})(content, name)["metadata"]
        if _ZONE in given:
            _check_emptiness(compute, aggregate, given[_ZONE])
        return _kept(compute, call, replace(aggregate, metadata=_merged(aggregate, given)))
    host = _HOST_FORM(content, name)["host"]
    if host != HOST:
        raise NotFound.of("compute host", host)
    if name == "remove_host":
        if host not in aggregate.hosts:
            raise NotFound(f"The aggregate {aggregate.id} does not have the host {host}.")
        return _kept(compute, call, replace(aggregate, hosts=()))
    if host in aggregate.hosts:
        raise Conflict(f"The aggregate {aggregate.id} has the host {host} already.")
    _check_one_zone(compute, aggregate)
    return _kept(compute, call, replace(aggregate, hosts=(host,)))


def _metadata(value: Any, where: str) -> dict[str, str | None]:
    return {
        plain_name(key, where): nullable(text(255))(content, f"{where}.{key}")
        for key, content in mapping(value, where).items()
    }


def _merged(aggregate: Aggregate, given: dict[str, str | None]) -> dict[str, str]:
    """A value of null takes an item away."""
    merged = {**aggregate.metadata, **given}
    return {key: value for key, value in merged.items() if value is not None}


def _check_one_zone(compute: Compute, aggregate: Aggregate) -> None:
    """A host is in one zone at most."""
    mine = aggregate.metadata.get(_ZONE)
    for other in compute.records.aggregates.find():
        if mine and HOST in other.hosts and other.metadata.get(_ZONE, mine) != mine:
            raise Conflict(f"The host {HOST} is in another availability zone already.")


def _check_emptiness(compute: Compute, aggregate: Aggregate, zone: str | None) -> None:
    """Servers must not move to another zone because their host does."""
    if zone != aggregate.metadata.get(_ZONE) and aggregate.hosts and compute.records.servers.count():
        raise BadRequest("The zone cannot be changed while the hosts have servers.")


def _kept(compute: Compute, call: Call, aggregate: Aggregate) -> Reply:
    kept = compute.records.aggregates.put(replace(aggregate, updated=compute.stamp()))
    return Reply(body={"aggregate": _show(call, kept)})


def _need(compute: Compute, call: Call) -> Aggregate:
    found = compute.records.aggregates.get(call.path["aggregate_id"])
    if found is None:
        raise NotFound.of("aggregate", call.path["aggregate_id"])
    return found


def _show(call: Call, aggregate: Aggregate) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": int(aggregate.id),
        "name": aggregate.name,
        _ZONE: aggregate.metadata.get(_ZONE),
        "hosts": aggregate.hosts,
        "metadata": aggregate.metadata,
        "created_at": with_fractions(aggregate.created),
        "updated_at": with_fractions(aggregate.updated) if aggregate.updated else None,
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
