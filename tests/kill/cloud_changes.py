"""Random changes to parts of templates."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.kill.cloud_additions import on, rule
from tests.kill.cloud_parts import (
    ATTACHMENT,
    FLAVORS,
    FLOATING_IP,
    IMAGES,
    KEY,
    MEMBERS,
    NESTED,
    NET,
    PORT,
    ROUTER,
    SECURITY,
    SERVER,
    SERVER_GROUP,
    SUBNET,
    VOLUME,
    Chooser,
    Part,
    Parts,
    to,
)

Change = Callable[[Chooser, str], Part]


def without(parts: Parts, before: Parts, random: Random) -> Parts:
    """Takes a part away, and all that needs it."""
    gone = {random.choice(list(parts))} if parts else set()
    while more := {name for name, part in parts.items() if part.needs() & gone} - gone:
        gone |= more
    return {name: part for name, part in parts.items() if name not in gone}


def changed_in_place(parts: Parts, before: Parts, random: Random) -> Parts:
    return _changed(parts, before, random, IN_PLACE)


def replaced(parts: Parts, before: Parts, random: Random) -> Parts:
    return _changed(parts, before, random, REPLACING)


def _changed(parts: Parts, before: Parts, random: Random, how: dict[str, Change]) -> Parts:
    choose = Chooser(parts, before, random)
    name = choose.some([name for name, part in parts.items() if part.type in how])
    return parts if name is None else {**parts, name: how[parts[name].type](choose, name)}


# In place.


def _renamed(choose: Chooser, name: str) -> Part:
    return choose.parts[name].with_(name=choose.name())


def _other_subnet(choose: Chooser, name: str) -> Part:
    part = choose.parts[name]
    if choose.random.random() < 0.5:
        return part.with_(dns_nameservers=[f"192.0.2.{choose.random.randrange(1, 250)}"])
    return part.with_(enable_dhcp=not part.properties.get("enable_dhcp", True))


def _other_guard(choose: Chooser, name: str) -> Part:
    guard = choose.one(SECURITY)
    if guard is None:
        return _renamed(choose, name)
    return choose.parts[name].with_(security_groups=[to(guard)])


def _other_rules(choose: Chooser, name: str) -> Part:
    part = choose.parts[name]
    kept = part.properties["rules"][:1] if choose.random.random() < 0.5 else []
    return part.with_(rules=[*kept, rule(choose)], description=choose.fresh("text"))


def _other_server(choose: Chooser, name: str) -> Part:
    changes: list[dict[str, Any]] = [
        {"name": choose.name()},
        {"metadata": {"mark": choose.fresh("m")}},
        {"flavor": choose.random.choice(FLAVORS)},
        {"image": choose.random.choice(IMAGES)},
    ]
    if (port := choose.some(choose.free(PORT, SERVER))) is not None:
        changes.append({"networks": [{"port": to(port)}]})
    return choose.parts[name].with_(**choose.random.choice(changes))


def _larger(choose: Chooser, name: str) -> Part:
    part = choose.parts[name]
    larger = {"size": part.properties["size"] + 1}
    return part.with_(**choose.random.choice([larger, {"description": choose.fresh("text")}]))


def _reattached(choose: Chooser, name: str) -> Part:
    part = choose.parts[name]
    volume = choose.some(choose.free(VOLUME, ATTACHMENT))
    if volume is not None and choose.random.random() < 0.5:
        return part.with_(volume_id=to(volume))
    return part.with_(instance_uuid=to(choose.random.choice(choose.of(SERVER))))


def _other_size(choose: Chooser, name: str) -> Part:
    return _member(choose.parts[name], name=choose.name()).with_(count=choose.random.randint(0, 4))


def _member(part: Part, **properties: Any) -> Part:
    """A group whose members have other properties."""
    member = part.properties["resource_def"]
    return part.with_(resource_def={**member, "properties": {**member["properties"], **properties}})


IN_PLACE: dict[str, Change] = {
    NET: _renamed,
    SUBNET: _other_subnet,
    ROUTER: _renamed,
    PORT: _other_guard,
    SECURITY: _other_rules,
    SERVER: _other_server,
    VOLUME: _larger,
    ATTACHMENT: _reattached,
    MEMBERS: _other_size,
    NESTED: _renamed,
}


# By replacement.


def _elsewhere(choose: Chooser, name: str) -> Part:
    """Its range of addresses changes, unless a floating address leads to one of them."""
    led_to = any(choose.users(one, FLOATING_IP) for one in choose.users(name, PORT))
    return choose.parts[name] if led_to else choose.parts[name].with_(cidr=choose.cidr())


def _moved(choose: Chooser, name: str) -> Part:
    subnet = choose.one(SUBNET)
    if subnet is None or choose.users(name, FLOATING_IP):
        return choose.parts[name]
    return choose.parts[name].with_(**on(choose, subnet))


def _script(choose: Chooser) -> str:
    return f"#!/bin/sh\necho {choose.fresh('hello')}\n"


REPLACING: dict[str, Change] = {
    SUBNET: _elsewhere,
    PORT: _moved,
    SERVER: lambda choose, name: choose.parts[name].with_(user_data=_script(choose)),
    VOLUME: lambda choose, name: choose.parts[name].with_(image=choose.random.choice(IMAGES)),
    KEY: lambda choose, name: choose.parts[name].with_(name=choose.fresh("key-")),
    SERVER_GROUP: lambda choose, name: choose.parts[name].with_(name=choose.fresh("group")),
    MEMBERS: lambda choose, name: _member(choose.parts[name], user_data=_script(choose)),
    NESTED: lambda choose, name: choose.parts[name].with_(cidr=choose.cidr()),
}
