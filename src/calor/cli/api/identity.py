"""Logging in at Keystone v3, and what its catalog says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from calor.cli.api.http import Answer, Http
from calor.cli.api.settings import CloudSettings
from calor.cli.errors import CommandError, Unavailable


@dataclass(frozen=True, slots=True)
class Access:
    """Who one is at a cloud, and where its services are."""

    token: str | None = field(repr=False)
    project_id: str | None = None
    project_name: str | None = None
    catalog: tuple[Mapping[str, Any], ...] = ()


def log_in(settings: CloudSettings, http: Http) -> Access:
    """Raises CommandError."""
    if settings.auth_type in ("none", "noauth"):
        return Access(None)
    auth = settings.auth
    token = auth.get("token")
    if settings.auth_type in ("admin_token", "token_endpoint"):
        return Access(token)
    url = auth.get("auth_url")
    if not url:
        if token and "orchestration" in settings.overrides:
            return Access(token)
        raise CommandError(f"the cloud {settings.name} has no auth_url", "set OS_AUTH_URL")
    address = f"{_versioned(url)}/auth/tokens"
    body = {"auth": {"identity": _identity(settings), **_scope(settings)}}
    answer = http.send("POST", address, {"Content-Type": "application/json"}, json.dumps(body).encode())
    if answer.status != 201:
        raise _refused(settings, answer)
    content = answer.json()
    shown = content.get("token") if isinstance(content, dict) else None
    if not isinstance(shown, dict):
        raise CommandError(f"{address} is not a Keystone: its answer has no token", "check the auth_url")
    project = shown.get("project") or {}
    return Access(
        answer.headers.get("x-subject-token", ""),
        project.get("id"),
        project.get("name"),
        tuple(shown.get("catalog") or ()),
    )


def renews(settings: CloudSettings) -> bool:
    """Whether one can log in again when a token has ended: a token that was given ends for good."""
    return settings.auth_type in ("password", "v3password", "v3applicationcredential")


def endpoint(settings: CloudSettings, access: Access, service_type: str) -> str:
    """Where a service is. Raises CommandError."""
    stated = settings.overrides.get(service_type)
    if stated is None and service_type == settings.service_type:
        stated = settings.overrides.get("orchestration")
    if stated:
        return _with_project(stated, access)
    for service in access.catalog:
        if service.get("type") != service_type:
            continue
        for one in service.get("endpoints") or ():
            if one.get("interface") != settings.interface:
                continue
            if settings.region in (None, one.get("region"), one.get("region_id")):
                return str(one["url"]).rstrip("/")
    where = f" in the region {settings.region}" if settings.region else ""
    raise CommandError(
        f"the cloud {settings.name} has no {settings.interface} endpoint of type {service_type}{where}",
        "see `openstack catalog list`",
    )


def _with_project(url: str, access: Access) -> str:
    """A stated address may leave the project to be filled in, or to be added."""
    for place in ("%(project_id)s", "%(tenant_id)s", "$(project_id)s", "$(tenant_id)s"):
        url = url.replace(place, access.project_id or "")
    return f"{url}/{access.project_id}" if re.search(r"/v1\Z", url) and access.project_id else url


def _identity(settings: CloudSettings) -> dict[str, Any]:
    auth = settings.auth
    kind = settings.auth_type
    if kind in ("password", "v3password"):
        if "password" not in auth:
            raise CommandError(f"the cloud {settings.name} has no password", "set OS_PASSWORD")
        user = {**_user(settings), "password": auth["password"]}
        return {"methods": ["password"], "password": {"user": user}}
    if kind in ("token", "v3token"):
        return {"methods": ["token"], "token": {"id": auth.get("token", "")}}
    if kind == "v3applicationcredential":
        credential: dict[str, Any] = {"secret": auth.get("application_credential_secret", "")}
        if "application_credential_id" in auth:
            credential["id"] = auth["application_credential_id"]
        else:
            credential |= {"name": auth.get("application_credential_name", ""), "user": _user(settings)}
        return {"methods": ["application_credential"], "application_credential": credential}
    raise CommandError(
        f"the cloud {settings.name} wants the auth_type {kind}, which is not supported",
        "password, v3token and v3applicationcredential are",
    )


def _user(settings: CloudSettings) -> dict[str, Any]:
    auth = settings.auth
    if "user_id" in auth:
        return {"id": auth["user_id"]}
    if "username" not in auth:
        raise CommandError(f"the cloud {settings.name} names no user", "set OS_USERNAME")
    return {"name": auth["username"], "domain": _domain(auth, "user")}


def _domain(auth: Mapping[str, str], whose: str) -> dict[str, str]:
    if f"{whose}_domain_id" in auth:
        return {"id": auth[f"{whose}_domain_id"]}
    if f"{whose}_domain_name" in auth:
        return {"name": auth[f"{whose}_domain_name"]}
    return {"id": auth.get("default_domain", "default")}


def _scope(settings: CloudSettings) -> dict[str, Any]:
    auth = settings.auth
    if settings.auth_type == "v3applicationcredential":
        return {}
    if "trust_id" in auth:
        return {"scope": {"OS-TRUST:trust": {"id": auth["trust_id"]}}}
    if "project_id" in auth:
        return {"scope": {"project": {"id": auth["project_id"]}}}
    if "project_name" in auth:
        project = {"name": auth["project_name"], "domain": _domain(auth, "project")}
        return {"scope": {"project": project}}
    if "domain_id" in auth or "domain_name" in auth:
        key = "id" if "domain_id" in auth else "name"
        return {"scope": {"domain": {key: auth[f"domain_{key}"]}}}
    return {"scope": {"system": {"all": True}}} if auth.get("system_scope") == "all" else {}


def _versioned(auth_url: str) -> str:
    return re.sub(r"/v(2\.0|3)\Z", "", auth_url.rstrip("/")) + "/v3"


def _refused(settings: CloudSettings, answer: Answer) -> CommandError:
    content = answer.json()
    error = content.get("error") if isinstance(content, dict) else None
    said = error.get("message") if isinstance(error, dict) else None
    if answer.status == 401:
        return CommandError(
            f"the cloud {settings.name} does not accept the log-in: {said or 'not authorized'}",
            "check user, password and project",
        )
    kind = Unavailable if answer.status >= 500 else CommandError
    reason = f"{answer.status} {said}" if said else answer.words() or answer.status
    return kind(f"logging in at {settings.auth.get('auth_url')} failed: {reason}")
