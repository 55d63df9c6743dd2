"""The commands of the old `heat` client: `stack-create -f t.yaml NAME`. Each runs the function of the current
command."""

from __future__ import annotations

import re

from calor.cli import families
from calor.cli.json_values import JsonObject
from calor.cli.options import Arg, Command, Parser, add_commands, arg, flag, many
from calor.cli.stack.commands import RESOURCE, SNAPSHOT, STACK, STACKS

_TEMPLATE_OPTIONS = (
    arg("-f", "--template-file", dest="template", metavar="FILE"),
    arg("-u", "--template-url", dest="template", metavar="URL"),
    arg("-o", "--template-object", dest="template", metavar="URL"),
)
_ENVIRONMENTS = many("-e", "--environment-file", dest="environments", metavar="FILE|URL")
_PARAMETERS = many("-P", "--parameters", dest="parameters", metavar="K=V;…")
_PARAMETER_FILES = many("-Pf", "--parameter-file", dest="parameter_files", metavar="KEY=FILE")
_TIMEOUT = arg("-t", "--timeout", type=int, metavar="MINUTES")
_CREATE_TIMEOUT = arg("-c", "--create-timeout", dest="timeout", type=int, metavar="MINUTES")
_ROLLBACK = flag("-r", "--enable-rollback")
_TAGS = arg("--tags", metavar="TAG,TAG")
_NAME = arg("name", metavar="STACK_NAME")
_LIMIT = arg("-l", "--limit", type=int, metavar="LIMIT")
_MARKER = arg("-m", "--marker", metavar="ID")
_DEPTH = arg("-n", "--nested-depth", type=int, metavar="DEPTH")
_YES = flag("-y", "--yes")
_ID = arg("id", metavar="ID")
_IDS = arg("ids", metavar="ID", nargs="+")
_FORMAT = arg("-F", "--format", metavar="FORMAT")
_TYPE = arg("type", metavar="RESOURCE_TYPE")
_OUTPUT = arg("output", metavar="OUTPUT NAME", nargs="?")
_HELPS = {command.runs: command.help for family in families.HELPS for command in families.commands_of(family)}
_NO_REQUEST: JsonObject = {"parameter_files": [], "files_container": None}


def _old(name: str, runs: str, *args: Arg, **presets: object) -> Command:
    return Command((name,), _HELPS[runs], runs, args, False, {"legacy": True, "wait": False, **presets})


def _filters(*names: str) -> Arg:
    return many(*names, dest="filters", metavar="KEY=VALUE;…")


def _switched(text: str) -> str:
    return "enabled" if text.lower() in ("1", "true", "t", "yes", "y", "on", "enabled") else "disabled"


_TYPE_TEMPLATE = (
    _TYPE,
    arg("-t", "--template-type", choices=("cfn", "hot"), default="cfn"),
    _FORMAT,
)
_EVENT = (STACK, RESOURCE, arg("event", metavar="EVENT"))

COMMANDS = (
    _old("action-check", "stack.actions:check", STACKS),
    _old("action-resume", "stack.actions:resume", STACKS),
    _old("action-suspend", "stack.actions:suspend", STACKS),
    _old("build-info", "catalogue:build_info"),
    _old(
        "config-create",
        "software.configs:create",
        arg("-f", "--definition-file", metavar="FILE|URL"),
        arg("-c", "--config-file", metavar="FILE|URL"),
        arg("-g", "--group", default="Heat::Ungrouped"),
        arg("name", metavar="CONFIG_NAME"),
        format="json",
    ),
    _old("config-delete", "software.configs:delete", _IDS),
    _old("config-list", "software.configs:list_", _LIMIT, _MARKER),
    _old("config-show", "config_show:show", _ID, flag("-c", "--config-only"), format="json"),
    _old(
        "deployment-create",
        "software.deployments:create",
        many("-i", "--input-value", dest="input_values", metavar="KEY=VALUE"),
        arg("-a", "--action", default="UPDATE"),
        arg("-c", "--config", metavar="CONFIG"),
        arg("-s", "--server", required=True, metavar="SERVER"),
        arg("-t", "--signal-transport", default="TEMP_URL_SIGNAL", choices=("TEMP_URL_SIGNAL", "NO_SIGNAL")),
        arg("--container", metavar="CONTAINER_NAME"),
        arg("--timeout", type=int, default=60),
        arg("name", metavar="DEPLOY_NAME"),
        format="json",
    ),
    _old("deployment-delete", "software.deployments:delete", _IDS),
    _old("deployment-list", "software.deployments:list_", arg("-s", "--server", metavar="SERVER"), long=True),
    _old("deployment-metadata-show", "software.deployments:metadata", arg("server", metavar="ID")),
    _old(
        "deployment-output-show",
        "software.deployments:output",
        _ID,
        _OUTPUT,
        flag("-a", "--all"),
        _FORMAT,
    ),
    _old("deployment-show", "software.deployments:show", _ID, long=True, format="json"),
    _old("event", "stack.events:show", *_EVENT),
    _old(
        "event-list",
        "stack.events:list_",
        STACK,
        arg("-r", "--resource", metavar="RESOURCE"),
        _filters("-f", "--filters"),
        _LIMIT,
        _MARKER,
        _DEPTH,
        arg("-F", "--format", choices=("table", "log"), default="table"),
        sort=[],
        follow=False,
    ),
    _old("event-show", "stack.events:show", *_EVENT),
    _old(
        "hook-clear",
        "stack.hooks:clear",
        STACK,
        flag("--pre-create"),
        flag("--pre-update"),
        flag("--pre-delete"),
        arg("resources", metavar="RESOURCE", nargs="+"),
    ),
    _old("hook-poll", "stack.hooks:poll", STACK, _DEPTH),
    _old("output-list", "stack.reading:outputs", STACK),
    _old(
        "output-show",
        "stack.reading:output",
        STACK,
        _OUTPUT,
        arg("-F", "--format", choices=("raw", "json")),
        flag("-a", "--all"),
        flag("--with-detail"),
    ),
    _old(
        "resource-list",
        "stack.resources:list_",
        STACK,
        _DEPTH,
        flag("--with-detail", dest="long"),
        _filters("-f", "--filter"),
    ),
    _old(
        "resource-mark-unhealthy",
        "stack.resources:mark_unhealthy",
        STACK,
        RESOURCE,
        arg("reason", nargs="?"),
        flag("--reset"),
    ),
    _old("resource-metadata", "stack.resources:metadata", STACK, RESOURCE),
    _old(
        "resource-show",
        "stack.resources:show",
        STACK,
        RESOURCE,
        many("-a", "--with-attr", dest="attributes", metavar="ATTRIBUTE"),
    ),
    _old(
        "resource-signal",
        "stack.resources:signal",
        STACK,
        RESOURCE,
        arg("-D", "--data", metavar="DATA"),
        arg("-f", "--data-file", metavar="FILE"),
    ),
    _old("resource-template", "catalogue:resource_type", *_TYPE_TEMPLATE, long=False),
    _old("resource-type-list", "catalogue:resource_types", _filters("-f", "--filters"), long=False),
    _old("resource-type-show", "catalogue:resource_type", _TYPE, template_type=None, long=False),
    _old("resource-type-template", "catalogue:resource_type", *_TYPE_TEMPLATE, long=False),
    _old("service-list", "catalogue:services"),
    _old("snapshot-delete", "stack.snapshots:delete", STACK, SNAPSHOT, _YES),
    _old("snapshot-list", "stack.snapshots:list_", STACK),
    _old("snapshot-show", "stack.snapshots:show", STACK, SNAPSHOT, format="json"),
    _old("stack-abandon", "stack.actions:abandon", arg("-O", "--output-file", metavar="FILE"), STACK),
    _old(
        "stack-adopt",
        "stack.changing:adopt",
        _ENVIRONMENTS,
        _CREATE_TIMEOUT,
        _TIMEOUT,
        arg("-a", "--adopt-file", required=True, metavar="FILE|URL"),
        _ROLLBACK,
        _PARAMETERS,
        _NAME,
        template=None,
        **_NO_REQUEST,
    ),
    _old("stack-cancel-update", "stack.actions:cancel", STACKS, no_rollback=False),
    _old(
        "stack-create",
        "stack.changing:create",
        *_TEMPLATE_OPTIONS,
        _ENVIRONMENTS,
        many("--pre-create", metavar="RESOURCE"),
        _CREATE_TIMEOUT,
        _TIMEOUT,
        _ROLLBACK,
        _PARAMETERS,
        _PARAMETER_FILES,
        arg("--poll", nargs="?", type=float, const=5.0, metavar="SECONDS"),
        _NAME,
        _TAGS,
    ),
    _old("stack-delete", "stack.changing:delete", STACKS, _YES),
    _old(
        "stack-list",
        "stack.reading:list_",
        flag("-s", "--show-deleted", dest="deleted"),
        flag("-n", "--show-nested", dest="nested"),
        flag("-a", "--show-hidden", dest="hidden"),
        _filters("-f", "--filters"),
        arg("-t", "--tags", metavar="TAG,TAG"),
        arg("--tags-any", metavar="TAG,TAG"),
        arg("--not-tags", metavar="TAG,TAG"),
        arg("--not-tags-any", metavar="TAG,TAG"),
        _LIMIT,
        _MARKER,
        arg("-k", "--sort-keys", dest="sort", metavar="KEY;KEY"),
        arg("-d", "--sort-dir", choices=("asc", "desc")),
        flag("-g", "--global-tenant", dest="all_projects"),
        flag("-o", "--show-owner"),
        tag_mode=None,
        project=None,
        short=False,
        long=False,
    ),
    _old(
        "stack-preview",
        "stack.changing:preview",
        *_TEMPLATE_OPTIONS,
        _ENVIRONMENTS,
        _TIMEOUT,
        _ROLLBACK,
        _PARAMETERS,
        _PARAMETER_FILES,
        _NAME,
        _TAGS,
        format="table",
    ),
    _old("stack-restore", "stack.snapshots:restore", STACK, SNAPSHOT),
    _old("stack-show", "stack.reading:show", STACK, flag("--no-resolve-outputs")),
    _old("stack-snapshot", "stack.snapshots:create", STACK, arg("-n", "--name"), format="json"),
    _old(
        "stack-update",
        "stack.changing:update",
        *_TEMPLATE_OPTIONS,
        _ENVIRONMENTS,
        many("--pre-update", metavar="RESOURCE"),
        _TIMEOUT,
        arg("--rollback", type=_switched, metavar="VALUE"),
        flag("-y", "--dry-run"),
        flag("-n", "--show-nested"),
        _PARAMETERS,
        _PARAMETER_FILES,
        flag("-x", "--existing"),
        many("-c", "--clear-parameter", dest="clear_parameters", metavar="PARAMETER"),
        STACK,
        _TAGS,
        format="table",
    ),
    _old(
        "template-function-list",
        "catalogue:functions",
        arg("version", metavar="TEMPLATE_VERSION"),
        with_conditions=False,
    ),
    _old("template-show", "stack.reading:template", STACK),
    _old(
        "template-validate",
        "stack.reading:validate",
        *_TEMPLATE_OPTIONS,
        _ENVIRONMENTS,
        flag("-n", "--show-nested"),
        _PARAMETERS,
        arg("-I", "--ignore-errors", metavar="CODE,CODE"),
        **_NO_REQUEST,
    ),
    _old("template-version-list", "catalogue:template_versions"),
)

NAMES = frozenset(command.words[0] for command in COMMANDS)
_JOINED = re.compile(r"\A(stack-delete)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\Z")


def separated(argv: list[str]) -> list[str]:
    """Separates `stack-delete` from an id right after it, which scripts produce by awk's `"heat stack-delete" $2`."""
    found = _JOINED.match(argv[0]) if argv else None
    return [found[1], found[2], *argv[1:]] if found else argv


def is_legacy(word: str) -> bool:
    return word in NAMES or _JOINED.match(word) is not None


def add_to(parsers: object, word: str | None) -> None:
    """Adds the command of that name, or all of them."""
    chosen = [command for command in COMMANDS if word is None or command.words[0] == word]
    add_commands(parsers, chosen)


def heat_parser(word: str | None) -> Parser:
    parser = Parser(prog="calor heat", description="Calor with the commands of the old `heat` client.")
    add_to(parser.add_subparsers(title="commands", metavar="COMMAND", required=True), word)
    return parser
