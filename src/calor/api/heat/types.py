"""Resource types, template versions and functions."""

from __future__ import annotations

from calor.api.errors import BadRequest
from calor.api.web import Api, Call, Reply, Route

_STATUSES = ("UNKNOWN", "SUPPORTED", "DEPRECATED", "UNSUPPORTED", "HIDDEN")


def index(api: Api, call: Call) -> Reply:
    query = call.query
    support = query.get("support_status")
    if support is not None and support not in _STATUSES:
        raise BadRequest(f'Invalid support status "{support}", should be one of: {", ".join(_STATUSES)}')
    with_description = query.flag("with_description")
    types = api.queries.types
    names = types.names(
        support=support,
        name=query.get("name"),
        version=query.get("version"),
        allowed=lambda name: (
            api.policy.allows_type(call.caller, name) and types.is_available(call.caller, name)
        ),
    )
    unusable = api.commands.admission.without_extension(call.caller, names)
    names = [name for name in names if name not in unusable]
    if not with_description:
        return Reply(body={"resource_types": names})
    described = [{"resource_type": name, "description": types.description(name)} for name in names]
    return Reply(body={"resource_types": described})


def schema(api: Api, call: Call) -> Reply:
    name = _usable(api, call)
    return Reply(body=api.queries.types.schema(name, with_description=call.query.flag("with_description")))


def _usable(api: Api, call: Call) -> str:
    """The type in the path, if the caller can use it."""
    name = call.path["type_name"]
    api.policy.enforce_types(call.caller, [name])
    api.queries.types.check_available(call.caller, name)
    api.commands.admission.check_extensions(call.caller, [name])
    return name


def template(api: Api, call: Call) -> Reply:
    name = _usable(api, call)
    kind = call.query.get("template_type") or "cfn"
    if kind.lower() not in ("cfn", "hot"):
        raise BadRequest(f'Template type is not supported: "{kind}", should be cfn or hot')
    return Reply(body=api.queries.types.template(name, hot=kind.lower() == "hot"))


def versions(api: Api, call: Call) -> Reply:
    shown = [
        {
            "version": one.title,
            "type": "hot" if one.is_hot else "cfn",
            "aliases": [f"{one.key}.{name}" for name in one.names],
        }
        for one in api.queries.types.versions()
    ]
    return Reply(body={"template_versions": shown})


def functions(api: Api, call: Call) -> Reply:
    with_conditions = call.query.flag("with_condition_func")
    found = api.queries.types.functions(call.path["version"], with_conditions=with_conditions)
    shown = [{"functions": name, "description": text} for name, text in found]
    return Reply(body={"template_functions": shown})


ROUTES = (
    Route("GET", "/resource_types", index, "stacks:list_resource_types"),
    Route("GET", "/resource_types/{type_name}", schema, "stacks:resource_schema"),
    Route("GET", "/resource_types/{type_name}/template", template, "stacks:generate_template"),
    Route("GET", "/template_versions", versions, "stacks:list_template_versions"),
    Route("GET", "/template_versions/{version}/functions", functions, "stacks:list_template_functions"),
)
