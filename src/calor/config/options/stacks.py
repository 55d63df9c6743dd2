"""Options about stacks: how many, how large, how long, and what everybody's templates build upon."""

from __future__ import annotations

from oslo_config import cfg

UNLIMITED = -1

_LIMITS = (
    cfg.IntOpt(
        "max_stacks_per_tenant",
        default=UNLIMITED,
        min=UNLIMITED,
        help="How many stacks a project may have; nested ones do not count, and admins are not held to it. "
        "-1 is no limit. Heat's default is 512.",
    ),
    cfg.IntOpt(
        "max_resources_per_stack",
        default=10_000,
        min=UNLIMITED,
        help="How many resources a stack may have, with those of all stacks below it, and how many members a group. "
        "-1 is no limit. Heat's default is 1000.",
    ),
    cfg.IntOpt(
        "max_template_size",
        default=16 * 1024 * 1024,
        min=1,
        help="How many bytes a template may have, each nested one as well. Heat's default is 524288.",
    ),
    cfg.IntOpt(
        "max_nested_stack_depth", default=5, min=0, help="How many levels of stacks may be below a stack."
    ),
    cfg.IntOpt(
        "max_snapshots_per_stack",
        default=32,
        min=UNLIMITED,
        help="How many snapshots a stack may have. -1 is no limit.",
    ),
    cfg.IntOpt(
        "max_software_configs_per_tenant",
        default=UNLIMITED,
        min=UNLIMITED,
        help="How many software configs a project may have. -1 is no limit. Heat's default is 4096.",
    ),
    cfg.IntOpt(
        "max_software_deployments_per_tenant",
        default=UNLIMITED,
        min=UNLIMITED,
        help="How many software deployments a project may have. -1 is no limit. Heat's default is 4096.",
    ),
)

_ENGINE = (
    cfg.IntOpt(
        "num_engine_workers",
        min=1,
        default=1,
        help="How many processes walk stacks. Heat's default is 4 or more.",
    ),
    cfg.IntOpt(
        "action_retry_limit",
        default=5,
        min=0,
        help="How often the creation of a resource is tried again when the service says that what it made is in "
        "error, or that something is in the way. What was made is deleted before. The pauses between attempts "
        "double, from 2 to 4 seconds on.",
    ),
    cfg.IntOpt(
        "stack_action_timeout",
        default=3600,
        min=1,
        help="The seconds an action on a stack may take when the stack does not say.",
    ),
    cfg.IntOpt(
        "periodic_interval",
        default=3600,
        min=1,
        help="The seconds between two looks for what has become too old to keep. Heat's default is 60.",
    ),
    cfg.BoolOpt(
        "observe_on_update",
        default=False,
        help="Whether updates look at what there really is and repair it, as those with `converge` do.",
    ),
    cfg.BoolOpt(
        "enable_stack_adopt",
        default=True,
        help="Whether a stack can be made of what another one left behind. Off in Heat by default.",
    ),
    cfg.BoolOpt(
        "enable_stack_abandon",
        default=True,
        help="Whether a stack can be exported, or given up without deleting what it owns. Off in Heat by default.",
    ),
    cfg.ListOpt(
        "hidden_stack_tags",
        default=["data-processing-cluster", "hidden"],
        help="Stacks with one of these tags are left out of lists unless they are asked for.",
    ),
    cfg.IntOpt(
        "template_fetch_timeout",
        default=20,
        min=1,
        help="The seconds within which a template that is fetched from a web server has to be there, with all "
        "redirects. Heat's default is 60, for the beginning of the answer.",
    ),
    cfg.StrOpt(
        "environment_dir",
        default="environment.d",
        help="A directory of environment files that hold below every user's environment. A relative path starts "
        "at the directory of the first configuration file; that nothing is there is fine.",
    ),
    cfg.StrOpt(
        "template_dir",
        default="templates",
        help="A directory of templates that take the place of the shipped ones, such as "
        "AWS_RDS_DBInstance.yaml. Relative paths are taken as those of environment_dir.",
    ),
)

_SOFTWARE = (
    cfg.StrOpt(
        "default_software_config_transport",
        default="POLL_SERVER_CFN",
        choices=["POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL", "ZAQAR_MESSAGE"],
        help="How servers get their software configuration when their template does not say.",
    ),
    cfg.StrOpt(
        "default_deployment_signal_transport",
        default="CFN_SIGNAL",
        choices=["CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "ZAQAR_SIGNAL"],
        help="How servers report the results of deployments when the template does not say.",
    ),
    cfg.StrOpt(
        "default_user_data_format",
        default="HEAT_CFNTOOLS",
        choices=["HEAT_CFNTOOLS", "RAW", "SOFTWARE_CONFIG"],
        help="How user data reaches servers when their template does not say.",
    ),
)

OPTIONS: dict[str, tuple[cfg.Opt, ...]] = {"DEFAULT": (*_LIMITS, *_ENGINE, *_SOFTWARE)}
