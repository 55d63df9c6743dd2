"""The commands of `calor config` for software configurations, and those of `calor deployment`."""

from __future__ import annotations

from calor.cli.options import Command, arg, flag, many

ID = arg("id", metavar="ID")
DEPLOYMENT = arg("id", metavar="ID|STACK/RESOURCE", help="in a group: STACK/GROUP/MEMBER")
IDS = arg("ids", metavar="ID", nargs="+")
LONG = flag("--long", help="show more")
LIMIT = arg("--limit", type=int, metavar="NUMBER")
MARKER = arg("--marker", metavar="ID", help="start after this id")
_CONFIGS = "software.configs"
_DEPLOYMENTS = "software.deployments"

CONFIGS = (
    Command(
        ("config", "create"),
        "create a software configuration",
        f"{_CONFIGS}:create",
        (
            arg("name", metavar="NAME"),
            arg("--config-file", metavar="FILE|URL", help="the script or manifest"),
            arg(
                "--definition-file",
                metavar="FILE|URL",
                help="a YAML file with the inputs, outputs and options",
            ),
            arg(
                "--group",
                default="Heat::Ungrouped",
                metavar="GROUP",
                help="the tool that runs the configuration",
            ),
        ),
        shows=True,
    ),
    Command(
        ("config", "list"), "list software configurations", f"{_CONFIGS}:list_", (LIMIT, MARKER), shows=True
    ),
    Command(
        ("config", "show"),
        "show a software configuration or, without an id, all options of the server with their values and origins",
        "config_show:show",
        (
            arg("id", metavar="ID", nargs="?"),
            flag("--config-only", help="show only the script or manifest of a software configuration"),
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
            arg("--action", default="UPDATE", help="the stack action to deploy for"),
            arg("--config", metavar="ID", help="the configuration to deploy"),
            arg(
                "--signal-transport",
                choices=("TEMP_URL_SIGNAL", "NO_SIGNAL"),
                default="TEMP_URL_SIGNAL",
                help="how the server reports its result",
            ),
            arg("--container", metavar="CONTAINER", help="the container for the result"),
            arg(
                "--timeout",
                type=int,
                default=60,
                metavar="MINUTES",
                help="how long the result can be reported",
            ),
            arg("--server", required=True, metavar="ID"),
        ),
        shows=True,
    ),
    Command(
        ("deployment", "list"),
        "list deployments",
        f"{_DEPLOYMENTS}:list_",
        (arg("--server", metavar="ID", help="show only the deployments on this server"), LONG),
        shows=True,
    ),
    Command(
        ("deployment", "show"),
        "show a deployment",
        f"{_DEPLOYMENTS}:show",
        (
            DEPLOYMENT,
            LONG,
            flag("--follow", help="print what the server reports until it has finished"),
        ),
        shows=True,
    ),
    Command(("deployment", "delete"), "delete deployments", f"{_DEPLOYMENTS}:delete", (IDS,)),
    Command(
        ("deployment", "metadata", "show"),
        "show the metadata for a server",
        f"{_DEPLOYMENTS}:metadata",
        (arg("server", metavar="SERVER"),),
    ),
    Command(
        ("deployment", "output", "show"),
        "show the outputs of a deployment",
        f"{_DEPLOYMENTS}:output",
        (
            DEPLOYMENT,
            arg("output", metavar="OUTPUT", nargs="?"),
            flag("--all", help="show all outputs"),
            LONG,
        ),
        shows=True,
    ),
)
