"""The commands of `calor config` that are about software configurations, and those of `calor deployment`."""

from __future__ import annotations

from calor.cli.options import Command, arg, flag, many

ID = arg("id", metavar="ID")
IDS = arg("ids", metavar="ID", nargs="+")
LONG = flag("--long", help="more of it")
LIMIT = arg("--limit", type=int, metavar="NUMBER")
MARKER = arg("--marker", metavar="ID", help="those after this one")
_CONFIGS = "software.configs"
_DEPLOYMENTS = "software.deployments"

CONFIGS = (
    Command(
        ("config", "create"),
        "create a software configuration",
        f"{_CONFIGS}:create",
        (
            arg("name", metavar="NAME"),
            arg("--config-file", metavar="FILE|URL", help="what is to be run"),
            arg("--definition-file", metavar="FILE|URL", help="its inputs, outputs and options"),
            arg("--group", default="Heat::Ungrouped", metavar="GROUP", help="the tool that runs it"),
        ),
        shows=True,
    ),
    Command(
        ("config", "list"), "list software configurations", f"{_CONFIGS}:list_", (LIMIT, MARKER), shows=True
    ),
    Command(
        ("config", "show"),
        "show a software configuration or, without an id, every option of the server, its value, and where that "
        "came from",
        "config_show:show",
        (
            arg("id", metavar="ID", nargs="?"),
            flag("--config-only", help="of a software configuration, what is to be run, alone"),
        ),
        shows=True,
    ),
    Command(("config", "delete"), "delete software configurations", f"{_CONFIGS}:delete", (IDS,)),
)

DEPLOYMENTS = (
    Command(
        ("deployment", "create"),
        "deploy a software configuration to a server",
        f"{_DEPLOYMENTS}:create",
        (
            arg("name", metavar="NAME"),
            many("--input-value", dest="input_values", metavar="KEY=VALUE", help="an input; repeatable"),
            arg("--action", default="UPDATE", help="what it is deployed for"),
            arg("--config", metavar="ID", help="the configuration"),
            arg(
                "--signal-transport",
                choices=("TEMP_URL_SIGNAL", "NO_SIGNAL"),
                default="TEMP_URL_SIGNAL",
                help="how the server tells its result",
            ),
            arg("--container", metavar="CONTAINER", help="where its result is put"),
            arg("--timeout", type=int, default=60, metavar="MINUTES", help="how long the server may tell it"),
            arg("--server", required=True, metavar="ID"),
        ),
        shows=True,
    ),
    Command(
        ("deployment", "list"),
        "list deployments",
        f"{_DEPLOYMENTS}:list_",
        (arg("--server", metavar="ID", help="to this server"), LONG),
        shows=True,
    ),
    Command(("deployment", "show"), "show a deployment", f"{_DEPLOYMENTS}:show", (ID, LONG), shows=True),
    Command(("deployment", "delete"), "delete deployments", f"{_DEPLOYMENTS}:delete", (IDS,)),
    Command(
        ("deployment", "metadata", "show"),
        "show what a server is told",
        f"{_DEPLOYMENTS}:metadata",
        (arg("server", metavar="SERVER"),),
    ),
    Command(
        ("deployment", "output", "show"),
        "show what a server has told",
        f"{_DEPLOYMENTS}:output",
        (ID, arg("output", metavar="OUTPUT", nargs="?"), flag("--all", help="all outputs"), LONG),
        shows=True,
    ),
)
