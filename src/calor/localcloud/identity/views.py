"""Records as the API shows them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from calor.localcloud.identity.catalog import catalog_for
from calor.localcloud.identity.records import (
    ApplicationCredential,
    Credential,
    Endpoint,
    Group,
    Project,
    Records,
    Region,
    Role,
    Service,
    Trust,
    User,
)
from calor.localcloud.identity.tokens import TokenState
from calor.localcloud.types import Json
from calor.localcloud.web import Call

Shown = Json

_HIDDEN = {"extra", "password_hash", "secret_hash", "role_ids"}


def _shown(value: Any, link: str) -> Shown:
    """The fields, the extra attributes and the link."""
    known = {each.name: getattr(value, each.name) for each in fields(value) if each.name not in _HIDDEN}
    return {**getattr(value, "extra", {}), **known, "links": {"self": link}}


def show_project(call: Call, project: Project) -> Shown:
    return _shown(project, f"{call.base}/v3/projects/{project.id}")


def show_domain(call: Call, domain: Project) -> Shown:
    shown = _shown(domain, f"{call.base}/v3/domains/{domain.id}")
    return {name: shown[name] for name in shown if name not in ("domain_id", "parent_id", "is_domain")}


def show_user(call: Call, user: User) -> Shown:
    shown = _shown(user, f"{call.base}/v3/users/{user.id}")
    if user.default_project_id is None:
        del shown["default_project_id"]
    return {**shown, "password_expires_at": None}


def show_group(call: Call, group: Group) -> Shown:
    return _shown(group, f"{call.base}/v3/groups/{group.id}")


def show_role(call: Call, role: Role) -> Shown:
    return _shown(role, f"{call.base}/v3/roles/{role.id}")


def show_region(call: Call, region: Region) -> Shown:
    return _shown(region, f"{call.base}/v3/regions/{region.id}")


def show_service(call: Call, service: Service) -> Shown:
    return _shown(service, f"{call.base}/v3/services/{service.id}")


def show_endpoint(call: Call, endpoint: Endpoint) -> Shown:
    return {**_shown(endpoint, f"{call.base}/v3/endpoints/{endpoint.id}"), "region": endpoint.region_id}


def show_credential(call: Call, credential: Credential) -> Shown:
    return _shown(credential, f"{call.base}/v3/credentials/{credential.id}")


def show_trust(call: Call, trust: Trust) -> Shown:
    link = f"{call.base}/v3/OS-TRUST/trusts/{trust.id}"
    return {**_shown(trust, link), "deleted_at": None}


def show_whole_trust(call: Call, records: Records, trust: Trust) -> Shown:
    """With its roles, which lists omit."""
    shown = show_trust(call, trust)
    roles = (records.roles.get(role_id) for role_id in trust.role_ids)
    return {
        **shown,
        "roles": [show_role(call, role) for role in roles if role],
        "roles_links": {"self": f"{shown['links']['self']}/roles", "previous": None, "next": None},
    }


def show_application_credential(call: Call, records: Records, credential: ApplicationCredential) -> Shown:
    link = f"{call.base}/v3/users/{credential.user_id}/application_credentials/{credential.id}"
    roles = (records.roles.get(role_id) for role_id in credential.role_ids)
    return {
        **_shown(credential, link),
        "roles": [{"id": role.id, "name": role.name, "domain_id": role.domain_id} for role in roles if role],
    }


def show_token(records: Records, state: TokenState, with_catalog: bool) -> Shown:
    token = state.token
    shown: Shown = {
        "methods": list(token.methods),
        "user": {
            "id": state.user.id,
            "name": state.user.name,
            "domain": _project_reference(state.user_domain),
            "password_expires_at": None,
        },
        "audit_ids": list(token.audit_ids),
        "issued_at": token.issued_at,
        "expires_at": token.expires_at,
    }
    if state.project:
        domain = state.project_domain or state.project
        shown["project"] = {**_project_reference(state.project), "domain": _project_reference(domain)}
        shown["is_domain"] = state.project.is_domain
    if state.domain:
        shown["domain"] = _project_reference(state.domain)
    if token.system:
        shown["system"] = {"all": True}
    if state.is_scoped:
        shown["roles"] = [{"id": role.id, "name": role.name} for role in state.roles]
        if with_catalog:
            shown["catalog"] = catalog_for(records, state.user.id, token.project_id)
    if trust := state.trust:
        shown["OS-TRUST:trust"] = {
            "id": trust.id,
            "impersonation": trust.impersonation,
            "trustor_user": {"id": trust.trustor_user_id},
            "trustee_user": {"id": trust.trustee_user_id},
        }
    if credential := state.application_credential:
        shown["application_credential"] = {
            "id": credential.id,
            "name": credential.name,
            "restricted": not credential.unrestricted,
        }
    return shown


def _project_reference(project: Project) -> Shown:
    return {"id": project.id, "name": project.name}
