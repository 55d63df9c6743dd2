"""Options about stacks: limits, the engine, and defaults for templates."""

from __future__ import annotations

from oslo_config import cfg

UNLIMITED = -1

_LIMITS = (
    cfg.IntOpt(
        "max_stacks_per_tenant",
        default=UNLIMITED,
        min=UNLIMITED,
        help="How many stacks a project may have; nested ones do not count, and admins are exempt. "
        "-1 means unlimited. Heat's default is 512.",
    ),
    cfg.IntOpt(
        "max_resources_per_stack",
        default=10_000,
        min=UNLIMITED,
        help="How many resources a stack and its nested stacks may have, and how many members a group. "
        "-1 means unlimited. Heat's default is 1000.",
    ),
    cfg.IntOpt(
        "max_template_size",
        default=16 * 1024 * 1024,
        min=1,
        help="How many bytes each template may have, nested ones included. Heat's default is 524288.",
    ),
    cfg.IntOpt("max_nested_stack_depth", default=5, min=0, help="How deep stacks may be nested."),
    cfg.IntOpt(
        "max_snapshots_per_stack",
        default=32,
        min=UNLIMITED,
        help="How many snapshots a stack may have. -1 means unlimited.",
    ),
    cfg.IntOpt(
        "max_software_configs_per_tenant",
        default=UNLIMITED,
        min=UNLIMITED,
        help="How many software configs a project may have. -1 means unlimited. Heat's default is 4096.",
    ),
    cfg.IntOpt(
        "max_software_deployments_per_tenant",
        default=UNLIMITED,
        min=UNLIMITED,
        help="How many software deployments a project may have. -1 means unlimited. Heat's default is 4096.",
    ),
)

_ENGINE = (
    cfg.IntOpt(
        "num_engine_workers",
        min=1,
        default=1,
        help="How many engine processes to run. Heat's default is 4 or more.",
    ),
    cfg.IntOpt(
        "action_retry_limit",
        default=5,
        min=0,
        help="How often the creation of a resource is retried when the created object is in error, or when the "
        "service reports a conflict. The failed object is deleted first. The delay between attempts doubles, "
        "starting at 2 to 4 seconds.",
    ),
    cfg.IntOpt(
        "stack_action_timeout",
        default=3600,
        min=1,
        help="How many seconds an action on a stack may take if the stack has no timeout.",
    ),
    cfg.IntOpt(
        "periodic_interval",
        default=3600,
        min=1,
        help="After how many seconds expired events and stacks are purged again. Heat's default is 60.",
    ),
    cfg.BoolOpt(
        "observe_on_update",
        default=False,
        help="Whether all updates check the real resources and repair them, like updates with `converge`.",
    ),
    cfg.BoolOpt(
        "enable_stack_adopt",
        default=True,
        help="Whether stacks can be adopted. False in Heat by default.",
    ),
    cfg.BoolOpt(
        "enable_stack_abandon",
        default=True,
        help="Whether stacks can be exported and abandoned. False in Heat by default.",
    ),
    cfg.ListOpt(
        "hidden_stack_tags",
        default=["data-processing-cluster", "hidden"],
        help="Stacks with one of these tags are only listed on request.",
    ),
    cfg.IntOpt(
        "template_fetch_timeout",
        default=20,
        min=1,
        help="How many seconds fetching a template from a web server may take, redirects included. Heat's default "
        "is 60, until the response begins.",
    ),
    cfg.StrOpt(
        "environment_dir",
        default="environment.d",
        help="A directory of environment files that apply to all stacks; users' environments take precedence. "
        "A relative path is relative to the directory of the first configuration file. It need not exist.",
    ),
    cfg.StrOpt(
        "template_dir",
        default="templates",
        help="A directory of templates that replace the shipped ones, such as "
        "AWS_RDS_DBInstance.yaml. Relative paths are resolved like those of environment_dir.",
    ),
)

_SOFTWARE = (
    cfg.StrOpt(
        "default_software_config_transport",
        default="POLL_SERVER_CFN",
        choices=["POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL", "ZAQAR_MESSAGE"],
        help="How servers get their software configuration by default.",
    ),
    cfg.StrOpt(
        "default_deployment_signal_transport",
        default="CFN_SIGNAL",
        choices=["CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "ZAQAR_SIGNAL"],
        help="How servers report the results of deployments by default.",
    ),
    cfg.StrOpt(
        "default_user_data_format",
        default="HEAT_CFNTOOLS",
        choices=["HEAT_CFNTOOLS", "RAW", "SOFTWARE_CONFIG"],
        help="The format of servers' user data by default.",
    ),
)

OPTIONS: dict[str, tuple[cfg.Opt, ...]] = {
    "DEFAULT": (*_LIMITS, *_ENGINE, *_SOFTWARE),
    "calor": (
        cfg.IntOpt(
            "agent_polling_interval",
            min=1,
            help="After how many seconds at most the agent on a server looks for software deployments again, unless "
            "its metadata says otherwise. By default, 3 in the embedded cloud; elsewhere, the agent decides, which is "
            "30 for os-collect-config. Calor only.",
        ),
    ),
}
