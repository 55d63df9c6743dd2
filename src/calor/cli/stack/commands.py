"""The commands of `calor stack`, with their options."""

from __future__ import annotations

from calor.cli.options import FORMATS, Arg, Command, arg, flag, many

STACK = arg("stack", metavar="STACK", help="a name or an id")
STACKS = arg("stacks", metavar="STACK", nargs="+", help="names or ids")
RESOURCE = arg("resource", metavar="RESOURCE")
SNAPSHOT = arg("snapshot", metavar="SNAPSHOT", help="its id")
NAME = arg("name", metavar="NAME", help="of the stack")
YES = flag("-y", "--yes", help="do not ask; needed where standard input has no answer")
NESTED_DEPTH = arg("-n", "--nested-depth", type=int, metavar="DEPTH", help="go into nested stacks so deep")
FILTERS = many("--filter", dest="filters", metavar="KEY=VALUE", help="those for which this holds; repeatable")

TEMPLATE = arg("-t", "--template", metavar="FILE|URL", help="the template; - is standard input")
ENVIRONMENTS = many(
    "-e", "--environment", dest="environments", metavar="FILE|URL", help="an environment; repeatable"
)
CONTAINER = arg("-s", "--files-container", metavar="CONTAINER", help="a container with all files in it")
PARAMETERS = (
    many("-P", "--parameter", dest="parameters", metavar="KEY=VALUE", help="a parameter; repeatable"),
    many(
        "--parameter-file",
        dest="parameter_files",
        metavar="KEY=FILE",
        help="a parameter whose value is in a file; repeatable",
    ),
)
TIMEOUT = arg("--timeout", type=int, metavar="MINUTES", help="how long it may take")
TAGS = arg("--tags", metavar="TAG,TAG", help="what it is tagged with")
EXIT_CODE = flag(
    "--detailed-exitcode",
    help="of a plan: exit with 0 if nothing would change, 2 if something would, 1 on errors",
)
ROLLBACK = flag("--enable-rollback", help="if it fails, go back to what was before")
SHOW_SECRETS = flag("--show-secrets", help="print secrets instead of masks")
POLL = arg(
    "--poll", type=float, metavar="SECONDS", help="how often to ask a service that has no stream of events"
)

WAIT: tuple[Arg, ...] = (
    arg("--wait", action="store_true", default=True, help="wait until it is done, as is the default"),
    arg("--no-wait", dest="wait", action="store_false", help="do not wait until it is done"),
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
        many("--pre-create", metavar="RESOURCE", help="pause before this one is created; repeatable"),
        ROLLBACK,
        *PARAMETERS,
        *WAIT,
        POLL,
        TAGS,
        flag("--dry-run", help="show what would be created, and create nothing"),
        EXIT_CODE,
        SHOW_SECRETS,
        shows=True,
    ),
    _command(
        "update",
        "change a stack: shows what will be done, asks, does it",
        "changing:update",
        STACK,
        TEMPLATE,
        ENVIRONMENTS,
        CONTAINER,
        many("--pre-update", metavar="RESOURCE", help="pause before this one is updated; repeatable"),
        TIMEOUT,
        arg(
            "--rollback",
            choices=("enabled", "disabled", "keep"),
            default="keep",
            help="whether to go back if it fails",
        ),
        flag("--dry-run", help="show what would be done, and do nothing"),
        EXIT_CODE,
        flag("--show-nested", help="show what would be done in nested stacks, too"),
        *PARAMETERS,
        flag("--existing", help="keep template, environment and parameters as far as none are given"),
        many(
            "--clear-parameter",
            dest="clear_parameters",
            metavar="PARAMETER",
            help="go back to its default; repeatable",
        ),
        TAGS,
        *WAIT,
        POLL,
        flag("--converge", help="look at what is really there before deciding"),
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
        flag("--existing", help="keep what the stack has as far as nothing is given"),
        flag("--show-nested", help="show what would be done in nested stacks, too"),
        SHOW_SECRETS,
        shows=True,
    ),
    _command("delete", "delete stacks", "changing:delete", STACKS, YES, *WAIT),
    _command(
        "show",
        "show a stack",
        "reading:show",
        STACK,
        flag("--no-resolve-outputs", help="without outputs"),
        SHOW_SECRETS,
        shows=True,
    ),
    _command(
        "list",
        "list stacks",
        "reading:list_",
        flag("--deleted", help="deleted ones, too"),
        flag("--nested", help="nested ones, too"),
        flag("--hidden", help="hidden ones, too"),
        many(
            "--property", dest="filters", metavar="KEY=VALUE", help="those for which this holds; repeatable"
        ),
        arg("--project", metavar="PROJECT", help="of this project"),
        arg("--project-domain", metavar="DOMAIN", help="the domain of the project"),
        arg("--tags", metavar="TAG,TAG", help="those that have these tags"),
        arg("--tag-mode", choices=("any", "not", "not-any"), help="any of the tags; not all; none"),
        arg("--limit", type=int, metavar="NUMBER"),
        arg("--marker", metavar="ID", help="those after this one"),
        arg("--sort", metavar="KEY[:DIRECTION],…", help="such as stack_name:asc"),
        flag("--all-projects", help="of all projects"),
        flag("--short", help="fewer columns"),
        flag("--long", help="more columns, of all projects"),
        shows=True,
        tags_any=None,
        not_tags=None,
        not_tags_any=None,
        sort_dir=None,
        show_owner=False,
    ),
    _command(
        "check",
        "see whether all resources are there",
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
        "cancel an update or a creation",
        "actions:cancel",
        STACKS,
        *WAIT,
        flag("--no-rollback", help="leave everything as it is"),
        SHOW_SECRETS,
        shows=True,
    ),
    _command(
        "retry", "do once more what failed", "changing:retry", STACK, *WAIT, POLL, SHOW_SECRETS, shows=True
    ),
    _command(
        "abandon",
        "forget a stack and leave its resources alone",
        "actions:abandon",
        STACK,
        arg("--output-file", metavar="FILE", help="where to write what is needed to adopt it"),
        YES,
    ),
    _command(
        "adopt",
        "make a stack of resources that are there",
        "changing:adopt",
        NAME,
        ENVIRONMENTS,
        TIMEOUT,
        ROLLBACK,
        *PARAMETERS,
        *WAIT,
        arg("--adopt-file", required=True, metavar="FILE|URL", help="what abandon or export has written"),
        SHOW_SECRETS,
        shows=True,
        template=None,
    ),
    _command(
        "export",
        "print what is needed to adopt a stack",
        "actions:export",
        STACK,
        arg("--output-file", metavar="FILE", help="where to write it"),
    ),
    _command(
        "validate",
        "let the service check a template",
        "reading:validate",
        arg("-t", "--template", required=True, metavar="FILE|URL", help="the template; - is standard input"),
        ENVIRONMENTS,
        flag("--show-nested", help="nested templates, too"),
        *PARAMETERS,
        CONTAINER,
        arg("--ignore-errors", metavar="CODE,CODE", help="errors to pass over"),
        shows=True,
    ),
    _command(
        "failures",
        "show why a stack failed",
        "failures:show",
        STACK,
        flag("--long", help="all that deployments have written"),
        arg("-t", "--template", metavar="FILE", help="the stack's template, to find lines in"),
        shows=True,
    ),
    _command(
        "graph",
        "draw what depends on what, with states",
        "graph:show",
        STACK,
        arg("--format", dest="graph_format", choices=("text", "svg", "dot"), default="text"),
        flag("--nested", help="draw nested stacks, too"),
        arg("-o", "--output", metavar="FILE", help="write to a file"),
    ),
    _command(
        "snapshot create", "take a snapshot", "snapshots:create", STACK, arg("--name"), *WAIT, shows=True
    ),
    _command("snapshot list", "list snapshots", "snapshots:list_", STACK, shows=True),
    _command("snapshot show", "show a snapshot", "snapshots:show", STACK, SNAPSHOT, shows=True),
    _command("snapshot delete", "delete a snapshot", "snapshots:delete", STACK, SNAPSHOT, YES),
    _command(
        "snapshot restore",
        "go back to a snapshot",
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
        flag("--all", help="all of them"),
        SHOW_SECRETS,
        shows=True,
        with_detail=True,
    ),
    _command(
        "event list",
        "list events, or follow them",
        "events:list_",
        STACK,
        arg("--resource", metavar="RESOURCE", help="of this one"),
        FILTERS,
        arg("--limit", type=int, metavar="NUMBER"),
        arg("--marker", metavar="ID", help="those after this one"),
        NESTED_DEPTH,
        many("--sort", metavar="KEY[:DIRECTION]", help="such as event_time:desc; repeatable"),
        flag("--follow", help="go on as they come"),
        arg("-f", "--format", choices=("log", *FORMATS), help="how to print; default: log"),
        many("-c", "--column", dest="columns", metavar="COLUMN", help="print this column only; repeatable"),
    ),
    _command(
        "event show",
        "show an event",
        "events:show",
        STACK,
        RESOURCE,
        arg("event", metavar="EVENT", help="its id"),
        shows=True,
    ),
    _command(
        "resource list",
        "list resources",
        "resources:list_",
        STACK,
        flag("--long", help="more columns"),
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
        many("--with-attr", dest="attributes", metavar="ATTRIBUTE", help="this one, too; repeatable"),
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
        arg("--data", metavar="JSON", help="what to send"),
        arg("--data-file", metavar="FILE", help="a file with what to send"),
    ),
    _command(
        "resource mark-unhealthy",
        "have a resource replaced by the next update",
        "resources:mark_unhealthy",
        STACK,
        RESOURCE,
        arg("reason", metavar="REASON", nargs="?"),
        flag("--reset", help="take it back"),
    ),
    _command(
        "hook poll", "list resources that wait at a hook", "hooks:poll", STACK, NESTED_DEPTH, shows=True
    ),
    _command(
        "hook clear",
        "let resources go on",
        "hooks:clear",
        STACK,
        flag("--pre-create", help="those that wait before their creation"),
        flag("--pre-update", help="before their update"),
        flag("--pre-delete", help="before their deletion"),
        arg(
            "resources",
            metavar="RESOURCE",
            nargs="+",
            help="the way to it, such as group/0/server; * and ? work",
        ),
    ),
    _command("template show", "show a stack's template", "reading:template", STACK, shows=True),
    _command("environment show", "show a stack's environment", "reading:environment", STACK, shows=True),
    _command("file list", "show a stack's files", "reading:files", STACK, shows=True),
)
