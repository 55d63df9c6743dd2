"""Options of the APIs, the logs and the metrics."""

from __future__ import annotations

from oslo_config import cfg


def _listening(what: str, host: str, port: str) -> tuple[cfg.Opt, ...]:
    return (
        cfg.StrOpt("bind_host", help=f"The address on which {what} listens. {host}"),
        cfg.PortOpt("bind_port", help=f"The port on which {what} listens. {port}"),
        cfg.StrOpt("cert_file", help="A PEM file with a certificate and its chain; enables TLS."),
        cfg.StrOpt("key_file", help="A PEM file with the private key of the certificate."),
        cfg.IntOpt("backlog", default=1024, min=1, help="How many connections may wait to be accepted."),
    )


_HEADERS = [
    "X-Auth-Token",
    "X-Auth-User",
    "X-Auth-Key",
    "X-Auth-Url",
    "X-Region-Name",
    "X-Identity-Status",
    "X-Roles",
    "X-Service-Catalog",
    "X-User-Id",
    "X-Tenant-Id",
    "X-OpenStack-Request-ID",
    "Content-Type",
    "Last-Event-ID",
]

OPTIONS: dict[str, tuple[cfg.Opt, ...]] = {
    "DEFAULT": (
        cfg.IntOpt(
            "max_json_body_size",
            default=64 * 1024 * 1024,
            min=1,
            help="How many bytes the body of a request may have. Heat's default is 1048576.",
        ),
        cfg.StrOpt(
            "heat_metadata_server_url",
            help="Where servers reach the CFN API, such as http://heat.example:8000. Defaults to where it listens.",
        ),
        cfg.StrOpt(
            "heat_waitcondition_server_url",
            help="Where servers and alarms send signals, such as http://heat.example:8000/v1/waitcondition. Defaults "
            "to heat_metadata_server_url.",
        ),
        cfg.IntOpt(
            "graceful_shutdown_timeout",
            min=0,
            help="How many seconds a stopping process waits: an API for its requests (20, or 5 in `calor serve`), an "
            "engine for the database (30). 0 waits forever. Heat's default is 60.",
        ),
        cfg.BoolOpt("debug", default=False, help="Whether debug messages are logged."),
        cfg.StrOpt(
            "log_file",
            deprecated_opts=[cfg.DeprecatedOpt("logfile")],
            help="The file to write the log to, instead of standard error. It may be rotated by moving it away.",
        ),
        cfg.StrOpt(
            "log_dir",
            deprecated_opts=[cfg.DeprecatedOpt("logdir")],
            help="The directory of log_file, or of calor.log without log_file.",
        ),
        cfg.BoolOpt("use_json", default=False, help="The same as [calor] log_format = json."),
    ),
    "heat_api": (
        *_listening(
            "the REST API",
            "Defaults to 127.0.0.1; --host takes precedence.",
            "Defaults to 8004; --port takes precedence.",
        ),
        cfg.IntOpt("workers", default=1, min=0, help="How many processes serve requests. 0 means 1."),
    ),
    "heat_api_cfn": _listening(
        "the CFN API", "Defaults to that of the REST API.", "Defaults to the port after the REST API's."
    ),
    "calor": (
        cfg.StrOpt(
            "public_host",
            help="The host name by which clients reach the APIs, if that is not the address on which they listen. "
            "Calor only.",
        ),
        *(
            cfg.StrOpt(
                name,
                help=f"Where clients reach {what}, such as {example}, if that is not where it listens: behind a proxy "
                "that terminates TLS. Published in the embedded cloud's catalog. Calor only.",
            )
            for name, what, example in (
                ("public_url", "the REST API", "https://heat.example:8004"),
                ("public_cfn_url", "the CFN API", "https://heat.example:8000"),
                ("public_cloud_url", "the embedded cloud", "https://cloud.example"),
            )
        ),
        cfg.StrOpt(
            "log_format",
            default="text",
            choices=("text", "json"),
            help="Whether log lines are plain text or JSON objects. Calor only.",
        ),
        cfg.IntOpt(
            "max_previews_per_project",
            default=4,
            min=1,
            help="How many previews and validations of one project run at the same time in each process of the REST "
            "API. Others wait. Calor only.",
        ),
        cfg.IntOpt(
            "max_value_size",
            default=4 * 1024 * 1024,
            min=1024,
            help="How many bytes a property, the metadata of a resource, an attribute or an output may take in memory: "
            "about one per character, and some per item of a list or map. Calor only.",
        ),
        cfg.IntOpt(
            "max_stack_values_size",
            default=256 * 1024 * 1024,
            min=1024,
            help="How many bytes all values of a stack and its nested stacks may take: results of functions, and "
            "the stored values of resources. Calor only.",
        ),
        cfg.IntOpt(
            "max_signals_per_resource",
            default=1000,
            min=1,
            help="How many signals a resource may have: those kept by a wait condition's handle, and those that wait "
            "to be handled. Together they may take max_value_size bytes. Calor only.",
        ),
        cfg.IntOpt(
            "max_streams_per_project",
            default=32,
            min=1,
            help="How many event streams one project may have open in each process of the REST API. Calor only.",
        ),
        cfg.FloatOpt(
            "preview_timeout",
            default=60.0,
            min=1.0,
            help="After how many seconds a preview is aborted. Calor only.",
        ),
        cfg.FloatOpt(
            "body_timeout",
            default=120.0,
            min=1.0,
            help="How many seconds a client may take to send the body of a request. Calor only.",
        ),
        cfg.BoolOpt(
            "access_log",
            default=True,
            help="Whether every request is logged with its status and duration. Calor only.",
        ),
        cfg.ListOpt(
            "fetch_allowed",
            default=[],
            help="Where templates and images may be fetched from besides public addresses: networks (10.20.0.0/16), "
            "addresses, and host names, whatever they resolve to. Otherwise nothing is fetched from loopback, "
            "link-local, private or other special addresses, not even through names or redirects. Calor only.",
        ),
        cfg.StrOpt(
            "price_list",
            help="A YAML file with prices, by which EstimateTemplateCost of the CFN API estimates what a stack costs. "
            "Without it, everything is free. Calor only.",
        ),
        cfg.PortOpt(
            "metrics_port",
            help="A port that serves the metrics of all processes that use the state directory, for machines that only "
            "run engines. Calor only.",
        ),
        cfg.StrOpt(
            "metrics_host",
            default="127.0.0.1",
            help="The address for metrics_port. Calor only.",
        ),
        cfg.StrOpt(
            "otlp_endpoint",
            help="Where traces are sent by OTLP over HTTP, such as http://collector.example:4318. OpenTelemetry's "
            "variables (OTEL_*) apply, too. Needs the extra otel. Calor only.",
        ),
    ),
    "oslo_middleware": (
        cfg.BoolOpt(
            "enable_proxy_headers_parsing",
            default=False,
            help="Whether X-Forwarded-Proto, -Host, -Port and -Prefix are trusted. Enable it only behind a proxy that "
            "sets them.",
        ),
        cfg.IntOpt(
            "max_request_body_size",
            min=1,
            help="Another limit for request bodies, in bytes: the lower of this and max_json_body_size applies.",
        ),
    ),
    "cors": (
        cfg.ListOpt(
            "allowed_origin", default=[], help="The origins whose pages may send requests; * allows all."
        ),
        cfg.BoolOpt("allow_credentials", default=True, help="Whether browsers may send credentials."),
        cfg.ListOpt(
            "expose_headers",
            default=["X-OpenStack-Request-ID", "Location"],
            help="The response headers that pages may read.",
        ),
        cfg.IntOpt("max_age", default=3600, min=0, help="For how many seconds browsers may cache this."),
        cfg.ListOpt(
            "allow_methods",
            default=["GET", "POST", "PUT", "PATCH", "DELETE"],
            help="The methods pages may use.",
        ),
        cfg.ListOpt("allow_headers", default=_HEADERS, help="The headers pages may send."),
    ),
    "revision": (
        cfg.StrOpt(
            "heat_revision", help="The revision that the build info API reports. Defaults to the version."
        ),
    ),
}
