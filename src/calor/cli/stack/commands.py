"""The commands of `calor stack`, with their options."""

from __future__ import annotations

from calor.cli.options import FORMATS, Arg, Command, arg, flag, many

STACK = arg("stack", metavar="STACK", help="a name or an id")
STACKS = arg("stacks", metavar="STACK", nargs="+", help="names or ids")
RESOURCE = arg("resource", metavar="RESOURCE")
SNAPSHOT = arg("snapshot", metavar="SNAPSHOT", help="the id of the snapshot")
NAME = arg("name", metavar="NAME", help="the name of the stack")
YES = flag("-y", "--yes", help="skip the confirmation; required if standard input has no answer")
NESTED_DEPTH = arg(
    "-n", "--nested-depth", type=int, metavar="DEPTH", help="include nested stacks down to this depth"
)
FILTERS = many("--filter", dest="filters", metavar="KEY=VALUE", help="show only matching items; repeatable")

TEMPLATE = arg("-t", "--template", metavar="FILE|URL", help="the template; - for standard input")
ENVIRONMENTS = many(
    "-e", "--environment", dest="environments", metavar="FILE|URL", help="an environment file; repeatable"
)
CONTAINER = arg("-s", "--files-container", metavar="CONTAINER", help="a Swift container with all files")
PARAMETERS = (
    many("-P", "--parameter", dest="parameters", metavar="KEY=VALUE", help="a parameter; repeatable"),
    many(
        "--parameter-file",
        dest="parameter_files",
        metavar="KEY=FILE",
        help="a parameter with its value read from a file; repeatable",
    ),
)
TIMEOUT = arg("--timeout", type=int, metavar="MINUTES", help="the timeout of the action")
TAGS = arg("--tags", metavar="TAG,TAG", help="tags of the stack")
EXIT_CODE = flag(
    "--detailed-exitcode",
    help="with --dry-run: exit with 0 if nothing would change, 2 if something would, 1 on errors",
)
ROLLBACK = flag("--enable-rollback", help="roll back if the action fails")
SHOW_SECRETS = flag("--show-secrets", help="print secrets instead of masking them")
POLL = arg(
    "--poll", type=float, metavar="SECONDS", help="the polling interval for a service without an event stream"
)

WAIT: tuple[Arg, ...] = (
    arg("--wait", action="store_true", default=True, help="wait for completion (the default)"),
    arg("--no-wait", dest="wait", action="store_false", help="do not wait for completion"),
)


def _command(words: str, help: str, runs: str, *args: Arg, shows: bool = False, **presets: object) -> Command:
    return Command(("stack", *words.split()), help, f"stack.{runs}", args, shows, presets)


COMMANDS = (
    _command(
        "create",
        "create a stack",
        "changing:create",
        NAME,
        TEMPLATE,
        ENVIRONMENTS,
        CONTAINER,
        TIMEOUT,
        many("--pre-create", metavar="RESOURCE", help="pause before creating this resource; repeatable"),
        ROLLBACK,
        *PARAMETERS,
        *WAIT,
        POLL,
        TAGS,
        flag("--dry-run", help="show what would be created without creating it"),
        EXIT_CODE,
        SHOW_SECRETS,
        shows=True,
    ),
    _command(
        "update",
        "update a stack, after showing the plan and asking for confirmation",
        "changing:update",
        STACK,
        TEMPLATE,
        ENVIRONMENTS,
        CONTAINER,
        many("--pre-update", metavar="RESOURCE", help="pause before updating this resource; repeatable"),
        TIMEOUT,
        arg(
            "--rollback",
            choices=("enabled", "disabled", "keep"),
            default="keep",
            help="whether to roll back if the update fails",
        ),
        flag("--dry-run", help="show what would change without changing it"),
        EXIT_CODE,
        flag("--show-nested", help="include nested stacks in the plan"),
        *PARAMETERS,
        flag("--existing", help="reuse the stack's template, environment and parameters unless given"),
        many(
            "--clear-parameter",
            dest="clear_parameters",
            metavar="PARAMETER",
            help="reset this parameter to its default; repeatable",
        ),
        TAGS,
        *WAIT,
        POLL,
        flag("--converge", help="compare with the actual state of the resources in the cloud"),
        YES,
        SHOW_SECRETS,
        shows=True,
    ),
    _command(
        "preview",
        "show what creating or updating a stack would do",
        "changing:preview",
        NAME,
        TEMPLATE,
        ENVIRONMENTS,
        CONTAINER,
        TIMEOUT,
        ROLLBACK,
        *PARAMETERS,
        TAGS,
        EXIT_CODE,
        flag("--existing", help="reuse the stack's template, environment and parameters unless given"),
        flag("--show-nested", help="include nested stacks in the plan"),
        SHOW_SECRETS,
        shows=True,
    ),
    _command("delete", "delete stacks", "changing:delete", STACKS, YES, *WAIT),
    _command(
        "show",
        "show a stack",
        "reading:show",
        STACK,
        flag("--no-resolve-outputs", help="leave out the outputs"),
        SHOW_SECRETS,
        shows=True,
    ),
    _command(
        "list",
        "list stacks",
        "reading:list_",
        flag("--deleted", help="include deleted stacks"),
        flag("--nested", help="include nested stacks"),
        flag("--hidden", help="include hidden stacks"),
        many("--property", dest="filters", metavar="KEY=VALUE", help="show only matching stacks; repeatable"),
        arg("--project", metavar="PROJECT", help="show only stacks of this project"),
        arg("--project-domain", metavar="DOMAIN", help="the domain of the project"),
        arg("--tags", metavar="TAG,TAG", help="show only stacks with all of these tags"),
        arg(
            "--tag-mode",
            choices=("any", "not", "not-any"),
            help="match stacks with any of the tags, not with all of them, or with none of them",
        ),
        arg("--limit", type=int, metavar="NUMBER"),
        arg("--marker", metavar="ID", help="start after the stack with this id"),
        arg("--sort", metavar="KEY[:DIRECTION],…", help="such as stack_name:asc"),
        flag("--all-projects", help="list the stacks of all projects"),
        flag("--short", help="show fewer columns"),
        flag("--long", help="show more columns, for all projects"),
        shows=True,
        tags_any=None,
        not_tags=None,
        not_tags_any=None,
        sort_dir=None,
        show_owner=False,
    ),
    _command(
        "check",
        "check that all resources of stacks exist",
        "actions:check",
        STACKS,
        *WAIT,
        SHOW_SECRETS,
        shows=True,
    ),
    _command("suspend", "suspend stacks", "actions:suspend", STACKS, *WAIT, SHOW_SECRETS, shows=True),
    _command("resume", "resume stacks", "actions:resume", STACKS, *WAIT, SHOW_SECRETS, shows=True),
    _command(
        "cancel",
        "cancel a create or update in progress",
        "actions:cancel",
        STACKS,
        *WAIT,
        flag("--no-rollback", help="stop without rolling back"),
        SHOW_SECRETS,
        shows=True,
    ),
    _command(
        "retry", "retry a failed action", "changing:retry", STACK, *WAIT, POLL, SHOW_SECRETS, shows=True
    ),
    _command(
        "abandon",
        "delete a stack but keep its resources",
        "actions:abandon",
        STACK,
        arg("--output-file", metavar="FILE", help="write the stack data to this file"),
        YES,
    ),
    _command(
        "adopt",
        "create a stack from existing resources",
        "changing:adopt",
        NAME,
        ENVIRONMENTS,
        TIMEOUT,
        ROLLBACK,
        *PARAMETERS,
        *WAIT,
        arg("--adopt-file", required=True, metavar="FILE|URL", help="stack data from abandon or export"),
        SHOW_SECRETS,
        shows=True,
        template=None,
    ),
    _command(
        "export",
        "print the data for adopting a stack",
        "actions:export",
        STACK,
        arg("--output-file", metavar="FILE", help="write to this file"),
    ),
    _command(
        "validate",
        "validate a template with the service",
        "reading:validate",
        arg("-t", "--template", required=True, metavar="FILE|URL", help="the template; - for standard input"),
        ENVIRONMENTS,
        flag("--show-nested", help="include nested templates"),
        *PARAMETERS,
        CONTAINER,
        arg("--ignore-errors", metavar="CODE,CODE", help="errors to ignore"),
        shows=True,
    ),
    _command(
        "failures",
        "show why a stack failed",
        "failures:show",
        STACK,
        flag("--long", help="show the full output of software deployments"),
        arg("-t", "--template", metavar="FILE", help="the stack's template, for line numbers"),
        shows=True,
    ),
    _command(
        "graph",
        "draw the dependency graph of a stack",
        "graph:show",
        STACK,
        arg("--format", dest="graph_format", choices=("text", "svg", "dot"), default="text"),
        flag("--nested", help="include nested stacks"),
        arg("-o", "--output", metavar="FILE", help="write to this file"),
    ),
    _command(
        "snapshot create", "take a snapshot", "snapshots:create", STACK, arg("--name"), *WAIT, shows=True
    ),
    _command("snapshot list", "list snapshots", "snapshots:list_", STACK, shows=True),
    _command("snapshot show", "show a snapshot", "snapshots:show", STACK, SNAPSHOT, shows=True),
    _command("snapshot delete", "delete a snapshot", "snapshots:delete", STACK, SNAPSHOT, YES),
    _command(
        "snapshot restore",
        "restore a stack to a snapshot",
        "snapshots:restore",
        STACK,
        SNAPSHOT,
        *WAIT,
        SHOW_SECRETS,
        shows=True,
    ),
    _command("output list", "list outputs", "reading:outputs", STACK, shows=True),
    _command(
        "output show",
        "show an output",
        "reading:output",
        STACK,
        arg("output", metavar="OUTPUT", nargs="?"),
        flag("--all", help="show all outputs"),
        SHOW_SECRETS,
        shows=True,
        with_detail=True,
    ),
    _command(
        "event list",
        "list or follow events",
        "events:list_",
        STACK,
        arg("--resource", metavar="RESOURCE", help="only the events of this resource"),
        FILTERS,
        arg("--limit", type=int, metavar="NUMBER"),
        arg("--marker", metavar="ID", help="start after the event with this id"),
        NESTED_DEPTH,
        many("--sort", metavar="KEY[:DIRECTION]", help="such as event_time:desc; repeatable"),
        flag("--follow", help="print new events as they occur"),
        arg("-f", "--format", choices=("log", *FORMATS), help="the output format; default: log"),
        many("-c", "--column", dest="columns", metavar="COLUMN", help="print only this column; repeatable"),
    ),
    _command(
        "event show",
        "show an event",
        "events:show",
        STACK,
        RESOURCE,
        arg("event", metavar="EVENT", help="the id of the event"),
        shows=True,
    ),
    _command(
        "resource list",
        "list resources",
        "resources:list_",
        STACK,
        flag("--long", help="show more columns"),
        NESTED_DEPTH,
        FILTERS,
        SHOW_SECRETS,
        shows=True,
    ),
    _command(
        "resource show",
        "show a resource",
        "resources:show",
        STACK,
        RESOURCE,
        many(
            "--with-attr", dest="attributes", metavar="ATTRIBUTE", help="an additional attribute; repeatable"
        ),
        SHOW_SECRETS,
        shows=True,
    ),
    _command(
        "resource metadata", "show a resource's metadata", "resources:metadata", STACK, RESOURCE, shows=True
    ),
    _command(
        "resource signal",
        "send a signal to a resource",
        "resources:signal",
        STACK,
        RESOURCE,
        arg("--data", metavar="JSON", help="the data to send"),
        arg("--data-file", metavar="FILE", help="a file with the data to send"),
    ),
    _command(
        "resource mark-unhealthy",
        "mark a resource for replacement by the next update",
        "resources:mark_unhealthy",
        STACK,
        RESOURCE,
        arg("reason", metavar="REASON", nargs="?"),
        flag("--reset", help="unmark the resource"),
    ),
    _command("hook poll", "list resources paused at a hook", "hooks:poll", STACK, NESTED_DEPTH, shows=True),
    _command(
        "hook clear",
        "clear hooks, so that paused resources continue",
        "hooks:clear",
        STACK,
        flag("--pre-create", help="clear pre-create hooks"),
        flag("--pre-update", help="clear pre-update hooks"),
        flag("--pre-delete", help="clear pre-delete hooks"),
        arg(
            "resources",
            metavar="RESOURCE",
            nargs="+",
            help="the path of a resource, such as group/0/server, with * and ? as wildcards",
        ),
    ),
    _command("template show", "show a stack's template", "reading:template", STACK, shows=True),
    _command("environment show", "show a stack's environment", "reading:environment", STACK, shows=True),
    _command("file list", "show a stack's files", "reading:files", STACK, shows=True),
)
