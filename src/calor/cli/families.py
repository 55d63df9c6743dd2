"""The groups of commands that use a service, and their aliases."""

from __future__ import annotations

from collections.abc import Sequence

from calor.cli.options import Command, arg, flag, many

HELPS = {
    "stack": "create, update, delete and show stacks",
    "config": "software configurations; the configuration of the server",
    "deployment": "software configurations on servers",
    "service": "engines, template versions and functions of a service",
    "resource-type": "the resource types of a service",
}

_CATALOGUE = (
    Command(("service", "list"), "list engines", "catalogue:services", shows=True),
    Command(("service", "build-info"), "show the build of the service", "catalogue:build_info", shows=True),
    Command(
        ("service", "template-versions"),
        "list template versions",
        "catalogue:template_versions",
        shows=True,
    ),
    Command(
        ("service", "functions"),
        "list the functions of a template version",
        "catalogue:functions",
        (
            arg("version", metavar="VERSION", help="such as heat_template_version.2018-08-31"),
            flag("--with-conditions", "--with_conditions", help="include condition functions"),
        ),
        shows=True,
    ),
    Command(
        ("resource-type", "list"),
        "list resource types",
        "catalogue:resource_types",
        (
            many("--filter", dest="filters", metavar="KEY=VALUE", help="name, version or support_status"),
            flag("--long", help="include descriptions"),
        ),
        shows=True,
    ),
    Command(
        ("resource-type", "show"),
        "show a resource type, or a template for it",
        "catalogue:resource_type",
        (
            arg("type", metavar="TYPE"),
            arg("--template-type", choices=("hot", "cfn"), help="show a template for it"),
            flag("--long", help="include the description"),
        ),
        shows=True,
    ),
)

# The names that other clients use. The last word is not replaced: it may be the name of a stack.
_ALIASES = (
    (("stack", "resource", "mark", "unhealthy"), ("stack", "resource", "mark-unhealthy")),
    (("stack", "failures", "list"), ("stack", "failures")),
    (("software", "config"), ("config",)),
    (("software", "deployment"), ("deployment",)),
    (("orchestration", "service"), ("service",)),
    (("orchestration", "build", "info"), ("service", "build-info")),
    (("orchestration", "resource", "type"), ("resource-type",)),
    (("orchestration", "template", "validate"), ("stack", "validate")),
    (("orchestration", "template", "version", "list"), ("service", "template-versions")),
    (("orchestration", "template", "function", "list"), ("service", "functions")),
)


def commands_of(family: str) -> tuple[Command, ...]:
    """Imports the table of one family."""
    if family == "stack":
        from calor.cli.stack.commands import COMMANDS

        return COMMANDS
    if family in ("config", "deployment"):
        from calor.cli.software.commands import CONFIGS, DEPLOYMENTS

        return CONFIGS if family == "config" else DEPLOYMENTS
    return tuple(command for command in _CATALOGUE if command.words[0] == family)


def spelled_out(argv: Sequence[str]) -> list[str]:
    """The command line with aliases replaced."""
    for other, own in _ALIASES:
        rest = argv[len(other) :]
        if tuple(argv[: len(other)]) == other and (
            rest or other[-1] != "list" or other[0] == "orchestration"
        ):
            return [*own, *rest]
    return list(argv)
