"""The settings as frozen dataclasses, one for each part of a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from calor.fetching.addresses import Allowed


@dataclass(frozen=True, slots=True)
class Listening:
    """Where an API listens; None uses the server's default."""

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
    """Where clients reach the REST API if that is not where it listens; likewise the next two."""
    public_cfn_url: str | None
    public_cloud_url: str | None
    servers_cfn_url: str | None
    """Where servers reach the CFN API, without /v1."""
    trust_proxy_headers: bool
    largest_body: int
    body_seconds: float
    previews_at_once: int
    streams_per_project: int
    enable_adopt: bool
    enable_abandon: bool
    hidden_tags: tuple[str, ...]
    revision: str | None
    price_list: Path | None
    """The file with the prices by which templates are estimated."""


@dataclass(frozen=True, slots=True)
class Limits:
    """None means unlimited."""

    stacks_per_project: int | None
    resources_per_stack: int | None
    snapshots_per_stack: int | None
    configs_per_project: int | None
    deployments_per_project: int | None
    nested_depth: int
    template_size: int
    value_size: int
    stack_values_size: int
    signals_per_resource: int
    preview_seconds: float


@dataclass(frozen=True, slots=True)
class Engine:
    workers: int
    action_timeout: float
    retry_limit: int
    cleaning_interval: float
    event_age: float | None
    """Seconds; None keeps events forever. Likewise for deleted stacks."""
    deleted_stack_age: float | None
    events_per_stack: int | None
    cleaning_batch: int
    fetch_timeout: float
    converge: bool
    """Whether updates always compare with the real resources."""
    property_defaults: Mapping[str, str]
    environment_dir: Path | None
    template_dir: Path | None
    agent_polling_interval: int | None
    """Seconds; None uses the default for the cloud."""


@dataclass(frozen=True, slots=True)
class ApplicationCredential:
    """Identified by its id, or by its name and user."""

    secret: str = field(repr=False)
    id: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class Account:
    """An account to log in with. Ids of domains, user and project take precedence over names."""

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
    """How servers' certificates are verified: by the system's CAs, by those of a file, or not at all."""

    ca_file: str | None
    insecure: bool


@dataclass(frozen=True, slots=True)
class Client:
    """How to reach one service; None uses the setting for all."""

    endpoint_type: str | None = None
    ca_file: str | None = None
    insecure: bool | None = None
    certificate: tuple[str, str] | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Clients:
    services: Mapping[str, Client]
    """The services with their own settings, by Heat's names: nova, neutron."""
    certificate: tuple[str, str] | None
    shared_region: str | None
    shared_types: tuple[str, ...]
    newest_versions: Mapping[str, str]
    """The newest microversions to use, by the same names."""


@dataclass(frozen=True, slots=True)
class Auth:
    flavor: str
    backend: str | None
    backend_settings: Mapping[str, str]
    account: Account | None
    """None if the embedded identity service is used."""
    trustee: Account | None
    public_url: str | None
    signatures_url: str | None
    signature_accounts: tuple[tuple[Account, Certificates], ...]
    """The accounts that verify signatures, tried in order; empty if the service account does."""
    clients_url: str | None
    token_seconds: int
    identity_certificates: Certificates
    service_certificates: Certificates
    clients: Clients
    clouds: tuple[str, ...]
    """The identity services that X-Auth-Url may name; if empty, the header is ignored."""
    policy_file: Path | None
    policy_dirs: tuple[Path, ...]
    region: str | None
    endpoint_type: str
    delegated_roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Users:
    """The domain of stacks' users."""

    domain_id: str | None
    domain_name: str
    admin: str | None
    admin_password: str | None = field(repr=False)
    role: str


@dataclass(frozen=True, slots=True)
class Logging:
    debug: bool
    file: str | None
    """None logs to standard error."""
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
    """Where templates and images may be fetched from besides public addresses."""
    metrics_address: tuple[str, int] | None
    """Where metrics are served besides the API."""
    stopping_seconds: float | None
    """How long a stopping process waits for unfinished work; None uses each process's default, 0 waits forever."""
    database_url: str | None = field(repr=False)
    encryption_keys: tuple[bytes, ...] = field(repr=False)
    """The first encrypts, all of them decrypt. If empty, the state directory's keys are used."""
    seal_all: bool
