"""Keypairs: public keys that users have put into their servers."""

from __future__ import annotations

import re
from typing import Any

from calor.localcloud.compute.consumption import check_limit
from calor.localcloud.compute.forms import strict
from calor.localcloud.compute.keys import fingerprint_of, make_certificate, make_ssh_key
from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.paging import page_of, paged
from calor.localcloud.compute.records import Keypair, new_id
from calor.localcloud.compute.rules import ComputeRoute, readers
from calor.localcloud.compute.state import Compute, with_fractions
from calor.localcloud.problems import BadRequest, Conflict, Forbidden, NotFound
from calor.localcloud.reading import Reader, identifier, one_of, text
from calor.localcloud.web import NO_CONTENT, Call, Reply


def _name(more: str) -> Reader:
    def read(value: Any, where: str) -> str:
        written: str = text(255, shortest=1)(value, where)
        if not re.fullmatch(rf"[a-zA-Z0-9_ \-{more}]+", written) or written != written.strip():
            raise BadRequest(f"{where} must be of letters, digits, spaces, hyphens and underscores.")
        return written

    return read


def _form(version: Version) -> Reader:
    required: dict[str, Reader] = {"name": _name("" if version < (2, 92) else "@.")}
    optional: dict[str, Reader] = {"public_key": text(16_384, shortest=1)}
    if version >= (2, 2):
        optional["type"] = one_of("ssh", "x509")
    if version >= (2, 10):
        optional["user_id"] = identifier
    if version >= (2, 92):
        # From here on, no private keys are made: the cloud should never have had one.
        required["public_key"] = optional.pop("public_key")
    return strict(required, optional)


def list_keypairs(compute: Compute, call: Call) -> Reply:
    version = version_of(call)
    found = compute.records.keypairs.find(user_id=_user(call))
    following = None
    if version >= (2, 35):
        found = sorted(found, key=lambda keypair: keypair.name)
        page, following = page_of(call, found, lambda keypair: keypair.name)
        found = list(page)
    shown = [{"keypair": _show_brief(keypair, version)} for keypair in found]
    body = paged("keypairs", shown, following)
    return Reply(body=body)


async def create_keypair(compute: Compute, call: Call) -> Reply:
    version = version_of(call)
    given = call.read_in("keypair", _form(version))
    user_id, kind = _allowed(call, given.get("user_id")), given.get("type", "ssh")
    if compute.records.keypairs.first(user_id=user_id, name=given["name"]):
        raise Conflict(f"There is already a keypair {given['name']}.")
    check_limit(
        compute,
        call.caller.project_id or "",
        "key_pairs",
        compute.records.keypairs.count(user_id=user_id) + 1,
    )
    private, public = None, given.get("public_key")
    if public is None:
        if kind == "x509":
            key = await compute.ground.life.aside(make_certificate, user_id, compute.ground.clock())
        else:
            key = await compute.ground.life.aside(make_ssh_key)
        private, public = key.private, key.public
    keypair = Keypair(
        id=new_id(),
        user_id=user_id,
        name=given["name"],
        type=kind,
        public_key=public,
        fingerprint=fingerprint_of(kind, public),
        created=compute.stamp(),
    )
    compute.records.keypairs.add(keypair)
    shown = {**_show_brief(keypair, version), "user_id": user_id}
    if private is not None:
        shown["private_key"] = private
    return Reply(200 if version < (2, 2) else 201, {"keypair": shown})


def get_keypair(compute: Compute, call: Call) -> Reply:
    keypair, version = _need(compute, call), version_of(call)
    shown = {
        **_show_brief(keypair, version),
        "user_id": keypair.user_id,
        "id": int(keypair.id[:7], 16),
        "created_at": with_fractions(keypair.created),
        "updated_at": None,
        "deleted_at": None,
        "deleted": False,
    }
    return Reply(body={"keypair": shown})


def delete_keypair(compute: Compute, call: Call) -> Reply:
    compute.records.keypairs.remove(_need(compute, call).id)
    return Reply(202) if version_of(call) < (2, 2) else NO_CONTENT


def _show_brief(keypair: Keypair, version: Version) -> dict[str, Any]:
    shown = {
        "name": keypair.name,
        "public_key": keypair.public_key,
        "fingerprint": keypair.fingerprint,
    }
    return shown | {"type": keypair.type} if version >= (2, 2) else shown


def _user(call: Call) -> str:
    asked = call.query.get("user_id") if version_of(call) >= (2, 10) else None
    return _allowed(call, asked)


def _allowed(call: Call, user_id: str | None) -> str:
    """Only an admin may handle the keys of others."""
    if user_id not in (None, call.caller.user_id) and not call.caller.is_admin:
        raise Forbidden("You are not authorized to handle keypairs of other users.")
    return user_id or call.caller.user_id


def _need(compute: Compute, call: Call) -> Keypair:
    found = compute.records.keypairs.first(user_id=_user(call), name=call.path["name"])
    if found is None:
        raise NotFound.of("keypair", call.path["name"])
    return found


ROUTES = (
    ComputeRoute("GET", "/os-keypairs", list_keypairs, readers),
    ComputeRoute("POST", "/os-keypairs", create_keypair, readers),
    ComputeRoute("GET", "/os-keypairs/{name}", get_keypair, readers),
    ComputeRoute("DELETE", "/os-keypairs/{name}", delete_keypair, readers),
)
