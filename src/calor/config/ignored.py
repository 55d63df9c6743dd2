"""Options of Heat that mean nothing here: an existing file may have them, and is told that they do nothing."""

from __future__ import annotations

from fnmatch import fnmatchcase

_BUS = "there is no message bus"
_LOG = "the log has two forms: [calor] log_format"
_ENGINE = "the engine has nothing like it"
_CLIENTS = "all services are reached the same way; [clients] is there"
_TOKENS = "tokens are remembered in memory and always validated online"
_POOL = "connections are pooled as the database needs it"

_IGNORED: tuple[tuple[str, str, str], ...] = (
    (
        "DEFAULT",
        _BUS,
        "transport_url rpc_* control_exchange executor_thread_pool_size notification_* default_notification_level "
        "default_publisher_id list_notifier_drivers rabbit_* qpid_* engine_life_check_timeout host conn_pool_* "
        "max_server_side_rpc* onready",
    ),
    (
        "DEFAULT",
        _LOG,
        "log_config* log_date_format log_format log_rotate* log_rotation_type logging_* "
        "use_syslog* syslog_* use_stderr use_journal use_eventlog verbose watch_log_file "
        "default_log_levels publish_errors instance_format instance_uuid_format rate_limit_* fatal_deprecations",
    ),
    (
        "DEFAULT",
        _ENGINE,
        "convergence_engine observe_on_update action_retry_limit client_retry_limit "
        "max_interface_check_attempts max_cinder_* cloud_backend keystone_backend stack_scheduler_hints "
        "reauthentication_auth_method allow_trusts_redelegation error_wait_time plugin_dirs loadbalancer_template "
        "max_server_name_length max_ceilometer_* instance_* periodic_fuzzy_delay run_external_periodic_tasks "
        "server_keystone_endpoint_type metadata_put_timeout "
        "default_notification_* heat_watch_server_url enable_cloud_watch_lite backdoor_*",
    ),
    ("DEFAULT", "stacks always act through trusts", "deferred_auth_method"),
    (
        "DEFAULT",
        "web servers of another kind need it",
        "wsgi_* max_header_line tcp_keepidle client_socket_timeout",
    ),
    ("heat_api", "the web server has limits of its own", "max_header_line tcp_keepidle"),
    ("heat_api_cfn", "the web server has limits of its own", "max_header_line tcp_keepidle workers"),
    ("heat_api_cloudwatch", "the CloudWatch API is no longer part of Heat", "*"),
    ("paste_deploy", "requests take one way", "api_paste_config"),
    (
        "database",
        _POOL,
        "backend sqlite_* slave_connection asyncio_* mysql_* connection_* max_pool_size min_pool_size max_retries "
        "retry_interval max_overflow pool_timeout use_db_reconnect db_* idle_timeout use_tpool sql_*",
    ),
    (
        "keystone_authtoken",
        _TOKENS,
        "auth_type auth_section auth_version auth_plugin auth_host auth_port auth_protocol auth_admin_prefix "
        "admin_token identity_uri memcached_servers memcache_* cache signing_dir check_revocations_for_cached "
        "hash_algorithms revocation_cache_time include_service_catalog enforce_token_bind delay_auth_decision "
        "service_token_roles* service_type http_* interface region_name keyfile certfile default_domain_* trust_id "
        "tenant_id project_id user_id domain_* system_scope timeout",
    ),
    (
        "trustee",
        "trusts say in which project they hold",
        "auth_type auth_section project_* *file insecure timeout",
    ),
    (
        "ec2authtoken",
        "signatures are checked as tokens are",
        "multi_cloud allowed_auth_uris ca_file *file insecure",
    ),
    ("clients", _CLIENTS, "cert_file key_file"),
    (
        "clients_*",
        _CLIENTS,
        "endpoint_type ca_file cert_file key_file insecure url http_log_debug tls_* auth_* api_*",
    ),
    ("oslo_policy", "the rules do not need it", "policy_default_rule enforce_* remote_*"),
    ("oslo_middleware", "the web server has limits of its own", "secure_proxy_ssl_header http_basic_*"),
    ("volumes", "backups are made where volumes are backed up", "backups_enabled"),
    ("noauth", "every caller proves who they are", "token_response"),
    ("ssl", "[heat_api] and [heat_api_cfn] have files of their own", "*"),
    ("yaql", "the limits of yaql are those of Heat's defaults", "*"),
    ("profiler", "nothing is profiled", "*"),
    ("profiler_*", "nothing is profiled", "*"),
    ("eventlet_opts", "there is no eventlet", "*"),
    ("oslo_messaging_*", _BUS, "*"),
    ("matchmaker_*", _BUS, "*"),
    ("cache", "what is worth it is remembered in memory", "*"),
    ("*_cache", "what is worth it is remembered in memory", "*"),
    ("oslo_concurrency", "no lock files are needed", "*"),
    ("oslo_reports", "there are no reports to write", "*"),
    ("healthcheck", "/healthcheck is always there", "*"),
    ("service_auth", "callers are known by their own tokens", "*"),
)


def reason(section: str, name: str) -> str | None:
    """Why an option of Heat has no effect; None if Heat has no such option."""
    for pattern, why, names in _IGNORED:
        if fnmatchcase(section, pattern) and any(fnmatchcase(name, one) for one in names.split()):
            return why
    return None
