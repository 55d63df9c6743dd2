"""Options of Heat that have no effect in Calor, and why: an existing file may contain them, and `calor config` reports
them."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

_BUS = "there is no message bus"
_LOG = "use [calor] log_format and log_file"
_ENGINE = "the engine has no equivalent"
_WEB = "the web server has its own limits"
_TOKENS = "tokens are cached in memory and always validated online"
_IDENTITY = "the identity service is always reached at auth_url"
_SCOPE = "the account logs in to a project"
_POOL = "the connection pool is sized automatically"
_CACHE = "responses are cached in memory"
_PROFILER = "use OpenTelemetry: [calor] otlp_endpoint"

_IGNORED: tuple[tuple[str, str, str], ...] = (
    (
        "DEFAULT",
        _BUS,
        "transport_url rpc_* control_exchange executor_thread_pool_size notification_* default_notification_level "
        "default_publisher_id list_notifier_drivers rabbit_* qpid_* engine_life_check_timeout host conn_pool_* "
        "max_server_side_rpc* onready default_notification_*",
    ),
    (
        "DEFAULT",
        _LOG,
        "log_config* log_date_format log_format log_rotate* log_rotation_type logging_* log_color log_options "
        "max_logfile_count max_logfile_size_mb "
        "use_syslog* syslog_* use_stderr use_journal use_eventlog verbose watch_log_file "
        "default_log_levels publish_errors instance_format instance_uuid_format rate_limit_* fatal_deprecations",
    ),
    (
        "DEFAULT",
        _ENGINE,
        "convergence_engine error_wait_time cloud_backend keystone_backend "
        "loadbalancer_template max_ceilometer_* periodic_fuzzy_delay run_external_periodic_tasks metadata_put_timeout "
        "heat_watch_server_url enable_cloud_watch_lite backdoor_*",
    ),
    (
        "DEFAULT",
        "requests to unavailable services are retried for a minute",
        "client_retry_limit max_interface_check_attempts",
    ),
    (
        "DEFAULT",
        "stacks always use trusts, which are renewed when they expire",
        "deferred_auth_method reauthentication_auth_method allow_trusts_redelegation",
    ),
    ("DEFAULT", "names of servers may be as long as Nova allows", "max_server_name_length"),
    ("DEFAULT", "scheduler hints are passed on as given in templates", "stack_scheduler_hints"),
    ("DEFAULT", "plug-ins are entry points of installed packages", "plugin_dirs"),
    ("DEFAULT", "there are no Ironic resource types", "max_ironic_api_microversion"),
    ("DEFAULT", "use [clients_keystone] auth_uri", "server_keystone_endpoint_type"),
    ("DEFAULT", "boto is not configured in servers", "instance_connection_*"),
    (
        "DEFAULT",
        "it configures Heat's web server",
        "wsgi_* max_header_line tcp_keepidle client_socket_timeout",
    ),
    ("DEFAULT", "there are no paste pipelines", "api_paste_config"),
    ("paste_deploy", "there are no paste pipelines", "api_paste_config"),
    ("heat_api", _WEB, "max_header_line tcp_keepidle"),
    ("heat_api_cfn", _WEB, "max_header_line tcp_keepidle workers"),
    ("heat_api_cloudwatch", "the CloudWatch API is no longer part of Heat", "*"),
    (
        "database",
        _POOL,
        "backend sqlite_* slave_connection asyncio_* synchronous_reader mysql_* connection_* max_pool_size "
        "min_pool_size max_retries retry_interval max_overflow pool_timeout use_db_reconnect db_* idle_timeout "
        "use_tpool sql_*",
    ),
    (
        "keystone_authtoken",
        _TOKENS,
        "memcached_servers memcache_* cache signing_dir check_revocations_for_cached hash_algorithms "
        "revocation_cache_time include_service_catalog enforce_token_bind delay_auth_decision service_token_roles* "
        "service_type admin_token",
    ),
    (
        "keystone_authtoken",
        _IDENTITY,
        "auth_version auth_host auth_port auth_protocol auth_admin_prefix identity_uri interface region_name http_* "
        "timeout",
    ),
    ("keystone_authtoken", "no client certificate is sent to the identity service", "keyfile certfile"),
    ("keystone_authtoken", _SCOPE, "trust_id domain_id domain_name system_scope"),
    ("trustee", _SCOPE, "trust_id domain_id domain_name system_scope"),
    ("trustee", "use the options of [keystone_authtoken]", "*file insecure timeout"),
    ("ec2authtoken", _SCOPE, "trust_id domain_id domain_name system_scope"),
    ("ec2authtoken", "no client certificate is sent to the identity service", "keyfile certfile"),
    (
        "ec2authtoken",
        "replaced by [ec2authtoken] clouds",
        "allowed_auth_uris ca_file cert_file key_file",
    ),
    (
        "ec2authtoken",
        _IDENTITY,
        "service_type service_name valid_interfaces interface region_name endpoint_override version min_version "
        "max_version timeout connect_retr* status_code_retr* retriable_status_codes collect_timing split_loggers tls_*",
    ),
    (
        "clients_keystone",
        "use the options of [keystone_authtoken]",
        "endpoint_type ca_file cert_file key_file insecure",
    ),
    ("clients_nova", "requests are logged with debug", "http_log_debug"),
    ("clients_cinder", "requests are logged with debug", "http_log_debug"),
    # Sections of older releases, for services that Heat no longer supports.
    (
        "clients_*",
        "there are no resource types of this service",
        "endpoint_type ca_file cert_file key_file insecure url http_log_debug tls_* auth_* api_*",
    ),
    ("oslo_policy", "the policy rules do not need it", "policy_default_rule enforce_* remote_*"),
    ("oslo_middleware", _WEB, "secure_proxy_ssl_header http_basic_*"),
    ("oslo_middleware_tracing", _PROFILER, "*"),
    ("oslo_versionedobjects", "there are no versioned objects", "*"),
    ("volumes", "volume backups are always enabled", "backups_enabled"),
    ("noauth", "every request is authenticated", "token_response"),
    ("ssl", "use cert_file and key_file of [heat_api] and [heat_api_cfn]", "*"),
    ("yaql", "Heat's default limits apply", "*"),
    ("profiler", _PROFILER, "*"),
    ("profiler_*", _PROFILER, "*"),
    ("eventlet_opts", "eventlet is not used", "*"),
    ("oslo_messaging_*", _BUS, "*"),
    ("matchmaker_*", _BUS, "*"),
    ("cache", _CACHE, "*"),
    ("*_cache", _CACHE, "*"),
    ("oslo_concurrency", "no lock files are needed", "*"),
    ("oslo_reports", "there are no reports to write", "*"),
    ("healthcheck", "/healthcheck is always enabled", "*"),
    ("service_auth", "service tokens are not used", "*"),
)


def reason(section: str, name: str) -> str | None:
    """Why an option of Heat has no effect; None if Heat has no such option."""
    for pattern, why, names in _IGNORED:
        if fnmatchcase(section, pattern) and any(fnmatchcase(name, one) for one in names.split()):
            return why
    return None


def all_reasons() -> Iterator[tuple[str, str, str]]:
    """Sections, name patterns, and reasons, for the documentation."""
    for section, why, names in _IGNORED:
        yield section, names, why
