"""The families of commands that ask a service, and other ways to say the same."""

from __future__ import annotations

from collections.abc import Sequence

from calor.cli.options import Command, arg, flag, many

HELPS = {
    "stack": "create, update, delete, look at stacks",
    "config": "software configurations; the configuration of the server",
    "deployment": "software configurations on servers",
    "service": "the engines of a service, and what it offers",
    "resource-type": "the resource types of a service",
}

_CATALOGUE = (
    Command(("service", "list"), "list engines", "catalogue:services", shows=True),
    Command(("service", "build-info"), "show what it was built from", "catalogue:build_info", shows=True),
    Command(
        ("service", "template-versions"),
        "list the template versions it knows",
        "catalogue:template_versions",
        shows=True,
    ),
    Command(
        ("service", "functions"),
        "list the functions of a template version",
        "catalogue:functions",
        (
            arg("version", metavar="VERSION", help="such as heat_template_version.2018-08-31"),
            flag("--with-conditions", "--with_conditions", help="condition functions, too"),
        ),
        shows=True,
    ),
    Command(
        ("resource-type", "list"),
        "list resource types",
        "catalogue:resource_types",
        (
            many("--filter", dest="filters", metavar="KEY=VALUE", help="name, version or support_status"),
            flag("--long", help="with descriptions"),
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
            flag("--long", help="with its description"),
        ),
        shows=True,
    ),
)

# What other clients call them. A word that is followed by nothing stays what it is: a stack may be named so.
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
    """The command line in this command's own words."""
    for other, own in _ALIASES:
        rest = argv[len(other) :]
        if tuple(argv[: len(other)]) == other and (
            rest or other[-1] != "list" or other[0] == "orchestration"
        ):
            return [*own, *rest]
    return list(argv)
