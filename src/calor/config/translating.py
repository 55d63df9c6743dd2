"""Translates options to settings, and checks that they are consistent."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from oslo_config import cfg

from calor.config import accounts
from calor.config.keys import UnusableKey, configured_keys
from calor.config.loading import PLUG_IN_SECTION, ConfigError, LoadedConfig
from calor.config.settings import (
    Api,
    Auth,
    Certificates,
    Clients,
    Cors,
    Engine,
    Limits,
    Listening,
    Logging,
    Settings,
    Users,
)
from calor.fetching.addresses import Allowed

DAY = 86_400.0
LOG_FILE = "calor.log"


def settings_of(loaded: LoadedConfig) -> Settings:
    """The settings. Raises ConfigError if options contradict each other."""
    conf: cfg.ConfigOpts = loaded.conf
    config_dir = Path(loaded.files[0]).parent if loaded.files else None
    return Settings(
        api=_api(conf, config_dir),
        limits=Limits(
            stacks_per_project=_limit(conf.max_stacks_per_tenant),
            resources_per_stack=_limit(conf.max_resources_per_stack),
            snapshots_per_stack=_limit(conf.max_snapshots_per_stack),
            configs_per_project=_limit(conf.max_software_configs_per_tenant),
            deployments_per_project=_limit(conf.max_software_deployments_per_tenant),
            nested_depth=conf.max_nested_stack_depth,
            template_size=conf.max_template_size,
            value_size=conf.calor.max_value_size,
            stack_values_size=conf.calor.max_stack_values_size,
            signals_per_resource=conf.calor.max_signals_per_resource,
            preview_seconds=conf.calor.preview_timeout,
        ),
        engine=_engine(conf, config_dir),
        auth=_auth(loaded, config_dir),
        users=Users(
            domain_id=conf.stack_user_domain_id,
            domain_name=conf.stack_user_domain_name,
            admin=conf.stack_domain_admin,
            admin_password=conf.stack_domain_admin_password,
            role=conf.heat_stack_user_role,
        ),
        logging=Logging(
            debug=conf.debug,
            file=_log_file(conf.log_file, conf.log_dir),
            json_lines=conf.use_json or conf.calor.log_format == "json",
            requests=conf.calor.access_log,
        ),
        otlp_endpoint=conf.calor.otlp_endpoint,
        fetch_allowed=_allowed(conf.calor.fetch_allowed),
        metrics_address=(conf.calor.metrics_host, conf.calor.metrics_port)
        if conf.calor.metrics_port
        else None,
        stopping_seconds=conf.graceful_shutdown_timeout,
        database_url=conf.database.connection,
        encryption_keys=_keys(conf.auth_encryption_key),
        seal_all=conf.encrypt_parameters_and_properties,
    )


def _log_file(file: str | None, folder: str | None) -> str | None:
    return str(Path(folder) / (file or LOG_FILE)) if folder else file


def _api(conf: cfg.ConfigOpts, config_dir: Path | None) -> Api:
    middle, cors = conf.oslo_middleware, conf.cors
    return Api(
        rest=_listening(conf.heat_api, "heat_api"),
        cfn=_listening(conf.heat_api_cfn, "heat_api_cfn"),
        cors=Cors(
            tuple(cors.allowed_origin),
            cors.allow_credentials,
            tuple(cors.expose_headers),
            cors.max_age,
            tuple(cors.allow_methods),
            tuple(cors.allow_headers),
        ),
        workers=max(conf.heat_api.workers, 1),
        public_host=conf.calor.public_host,
        public_url=_public_url(conf, "public_url"),
        public_cfn_url=_public_url(conf, "public_cfn_url"),
        public_cloud_url=_public_url(conf, "public_cloud_url"),
        servers_cfn_url=_unversioned(conf.heat_waitcondition_server_url or conf.heat_metadata_server_url),
        trust_proxy_headers=middle.enable_proxy_headers_parsing,
        largest_body=min(conf.max_json_body_size, middle.max_request_body_size or conf.max_json_body_size),
        body_seconds=conf.calor.body_timeout,
        previews_at_once=conf.calor.max_previews_per_project,
        streams_per_project=conf.calor.max_streams_per_project,
        enable_adopt=conf.enable_stack_adopt,
        enable_abandon=conf.enable_stack_abandon,
        hidden_tags=tuple(conf.hidden_stack_tags),
        revision=conf.revision.heat_revision,
        price_list=_price_list(conf.calor.price_list, config_dir),
    )


def _listening(group: cfg.ConfigOpts.GroupAttr, section: str) -> Listening:
    if bool(group.cert_file) != bool(group.key_file):
        raise ConfigError(f"[{section}] cert_file and key_file belong together; one of them is missing")
    for name, file in (("cert_file", group.cert_file), ("key_file", group.key_file)):
        if file and not Path(file).is_file():
            raise ConfigError(f"[{section}] {name}: {file} does not exist")
    return Listening(
        group.bind_host, group.bind_port, group.cert_file or None, group.key_file or None, group.backlog
    )


def _engine(conf: cfg.ConfigOpts, config_dir: Path | None) -> Engine:
    return Engine(
        workers=conf.num_engine_workers,
        action_timeout=float(conf.stack_action_timeout),
        retry_limit=conf.action_retry_limit,
        cleaning_interval=float(conf.periodic_interval),
        event_age=conf.calor.event_days * DAY or None,
        deleted_stack_age=conf.calor.deleted_stack_days * DAY or None,
        events_per_stack=conf.max_events_per_stack or None,
        cleaning_batch=conf.event_purge_batch_size,
        fetch_timeout=float(conf.template_fetch_timeout),
        converge=conf.observe_on_update,
        property_defaults={
            "software_config_transport": conf.default_software_config_transport,
            "signal_transport": conf.default_deployment_signal_transport,
            "user_data_format": conf.default_user_data_format,
        },
        environment_dir=_path(conf.environment_dir, config_dir),
        template_dir=_path(conf.template_dir, config_dir),
        agent_polling_interval=conf.calor.agent_polling_interval,
    )


def _allowed(entries: list[str]) -> Allowed:
    try:
        return Allowed.of(entries)
    except ValueError as error:
        raise ConfigError(f"[calor] fetch_allowed: {error}") from None


def _auth(loaded: LoadedConfig, config_dir: Path | None) -> Auth:
    conf: cfg.ConfigOpts = loaded.conf
    group = conf.keystone_authtoken
    account = accounts.service_account(conf)
    clouds = tuple(conf.auth_password.allowed_auth_uris) if conf.auth_password.multi_cloud else ()
    if conf.auth_password.multi_cloud and not clouds:
        raise ConfigError("[auth_password] multi_cloud needs allowed_auth_uris")
    policy_file = _path(conf.oslo_policy.policy_file, config_dir)
    if policy_file is not None and not policy_file.is_file():
        policy_file = None
    return Auth(
        flavor=conf.paste_deploy.flavor or "keystone",
        backend=conf.calor.auth_backend,
        backend_settings={
            one.name: one.value for one in loaded.occurrences if one.section == PLUG_IN_SECTION
        },
        account=account,
        trustee=accounts.trustee(conf, account),
        public_url=group.www_authenticate_uri or (account.auth_url if account is not None else None),
        signatures_url=conf.ec2authtoken.auth_uri,
        signature_accounts=accounts.signature_accounts(conf, account),
        clients_url=conf.clients_keystone.auth_uri,
        token_seconds=group.token_cache_time,
        identity_certificates=Certificates(group.cafile, group.insecure),
        service_certificates=Certificates(conf.clients.ca_file or group.cafile, conf.clients.insecure),
        clients=Clients(
            accounts.clients(conf),
            accounts.client_certificate(conf.clients, "clients"),
            conf.region_name_for_shared_services,
            tuple(conf.shared_services_types),
            accounts.newest_versions(conf),
        ),
        clouds=clouds,
        policy_file=policy_file,
        policy_dirs=tuple(
            path for one in conf.oslo_policy.policy_dirs if (path := _path(one, config_dir)) and path.is_dir()
        ),
        region=conf.region_name_for_services,
        endpoint_type=accounts.interface(conf.clients.endpoint_type),
        delegated_roles=tuple(conf.trusts_delegated_roles),
    )


def _public_url(conf: cfg.ConfigOpts, name: str) -> str | None:
    """Raises ConfigError."""
    url: str | None = conf.calor[name]
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ConfigError(f"[calor] {name}: {url!r} is not a URL such as https://heat.example:8004")
    return url.rstrip("/")


def _limit(number: int) -> int | None:
    return None if number < 0 else number


def _price_list(text: str | None, config_dir: Path | None) -> Path | None:
    """Raises ConfigError."""
    if not text:
        return None
    path = _path(text, config_dir)
    if path is None or not path.is_file():
        raise ConfigError(f"[calor] price_list: {text} does not exist")
    return path


def _path(text: str, config_dir: Path | None) -> Path | None:
    """A path, relative to the configuration file's directory; None if it is relative and there is no configuration
    file."""
    path = Path(text)
    if path.is_absolute():
        return path
    return config_dir / path if config_dir is not None else None


def _unversioned(url: str | None) -> str | None:
    """The URL without /v1, which Heat's options may or may not contain."""
    return url.partition("/v1")[0].rstrip("/") if url else None


def _keys(text: str | None) -> tuple[bytes, ...]:
    try:
        return configured_keys(text)
    except UnusableKey as error:
        raise ConfigError(f"[DEFAULT] auth_encryption_key: {error}") from None
