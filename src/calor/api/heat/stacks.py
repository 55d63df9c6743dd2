"""Stacks: list, show, create, update, delete."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from calor.api.addresses import link, stack_url
from calor.api.errors import BadRequest
from calor.api.heat import requests, views
from calor.api.heat.common import STACK, find_stack, page, sees_credentials, state_filters
from calor.api.web import ACCEPTED, NO_CONTENT, Api, Call, Query, Reply, Route
from calor.resources.values import JsonObject
from calor.service.availability import CODE as UNAVAILABLE_CODE
from calor.service.errors import NotSupported
from calor.service.queries.stacks import StackFilter

_FILTERS = {
    "id": "id",
    "status": "status",
    "name": "name",
    "action": "action",
    "tenant": "project",
    "username": "username",
    "owner_id": "parent",
    "stack_name": "name",
    "stack_action": "action",
    "stack_status": "status",
    "stack_status_reason": "reason",
    "disable_rollback": "disable_rollback",
    "timeout_mins": "timeout_mins",
    "stack_owner": "username",
    "parent": "parent",
    "stack_user_project_id": "user_project",
}
_SORT_KEYS = {
    "stack_name": "name",
    "stack_status": "status",
    "creation_time": "created_at",
    "updated_time": "updated_at",
}


def index(api: Api, call: Call) -> Reply:
    query = call.query
    everywhere = query.flag("global_tenant")
    if everywhere:
        api.policy.enforce(call.caller, "stacks:global_index")
    wanted = StackFilter(
        equal=_filters(query),
        tags=_tags(query, "tags"),
        tags_any=_tags(query, "tags_any"),
        not_tags=_tags(query, "not_tags"),
        not_tags_any=_tags(query, "not_tags_any"),
        deleted=query.flag("show_deleted"),
        nested=query.flag("show_nested"),
        hidden=query.flag("show_hidden"),
        all_projects=everywhere,
    )
    with_count = query.flag("with_count")
    part = page(query, _SORT_KEYS)
    found = api.queries.stacks.page(call.caller, wanted, part)
    body: JsonObject = {
        "stacks": [views.stack_line(call.base, one, with_project=call.caller.is_admin) for one in found]
    }
    if part.limit and len(found) == part.limit:
        pairs = [pair for pair in query.pairs if pair[0] != "marker"]
        href = f"{call.url}?{urlencode([*pairs, ('marker', found[-1].id)])}"
        body["links"] = [link(href, "next")]
    if with_count:
        body["count"] = api.queries.stacks.count(call.caller, wanted)
    return Reply(body=body)


def _filters(query: Query) -> tuple[tuple[str, tuple[object, ...]], ...]:
    given: dict[str, list[str]] = {}
    for name, value in query.pairs:
        column = _FILTERS.get(name)
        if column is not None:
            given.setdefault(column, []).append(value)
    made: dict[str, Sequence[object]] = {**state_filters(given)}
    if "disable_rollback" in made:
        made["disable_rollback"] = [query.flag("disable_rollback")]
    if "timeout_mins" in made:
        made["timeout_mins"] = [query.number("timeout_mins")]
    return tuple((column, tuple(values)) for column, values in made.items())


def _tags(query: Query, name: str) -> tuple[str, ...]:
    return requests.tags(query.get(name)) or ()


def detail(api: Api, call: Call) -> Reply:
    found = api.queries.stacks.page(call.caller, StackFilter())
    shown = [views.stack_line(call.base, one, with_project=call.caller.is_admin) for one in found]
    return Reply(body={"stacks": shown})


def create(api: Api, call: Call) -> Reply:
    if call.body.get("adopt_stack_data") is not None:
        if not api.settings.enable_adopt:
            raise NotSupported("Stack Adopt is not supported.")
        stack = api.commands.transfers.adopt(call.caller, *requests.adopted_stack(api, call))
    else:
        stack = api.commands.stacks.create(call.caller, requests.new_stack(api, call))
    address = stack_url(call.base, stack)
    return Reply(201, {"stack": {"id": stack.id, "links": [link(address)]}}, {"Location": address})


def preview(api: Api, call: Call) -> Reply:
    show_secrets = _shows_secrets(api, call, "stacks:create")
    made = api.commands.previews.create(call.caller, requests.new_stack(api, call), show_secrets=show_secrets)
    return Reply(body={"stack": views.previewed_stack(call.base, made)})


def _shows_secrets(api: Api, call: Call, rule: str) -> bool:
    """Whether to show secrets in a preview. The caller must be allowed to do what is previewed."""
    if not call.query.flag("show_secrets"):
        return False
    api.policy.enforce(call.caller, rule)
    return True


def validate(api: Api, call: Call) -> Reply:
    ignored = call.query.words("ignore_errors")
    if any(code != UNAVAILABLE_CODE for code in ignored):
        raise BadRequest(f"ignore_errors can only be the code {UNAVAILABLE_CODE}.")
    show_nested = call.query.flag("show_nested")
    request = requests.request(api, call)
    found = api.queries.validation.validate(
        call.caller, request, show_nested=show_nested, ignore_unavailable=bool(ignored)
    )
    return Reply(body=found)


def show(api: Api, call: Call) -> Reply:
    with_outputs = call.query.flag("resolve_outputs", True)
    stack = find_stack(api, call, deleted=True)
    shown = views.stack(call.base, stack, api.queries.definitions.parameters(stack))
    if with_outputs and stack.deleted_at is None:
        shown["outputs"] = [views.output(one) for one in api.queries.definitions.outputs(stack)]
    return Reply(body={"stack": shown})


def update(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call)
    api.commands.stacks.update(call.caller, stack, requests.stack_change(api, call, patch=False))
    return ACCEPTED


def update_patch(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call)
    api.commands.stacks.update(call.caller, stack, requests.stack_change(api, call, patch=True))
    return ACCEPTED


def _patch_rule(call: Call) -> str:
    return "stacks:update_no_change" if requests.changes_nothing(call.body) else "stacks:update_patch"


def preview_update(api: Api, call: Call) -> Reply:
    show_nested = call.query.flag("show_nested")
    stack = find_stack(api, call)
    change = requests.stack_change(api, call, patch=call.method == "PATCH")
    show_secrets = _shows_secrets(api, call, "stacks:update")
    previewed = api.commands.previews.update(
        call.caller, stack, change, show_nested, show_secrets=show_secrets
    )
    return Reply(body=views.previewed_update(previewed))


def delete(api: Api, call: Call) -> Reply:
    api.commands.stacks.delete(call.caller, find_stack(api, call))
    return NO_CONTENT


def abandon(api: Api, call: Call) -> Reply:
    if not api.settings.enable_abandon:
        raise NotSupported("Stack Abandon is not supported.")
    stack = find_stack(api, call)
    return Reply(body=api.commands.transfers.abandon(call.caller, stack))


def export(api: Api, call: Call) -> Reply:
    if not api.settings.enable_abandon:
        raise NotSupported("Stack Export is not supported.")
    stack = find_stack(api, call)
    return Reply(body=api.commands.transfers.export(call.caller, stack))


def template(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call, deleted=True)
    return Reply(body=api.queries.definitions.template(stack, reveals=sees_credentials(api, call)))


def environment(api: Api, call: Call) -> Reply:
    return Reply(body=api.queries.definitions.environment(find_stack(api, call, deleted=True)))


def files(api: Api, call: Call) -> Reply:
    return Reply(body=dict(api.queries.definitions.files(find_stack(api, call, deleted=True))))


def list_outputs(api: Api, call: Call) -> Reply:
    described = api.queries.definitions.of(find_stack(api, call)).outputs
    shown = [{"output_key": name, "description": text} for name, text in described.items()]
    return Reply(body={"outputs": shown})


def show_output(api: Api, call: Call) -> Reply:
    found = api.queries.definitions.output(find_stack(api, call), call.path["output_key"])
    return Reply(body={"output": views.output(found)})


ROUTES = (
    Route("GET", "/stacks", index, "stacks:index"),
    Route("POST", "/stacks", create, "stacks:create"),
    Route("GET", "/stacks/detail", detail, "stacks:detail"),
    Route("POST", "/stacks/preview", preview, "stacks:preview", previews=True),
    Route("POST", "/validate", validate, "stacks:validate_template", previews=True),
    Route("GET", STACK, show, "stacks:show"),
    Route("PUT", STACK, update, "stacks:update"),
    Route("PATCH", STACK, update_patch, _patch_rule),
    Route("DELETE", STACK, delete, "stacks:delete"),
    Route("PUT", f"{STACK}/preview", preview_update, "stacks:preview_update", previews=True),
    Route("PATCH", f"{STACK}/preview", preview_update, "stacks:preview_update_patch", previews=True),
    Route("DELETE", f"{STACK}/abandon", abandon, "stacks:abandon"),
    Route("GET", f"{STACK}/export", export, "stacks:export"),
    Route("GET", f"{STACK}/template", template, "stacks:template"),
    Route("GET", f"{STACK}/environment", environment, "stacks:environment"),
    Route("GET", f"{STACK}/files", files, "stacks:files"),
    Route("GET", f"{STACK}/outputs", list_outputs, "stacks:list_outputs"),
    Route("GET", f"{STACK}/outputs/{{output_key}}", show_output, "stacks:show_output"),
)
