"""A configuration as values, one for each part of a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from calor.fetching.addresses import Allowed


@dataclass(frozen=True, slots=True)
class Listening:
    """Where an API listens; None is for the server to choose."""

    host: str | None
    port: int | None
    cert_file: str | None
    key_file: str | None
    backlog: int


@dataclass(frozen=True, slots=True)
class Cors:
    origins: tuple[str, ...]
    credentials: bool
    expose_headers: tuple[str, ...]
    max_age: int
    methods: tuple[str, ...]
    headers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Api:
    rest: Listening
    cfn: Listening
    cors: Cors
    workers: int
    public_host: str | None
    public_url: str | None
    """Where clients reach the REST API, if that is not where it listens; so are the next two."""
    public_cfn_url: str | None
    public_cloud_url: str | None
    servers_cfn_url: str | None
    """Where servers reach the CFN API, without its version."""
    trust_proxy_headers: bool
    largest_body: int
    body_seconds: float
    previews_at_once: int
    enable_adopt: bool
    enable_abandon: bool
    hidden_tags: tuple[str, ...]
    revision: str | None


@dataclass(frozen=True, slots=True)
class Limits:
    """None is no limit."""

    stacks_per_project: int | None
    resources_per_stack: int | None
    snapshots_per_stack: int | None
    configs_per_project: int | None
    deployments_per_project: int | None
    nested_depth: int
    template_size: int
    preview_seconds: float


@dataclass(frozen=True, slots=True)
class Engine:
    workers: int
    action_timeout: float
    retry_limit: int
    cleaning_interval: float
    event_age: float | None
    """Seconds; None keeps events for good, and so for stacks."""
    deleted_stack_age: float | None
    events_per_stack: int | None
    cleaning_batch: int
    fetch_timeout: float
    converge: bool
    """Whether updates compare with reality although they do not say so."""
    property_defaults: Mapping[str, str]
    environment_dir: Path | None
    template_dir: Path | None


@dataclass(frozen=True, slots=True)
class ApplicationCredential:
    """By its id, or by its name and its user."""

    secret: str = field(repr=False)
    id: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class Account:
    """Whom Calor logs in as. A domain's id goes before its name, and so do those of the user and the project."""

    auth_url: str
    username: str
    password: str = field(repr=False)
    project: str
    user_domain_id: str | None
    user_domain_name: str | None
    project_domain_id: str | None
    project_domain_name: str | None
    user_id: str | None = None
    project_id: str | None = None
    application_credential: ApplicationCredential | None = None


@dataclass(frozen=True, slots=True)
class Certificates:
    """How those are checked that are met: by the usual authorities, by those of a file, or not at all."""

    ca_file: str | None
    insecure: bool


@dataclass(frozen=True, slots=True)
class Client:
    """How one service is reached; None is as all are."""

    endpoint_type: str | None = None
    ca_file: str | None = None
    insecure: bool | None = None
    certificate: tuple[str, str] | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Clients:
    services: Mapping[str, Client]
    """Those that differ, by Heat's names for them: nova, neutron."""
    certificate: tuple[str, str] | None
    shared_region: str | None
    shared_types: tuple[str, ...]
    newest_versions: Mapping[str, str]
    """The newest microversions to ask for, by the same names."""


@dataclass(frozen=True, slots=True)
class Auth:
    flavor: str
    backend: str | None
    backend_settings: Mapping[str, str]
    account: Account | None
    """None: the embedded identity service knows everybody."""
    trustee: Account | None
    public_url: str | None
    signatures_url: str | None
    signature_accounts: tuple[tuple[Account, Certificates], ...]
    """Those who have signatures checked, in turn; none if the service account does."""
    clients_url: str | None
    token_seconds: int
    identity_certificates: Certificates
    service_certificates: Certificates
    clients: Clients
    clouds: tuple[str, ...]
    """The identity services that X-Auth-Url may name; none means that it does not count."""
    policy_file: Path | None
    policy_dirs: tuple[Path, ...]
    region: str | None
    endpoint_type: str
    delegated_roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Users:
    """The users of stacks, and the domain in which they live."""

    domain_id: str | None
    domain_name: str
    admin: str | None
    admin_password: str | None = field(repr=False)
    role: str


@dataclass(frozen=True, slots=True)
class Logging:
    debug: bool
    file: str | None
    """None is the standard error stream."""
    json_lines: bool
    requests: bool


@dataclass(frozen=True, slots=True)
class Settings:
    api: Api
    limits: Limits
    engine: Engine
    auth: Auth
    users: Users
    logging: Logging
    otlp_endpoint: str | None
    fetch_allowed: Allowed
    """Where templates and images may be fetched from, beside public addresses."""
    metrics_address: tuple[str, int] | None
    """Where metrics are told beside the API."""
    stopping_seconds: float | None
    """How long a process that is to stop waits for what is under way; None is for each to choose, and 0 has no end."""
    database_url: str | None = field(repr=False)
    encryption_keys: tuple[bytes, ...] = field(repr=False)
    """The first encrypts, all of them decrypt. Without any, those of the state directory are used."""
    seal_all: bool
