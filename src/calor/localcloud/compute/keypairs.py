"""Keypairs: public keys that users have put into their servers."""

from __future__ import annotations

import re

from calor.localcloud.compute.keys import fingerprint_of, generate_certificate, generate_ssh_key
from calor.localcloud.compute.lists import STYLE
from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.policy import members
from calor.localcloud.compute.quotas import check_limit
from calor.localcloud.compute.records import Keypair, new_id
from calor.localcloud.compute.requests import strict
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import ComputeService, with_microseconds
from calor.localcloud.lists import Page, list_body
from calor.localcloud.policy import readers
from calor.localcloud.problems import BadRequest, Conflict, Forbidden, NotFound
from calor.localcloud.requests import Reader, identifier, one_of, text
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply


def _name(more: str) -> Reader[str]:
    def read(value: object, where: str) -> str:
        written: str = text(255, shortest=1)(value, where)
        if not re.fullmatch(rf"[a-zA-Z0-9_ \-{more}]+", written) or written != written.strip():
            raise BadRequest(f"{where} must consist of letters, digits, spaces, hyphens and underscores.")
        return written

    return read


def _form(version: Version) -> Reader[Json]:
    required: dict[str, Reader[object]] = {"name": _name("" if version < (2, 92) else "@.")}
    optional: dict[str, Reader[object]] = {"public_key": text(16_384, shortest=1)}
    if version >= (2, 2):
        optional["type"] = one_of("ssh", "x509")
    if version >= (2, 10):
        optional["user_id"] = identifier
    if version >= (2, 92):
        # Since 2.92, private keys are not generated any more.
        required["public_key"] = optional.pop("public_key")
    return strict(required, optional)


def list_keypairs(compute: ComputeService, call: Call) -> Reply:
    version = version_of(call)
    found = compute.records.keypairs.find(user_id=_user(call))
    page: Page[Keypair] = Page(found)
    if version >= (2, 35):
        found.sort(key=lambda keypair: keypair.name)
        page = STYLE.page(call, found, lambda keypair: keypair.name)
    shown = [{"keypair": _show_brief(keypair, version)} for keypair in page.items]
    return Reply(body=list_body("keypairs", shown, page.links(call)))


async def create_keypair(compute: ComputeService, call: Call) -> Reply:
    version = version_of(call)
    _check_not_delegated(call)
    given = call.read_in("keypair", _form(version))
    user_id, kind = _check_user(call, given.get("user_id")), given.get("type", "ssh")
    if compute.records.keypairs.first(user_id=user_id, name=given["name"]):
        raise Conflict(f"Keypair {given['name']} already exists.")
    check_limit(
        compute,
        call.caller.project_id or "",
        "key_pairs",
        compute.records.keypairs.count(user_id=user_id) + 1,
    )
    private, public = None, given.get("public_key")
    if public is None:
        if kind == "x509":
            key = await compute.context.background.in_thread(
                generate_certificate, user_id, compute.context.clock()
            )
        else:
            key = await compute.context.background.in_thread(generate_ssh_key)
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


def get_keypair(compute: ComputeService, call: Call) -> Reply:
    keypair, version = _need(compute, call), version_of(call)
    shown = {
        **_show_brief(keypair, version),
        "user_id": keypair.user_id,
        "id": int(keypair.id[:7], 16),
        "created_at": with_microseconds(keypair.created),
        "updated_at": None,
        "deleted_at": None,
        "deleted": False,
    }
    return Reply(body={"keypair": shown})


def delete_keypair(compute: ComputeService, call: Call) -> Reply:
    _check_not_delegated(call)
    compute.records.keypairs.remove(_need(compute, call).id)
    return Reply(202) if version_of(call) < (2, 2) else NO_CONTENT


def _show_brief(keypair: Keypair, version: Version) -> Json:
    shown = {
        "name": keypair.name,
        "public_key": keypair.public_key,
        "fingerprint": keypair.fingerprint,
    }
    return shown | {"type": keypair.type} if version >= (2, 2) else shown


def _user(call: Call) -> str:
    asked = call.query.get("user_id") if version_of(call) >= (2, 10) else None
    return _check_user(call, asked)


def _check_user(call: Call, user_id: str | None) -> str:
    """Only admins can access keypairs of other users."""
    if user_id not in (None, call.caller.user_id) and not call.caller.is_admin:
        raise Forbidden("You are not authorized to access keypairs of other users.")
    return user_id or call.caller.user_id


def _check_not_delegated(call: Call) -> None:
    """A key pair is its user's in all projects; what is delegated is for one of them. Services may, as stacks have key
    pairs."""
    if call.caller.deputy:
        raise Forbidden(
            "Keypairs belong to a user in all projects: they cannot be changed with a trust to another user."
        )


def _need(compute: ComputeService, call: Call) -> Keypair:
    found = compute.records.keypairs.first(user_id=_user(call), name=call.path["name"])
    if found is None:
        raise NotFound.of("keypair", call.path["name"])
    return found


ROUTES = (
    ComputeRoute("GET", "/os-keypairs", list_keypairs, readers),
    ComputeRoute("POST", "/os-keypairs", create_keypair, members),
    ComputeRoute("GET", "/os-keypairs/{name}", get_keypair, readers),
    ComputeRoute("DELETE", "/os-keypairs/{name}", delete_keypair, members),
)
