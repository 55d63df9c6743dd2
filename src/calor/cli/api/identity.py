"""Authentication with Keystone v3, and the service catalog."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from calor.cli.api.http import Answer, Http
from calor.cli.api.settings import CloudSettings
from calor.cli.errors import CommandError, Unavailable
from calor.cli.json_values import JsonMapping, JsonObject


@dataclass(frozen=True, slots=True)
class Access:
    """A token of a cloud, its project and the catalog."""

    token: str | None = field(repr=False)
    project_id: str | None = None
    project_name: str | None = None
    catalog: tuple[JsonMapping, ...] = ()


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
        raise CommandError(
            f"{address} is not a Keystone API: the response has no token", "check the auth_url"
        )
    project = shown.get("project") or {}
    return Access(
        answer.headers.get("x-subject-token", ""),
        project.get("id"),
        project.get("name"),
        tuple(shown.get("catalog") or ()),
    )


def renews(settings: CloudSettings) -> bool:
    """Whether a new token can be requested when one has expired; a token that was given cannot be renewed."""
    return settings.auth_type in ("password", "v3password", "v3applicationcredential")


def endpoint(settings: CloudSettings, access: Access, service_type: str) -> str:
    """The URL of a service. Raises CommandError."""
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
    """An endpoint override may have a placeholder for the project, or need the project added."""
    for place in ("%(project_id)s", "%(tenant_id)s", "$(project_id)s", "$(tenant_id)s"):
        url = url.replace(place, access.project_id or "")
    return f"{url}/{access.project_id}" if re.search(r"/v1\Z", url) and access.project_id else url


def _identity(settings: CloudSettings) -> JsonObject:
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
        credential: JsonObject = {"secret": auth.get("application_credential_secret", "")}
        if "application_credential_id" in auth:
            credential["id"] = auth["application_credential_id"]
        else:
            credential |= {"name": auth.get("application_credential_name", ""), "user": _user(settings)}
        return {"methods": ["application_credential"], "application_credential": credential}
    raise CommandError(
        f"the cloud {settings.name} uses the auth_type {kind}, which is not supported",
        "password, v3token and v3applicationcredential are",
    )


def _user(settings: CloudSettings) -> JsonObject:
    auth = settings.auth
    if "user_id" in auth:
        return {"id": auth["user_id"]}
    if "username" not in auth:
        raise CommandError(f"the cloud {settings.name} has no user", "set OS_USERNAME")
    return {"name": auth["username"], "domain": _domain(auth, "user")}


def _domain(auth: Mapping[str, str], whose: str) -> dict[str, str]:
    if f"{whose}_domain_id" in auth:
        return {"id": auth[f"{whose}_domain_id"]}
    if f"{whose}_domain_name" in auth:
        return {"name": auth[f"{whose}_domain_name"]}
    return {"id": auth.get("default_domain", "default")}


def _scope(settings: CloudSettings) -> JsonObject:
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
    message = error.get("message") if isinstance(error, dict) else None
    if answer.status == 401:
        return CommandError(
            f"the cloud {settings.name} refuses the log-in: {message or 'not authorized'}",
            "check user, password and project",
        )
    kind = Unavailable if answer.status >= 500 else CommandError
    reason = f"{answer.status} {message}" if message else answer.words() or answer.status
    return kind(f"logging in at {settings.auth.get('auth_url')} failed: {reason}")
