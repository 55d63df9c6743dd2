"""Records of the identity service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar
from uuid import uuid4

from calor.localcloud.problems import NotFound
from calor.localcloud.store import Collection, Document, Store
from calor.localcloud.types import Json

Extra = Mapping[str, object]


@dataclass(frozen=True)
class Project:
    """A project, or a domain, which is a project that is in no domain itself."""

    id: str
    name: str
    domain_id: str | None
    parent_id: str | None = None
    is_domain: bool = False
    enabled: bool = True
    description: str = ""
    tags: tuple[str, ...] = ()
    options: Extra = field(default_factory=dict)
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True)
class User:
    id: str
    name: str
    domain_id: str
    password_hash: str | None = None
    default_project_id: str | None = None
    enabled: bool = True
    options: Extra = field(default_factory=dict)
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    id: str
    name: str
    domain_id: str
    description: str = ""
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True)
class Membership:
    id: str
    group_id: str
    user_id: str


@dataclass(frozen=True)
class Role:
    id: str
    name: str
    domain_id: str | None = None
    description: str | None = None
    options: Extra = field(default_factory=dict)
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True)
class Implication:
    """The prior role implies the other one."""

    id: str
    prior_id: str
    implied_id: str


@dataclass(frozen=True)
class Assignment:
    """A role of a user or group on a project or domain, or on the system (whose id is `all`)."""

    id: str
    actor_kind: str
    actor_id: str
    target_kind: str
    target_id: str
    role_id: str


@dataclass(frozen=True)
class Region:
    id: str
    description: str = ""
    parent_region_id: str | None = None
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True)
class Service:
    id: str
    type: str
    name: str = ""
    description: str = ""
    enabled: bool = True
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True)
class Endpoint:
    id: str
    service_id: str
    interface: str
    url: str
    region_id: str | None = None
    enabled: bool = True
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True)
class Announcement:
    """The URL of an endpoint at the last start. An admin may have changed it since then."""

    id: str
    url: str


@dataclass(frozen=True)
class Credential:
    """A secret kept for a user. One of type ec2 has its access key hashed for an id."""

    id: str
    type: str
    blob: str
    user_id: str
    project_id: str | None = None


@dataclass(frozen=True)
class Trust:
    id: str
    trustor_user_id: str
    trustee_user_id: str
    impersonation: bool
    role_ids: tuple[str, ...]
    project_id: str | None = None
    expires_at: str | None = None
    remaining_uses: int | None = None
    redelegation_count: int = 0
    redelegated_trust_id: str | None = None


@dataclass(frozen=True)
class ApplicationCredential:
    id: str
    name: str
    user_id: str
    project_id: str
    secret_hash: str
    role_ids: tuple[str, ...]
    description: str | None = None
    expires_at: str | None = None
    unrestricted: bool = False


@dataclass(frozen=True)
class Token:
    """An issued token; its id is the hash of its text. Only what was decided at its issue is kept: roles, names and
    the catalog are looked up whenever it is validated."""

    id: str
    user_id: str
    methods: tuple[str, ...]
    audit_ids: tuple[str, ...]
    issued_at: str
    expires_at: str
    project_id: str | None = None
    domain_id: str | None = None
    system: bool = False
    trust_id: str | None = None
    application_credential_id: str | None = None


class Records:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.projects: Collection[Project] = store.collection(
            "identity_projects",
            Project,
            [("name", "domain_id"), ("parent_id",)],
            [("is_domain", "domain_id", "name")],
        )
        self.users: Collection[User] = store.collection(
            "identity_users", User, [("name", "domain_id"), ("domain_id",)], [("domain_id", "name")]
        )
        self.groups: Collection[Group] = store.collection(
            "identity_groups", Group, [("domain_id",)], [("domain_id", "name")]
        )
        self.memberships: Collection[Membership] = store.collection(
            "identity_memberships", Membership, [("group_id",), ("user_id",)]
        )
        self.roles: Collection[Role] = store.collection(
            "identity_roles", Role, [("name",)], [("domain_id", "name")]
        )
        self.implications: Collection[Implication] = store.collection("identity_implications", Implication)
        self.assignments: Collection[Assignment] = store.collection(
            "identity_assignments", Assignment, [("actor_id", "target_id"), ("target_id",), ("role_id",)]
        )
        self.regions: Collection[Region] = store.collection("identity_regions", Region)
        self.services: Collection[Service] = store.collection("identity_services", Service)
        self.endpoints: Collection[Endpoint] = store.collection(
            "identity_endpoints", Endpoint, [("service_id",), ("region_id",)]
        )
        self.announcements: Collection[Announcement] = store.collection(
            "identity_announcements", Announcement
        )
        self.credentials: Collection[Credential] = store.collection(
            "identity_credentials", Credential, [("user_id",), ("project_id",)]
        )
        self.trusts: Collection[Trust] = store.collection(
            "identity_trusts",
            Trust,
            [("trustor_user_id",), ("trustee_user_id",), ("project_id",), ("redelegated_trust_id",)],
        )
        self.application_credentials: Collection[ApplicationCredential] = store.collection(
            "identity_application_credentials",
            ApplicationCredential,
            [("user_id",), ("project_id",)],
            [("user_id", "name")],
        )
        self.tokens: Collection[Token] = store.collection(
            "identity_tokens",
            Token,
            [
                ("user_id",),
                ("project_id",),
                ("domain_id",),
                ("trust_id",),
                ("application_credential_id",),
                ("expires_at",),
            ],
        )

    def domain(self, identifier: str) -> Project | None:
        found = self.projects.get(identifier)
        return found if found and found.is_domain else None


T = TypeVar("T", bound=Document)


def new_id() -> str:
    return uuid4().hex


def need(kind: str, collection: Collection[T], identifier: str) -> T:
    """The document. Raises NotFound."""
    found = collection.get(identifier)
    if found is None:
        raise NotFound.of(kind, identifier)
    return found


def new_record(kind: type[T], given: Mapping[str, object], **settled: object) -> T:
    """A new document. Values without a field are stored in `extra`."""
    known, extra = _split_fields(kind, given)
    if extra:
        known["extra"] = extra
    return kind(**(known | settled))


def updated_record(value: T, given: Mapping[str, object]) -> T:
    """The document with changed values."""
    known, extra = _split_fields(type(value), given)
    if extra:
        known["extra"] = {**getattr(value, "extra", {}), **extra}
    return replace(value, **known)


def _split_fields(kind: type[Any], given: Mapping[str, Any]) -> tuple[Json, Json]:
    names = {each.name for each in fields(kind)} - {"extra", "password_hash"}
    free = {name: value for name, value in given.items() if name not in ("id", "links")}
    known = {name: value for name, value in free.items() if name in names}
    return known, {name: value for name, value in free.items() if name not in names}
