"""Roles of users and groups in projects and domains, as templates list them."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from calor.clouds.errors import NotFound
from calor.resources.services import CloudServices
from calor.resources.values import Properties


@dataclass(frozen=True, slots=True)
class Grant:
    """A role of a user or group, in a project or for a domain."""

    role: str
    place: str
    """`projects` or `domains`"""
    place_id: str
    holders: str
    """`users` or `groups`"""
    holder: str

    @property
    def path(self) -> tuple[str, ...]:
        return self.place, self.place_id, self.holders, self.holder, "roles", self.role


async def change_roles(
    cloud: CloudServices, holders: str, holder: str, before: object, after: object
) -> None:
    """Grants new roles and revokes those that are no longer declared; roles granted elsewhere are kept."""
    await change_grants(
        cloud,
        await grants(cloud, holders, holder, before, gone_is_fine=True),
        await grants(cloud, holders, holder, after),
    )


async def change_grants(cloud: CloudServices, before: Collection[Grant], after: Collection[Grant]) -> None:
    """Granting or revoking a role twice does no harm."""
    for grant in before:
        if grant not in after:
            with suppress(NotFound):
                await cloud.request("identity", "DELETE", *grant.path)
    for grant in after:
        await cloud.request("identity", "PUT", *grant.path)


async def grants(
    cloud: CloudServices, holders: str, holder: str, roles: Any, *, gone_is_fine: bool = False
) -> Collection[Grant]:
    """The grants that a template lists; with `gone_is_fine`, those that there can still be."""
    found: dict[Grant, None] = {}
    for each in roles or ():
        try:
            found[await _grant(cloud, holders, holder, each)] = None
        except NotFound:
            if not gone_is_fine:
                raise
    return found


async def _grant(cloud: CloudServices, holders: str, holder: str, given: Properties) -> Grant:
    place = "project" if given.get("project") else "domain"
    return Grant(
        role=await cloud.id_of("keystone.role", given["role"]),
        place=f"{place}s",
        place_id=await cloud.id_of(f"keystone.{place}", given[place]),
        holders=holders,
        holder=holder,
    )
