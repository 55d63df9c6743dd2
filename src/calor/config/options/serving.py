"""Options about how the APIs are reached, and what they say of themselves."""

from __future__ import annotations

from oslo_config import cfg


def _listening(what: str, host: str, port: str) -> tuple[cfg.Opt, ...]:
    return (
        cfg.StrOpt("bind_host", help=f"The address on which {what} listens. {host}"),
        cfg.PortOpt("bind_port", help=f"The port on which {what} listens. {port}"),
        cfg.StrOpt(
            "cert_file", help="A certificate, in PEM, with those that lead to its issuer: turns on TLS."
        ),
        cfg.StrOpt("key_file", help="The private key of the certificate, in PEM."),
        cfg.IntOpt("backlog", default=1024, min=1, help="How many connections may wait to be taken."),
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
            help="Where servers reach the CFN API, as in http://heat.example:8000. Without it, where it listens.",
        ),
        cfg.StrOpt(
            "heat_waitcondition_server_url",
            help="Where servers and alarms send signals, as in http://heat.example:8000/v1/waitcondition. Without it, "
            "heat_metadata_server_url.",
        ),
        cfg.IntOpt(
            "graceful_shutdown_timeout",
            min=0,
            help="How many seconds a process that is to stop waits for what is under way: an API for its requests (20, "
            "or 5 in `calor serve`), an engine for the database (30). 0 waits without end. Heat's default is 60.",
        ),
        cfg.BoolOpt("debug", default=False, help="Whether the log tells every detail."),
        cfg.StrOpt(
            "log_file",
            deprecated_opts=[cfg.DeprecatedOpt("logfile")],
            help="The file to write the log to, instead of the standard error stream. It may be moved away while "
            "the server runs.",
        ),
        cfg.StrOpt(
            "log_dir",
            deprecated_opts=[cfg.DeprecatedOpt("logdir")],
            help="The folder in which log_file is, or calor.log without that.",
        ),
        cfg.BoolOpt("use_json", default=False, help="The same as [calor] log_format = json."),
    ),
    "heat_api": (
        *_listening(
            "the REST API",
            "127.0.0.1 without it; --host goes before it.",
            "8004 without it; --port goes before it.",
        ),
        cfg.IntOpt("workers", default=1, min=0, help="How many processes answer requests. 0 is 1."),
    ),
    "heat_api_cfn": _listening(
        "the CFN API", "Without it that of the REST API.", "Without it the one after the REST API's."
    ),
    "calor": (
        cfg.StrOpt(
            "public_host",
            help="The host name that clients are told, where that is not the address on which the APIs listen. An "
            "option of Calor's own.",
        ),
        *(
            cfg.StrOpt(
                name,
                help=f"Where clients reach {what}, as in {example}, where that is not where it listens: behind a proxy "
                "that speaks TLS. The catalog of the embedded cloud says so. An option of Calor's own.",
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
            help="Whether lines of the log are for people, or a JSON object each. An option of Calor's own.",
        ),
        cfg.IntOpt(
            "max_previews_per_project",
            default=4,
            min=1,
            help="How many previews and validations of one project are worked on at the same time, in each process of "
            "the REST API. Others wait.",
        ),
        cfg.FloatOpt(
            "preview_timeout",
            default=60.0,
            min=1.0,
            help="The seconds that a preview may take before it is refused.",
        ),
        cfg.FloatOpt(
            "body_timeout",
            default=120.0,
            min=1.0,
            help="The seconds that a client may take to send the body of a request.",
        ),
        cfg.BoolOpt(
            "access_log",
            default=True,
            help="Whether every request has a line in the log, with its status and duration. An option of Calor's "
            "own.",
        ),
        cfg.ListOpt(
            "fetch_allowed",
            default=[],
            help="Where templates and images may be fetched from beside public addresses: networks (10.20.0.0/16), "
            "addresses, and names of hosts whose addresses may be any. Without it, nothing is fetched from loopback, "
            "link-local, private or other special addresses, whatever name or redirect leads there. An option of "
            "Calor's own.",
        ),
        cfg.PortOpt(
            "metrics_port",
            help="Where metrics are told beside the API, for machines that have engines only: those of all processes "
            "that use the state directory. An option of Calor's own.",
        ),
        cfg.StrOpt(
            "metrics_host",
            default="127.0.0.1",
            help="The address for metrics_port. An option of Calor's own.",
        ),
        cfg.StrOpt(
            "otlp_endpoint",
            help="Where traces are sent, by OTLP over HTTP, as in http://collector.example:4318. The variables of "
            "OpenTelemetry (OTEL_*) count, too. Needs the extra otel. An option of Calor's own.",
        ),
    ),
    "oslo_middleware": (
        cfg.BoolOpt(
            "enable_proxy_headers_parsing",
            default=False,
            help="Whether X-Forwarded-Proto, -Host, -Port and -Prefix are believed. Turn it on only behind a proxy "
            "that sets them.",
        ),
        cfg.IntOpt(
            "max_request_body_size",
            min=1,
            help="Another limit for bodies, in bytes: the lower of this and max_json_body_size holds.",
        ),
    ),
    "cors": (
        cfg.ListOpt("allowed_origin", default=[], help="The origins whose pages may ask; * is any."),
        cfg.BoolOpt("allow_credentials", default=True, help="Whether browsers may send credentials along."),
        cfg.ListOpt(
            "expose_headers",
            default=["X-OpenStack-Request-ID", "Location"],
            help="The headers of answers that pages may read.",
        ),
        cfg.IntOpt("max_age", default=3600, min=0, help="For how many seconds browsers may remember this."),
        cfg.ListOpt(
            "allow_methods",
            default=["GET", "POST", "PUT", "PATCH", "DELETE"],
            help="The methods pages may use.",
        ),
        cfg.ListOpt("allow_headers", default=_HEADERS, help="The headers pages may send."),
    ),
    "revision": (
        cfg.StrOpt("heat_revision", help="What the API tells as its build; the version without it."),
    ),
}
