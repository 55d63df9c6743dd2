"""Commands that create, adopt, preview, update, delete and retry stacks."""

from __future__ import annotations

import argparse

from calor.cli.api.client import ApiError, Heat, StackRef
from calor.cli.api.retries import with_retries
from calor.cli.confirmation import announce, confirm
from calor.cli.errors import CommandError, UsageError
from calor.cli.json_values import JsonObject
from calor.cli.progress import out_stream, watch
from calor.cli.render import records
from calor.cli.stack import plans
from calor.cli.stack.explaining import explaining
from calor.cli.stack.finishing import POLL_SECONDS, StackFailed, finish, waits
from calor.cli.stack.following import newest, shown_stack
from calor.cli.stack.multiple import collect_errors, raise_all
from calor.cli.stack.places import Places, forget_places, recall_places, remember_places
from calor.cli.stack.request import StackRequest, from_arguments, read_text

_PREVIEWED = records.columns("state", "resource_name", "resource_type", "reason")
_WITH_VALUES = records.columns("state", "resource_name", "resource_type", "reason", "changes")
_NO_PREVIEW = (403, 404, 405, 409, 500, 501)
CHANGES = 2
"""The exit code of --detailed-exitcode if the plan has changes."""


def create(heat: Heat, arguments: argparse.Namespace) -> int:
    _check_exit_code(arguments)
    if not arguments.template:
        raise UsageError("no template is given", "use -t")
    request = from_arguments(heat, arguments)
    body = _new(arguments, request)
    with explaining(request):
        if getattr(arguments, "dry_run", False):
            query = {"show_secrets": getattr(arguments, "show_secrets", False) or None}
            return _show_plan(arguments, heat.post("/stacks/preview", body, query)["stack"])
        made = heat.post("/stacks", body)["stack"]
    stack = StackRef(arguments.name, made["id"])
    remember_places(stack, request)
    return finish(heat, stack, arguments, after=None, places=Places(request), wanted=("CREATE_COMPLETE",))


def adopt(heat: Heat, arguments: argparse.Namespace) -> int:
    request = from_arguments(heat, arguments)
    body = {**_new(arguments, request), "adopt_stack_data": read_text(arguments.adopt_file), "files": {}}
    made = heat.post("/stacks", body)["stack"]
    stack = StackRef(arguments.name, made["id"])
    return finish(heat, stack, arguments, after=None, wanted=("ADOPT_COMPLETE",))


def preview(heat: Heat, arguments: argparse.Namespace) -> int:
    """Previews an update of the stack if it exists, else its creation."""
    if not arguments.legacy:
        try:
            stack = heat.find(arguments.name)
        except ApiError as error:
            if error.status != 404:
                raise
        else:
            request = from_arguments(heat, arguments)
            with explaining(request):
                return _show_plan(arguments, _previewed(heat, stack, arguments, _change(arguments, request)))
    return create(heat, argparse.Namespace(**{**vars(arguments), "dry_run": True}))


def update(heat: Heat, arguments: argparse.Namespace) -> int:
    _check_exit_code(arguments)
    if not arguments.template and not arguments.existing:
        raise UsageError("no template is given", "use -t, or --existing for the stack's own")
    stack = heat.find(arguments.stack)
    request = from_arguments(heat, arguments)
    body = _change(arguments, request)
    with explaining(request):
        if arguments.dry_run:
            return _show_plan(arguments, _previewed(heat, stack, arguments, body))
        expected = 0 if arguments.legacy else _confirm_update(heat, stack, arguments, body)
        last = newest(heat, stack)
        (heat.patch if arguments.existing else heat.put)(stack.path, body)
    remember_places(stack, request)
    places = Places(request) if request.template_url else recall_places(heat, stack)
    return finish(
        heat,
        stack,
        arguments,
        after=last,
        places=places,
        wanted=("UPDATE_COMPLETE",),
        expected=expected,
    )


def _confirm_update(heat: Heat, stack: StackRef, arguments: argparse.Namespace, body: JsonObject) -> int:
    """Shows the plan and asks for confirmation. Returns the number of resources that the update changes."""
    out = out_stream(arguments.format)
    try:
        steps = plans.steps_of(_previewed(heat, stack, arguments, body))
    except ApiError as error:
        if error.status not in _NO_PREVIEW:
            raise
        announce(f"No preview is available: {error.line()}")
        steps = []
    else:
        print(plans.render(steps, color=out.isatty() and records.colourful()), file=out, flush=True)
    confirm(f"Update {stack.name} in {heat.target}?", yes=arguments.yes)
    return plans.count_changed(steps)


def delete(heat: Heat, arguments: argparse.Namespace) -> int:
    """Tries to delete each of the stacks, and fails if one of them cannot be deleted."""
    found: list[StackRef] = []
    problems = collect_errors(arguments.stacks, lambda reference: found.append(heat.find(reference)))
    if found:
        names = ", ".join(f"{stack.name} ({stack.id})" for stack in found)
        announce(f"Deleting from {heat.target}: {names}")
        confirm("Are you sure?", yes=arguments.yes, only_on_terminal=arguments.legacy)
    problems += collect_errors(found, lambda stack: _delete_one(heat, stack, arguments))
    raise_all(problems)
    return 0


def _delete_one(heat: Heat, stack: StackRef, arguments: argparse.Namespace) -> None:
    waiting = waits(arguments)
    last = newest(heat, stack) if waiting else None
    places = recall_places(heat, stack) if waiting else Places(None)
    heat.delete(stack.path)
    if not waiting:
        forget_places(stack)
        print(f"Request to delete stack {stack.name} has been accepted.")
        return
    state = watch(heat, stack, last, places, out=out_stream(arguments.format), poll=POLL_SECONDS)
    if state != "DELETE_COMPLETE":
        shown = with_retries(lambda: shown_stack(heat, stack))
        raise StackFailed(stack, state, shown.get("stack_status_reason"))
    forget_places(stack)


def retry(heat: Heat, arguments: argparse.Namespace) -> int:
    """Repeats the failed action."""
    stack = heat.find(arguments.stack)
    state = heat.get(stack.path, {"resolve_outputs": "false"})["stack"]["stack_status"]
    if not state.endswith("_FAILED"):
        raise CommandError(f"the stack {stack.name} is {state}: there is nothing to retry")
    action = state.removesuffix("_FAILED")
    places = recall_places(heat, stack)
    last = newest(heat, stack)
    if action == "DELETE":
        announce(f"Deleting from {heat.target}: {stack.name} ({stack.id})")
        heat.delete(stack.path)
    else:
        action = _restart(heat, stack, action)
    return finish(heat, stack, arguments, after=last, places=places, wanted=(f"{action}_COMPLETE",))


def _restart(heat: Heat, stack: StackRef, action: str) -> str:
    """Returns the action that was started. A service without `retry`, such as Heat, updates the stack instead."""
    try:
        heat.post(f"{stack.path}/actions", {"retry": None})
    except ApiError as error:
        if error.status != 400:
            raise
        heat.patch(stack.path, {})
        return "UPDATE"
    return action


def _new(arguments: argparse.Namespace, request: StackRequest) -> JsonObject:
    return {
        "stack_name": arguments.name,
        "disable_rollback": not arguments.enable_rollback,
        **request.body,
        **_extras(arguments),
    }


def _change(arguments: argparse.Namespace, request: StackRequest) -> JsonObject:
    body = {**request.body, **_extras(arguments)}
    rollback = getattr(arguments, "rollback", None)
    if rollback in ("enabled", "disabled"):
        body["disable_rollback"] = rollback == "disabled"
    if getattr(arguments, "clear_parameters", None):
        body["clear_parameters"] = arguments.clear_parameters
    if getattr(arguments, "converge", False):
        body["converge"] = True
    return body


def _extras(arguments: argparse.Namespace) -> JsonObject:
    made: JsonObject = {}
    if getattr(arguments, "timeout", None):
        made["timeout_mins"] = arguments.timeout
    if getattr(arguments, "tags", None):
        made["tags"] = arguments.tags
    return made


def _previewed(heat: Heat, stack: StackRef, arguments: argparse.Namespace, body: JsonObject) -> JsonObject:
    ask = heat.patch if getattr(arguments, "existing", False) else heat.put
    nested = getattr(arguments, "show_nested", False) or None
    query = {"show_nested": nested, "show_secrets": getattr(arguments, "show_secrets", False) or None}
    found: JsonObject = ask(f"{stack.path}/preview", body, query)
    return found


def _show_plan(arguments: argparse.Namespace, answer: JsonObject) -> int:
    steps = plans.steps_of(answer)
    if arguments.format or arguments.columns:
        # Property values are too long for a table by default.
        full = arguments.format in ("json", "yaml") or arguments.columns
        records.print_list(arguments, _WITH_VALUES if full else _PREVIEWED, plans.rows(steps))
    else:
        print(plans.render(steps, color=records.colourful()))
    wanted = getattr(arguments, "detailed_exitcode", False)
    return CHANGES if wanted and plans.changes_something(steps) else 0


def _check_exit_code(arguments: argparse.Namespace) -> None:
    if getattr(arguments, "detailed_exitcode", False) and not arguments.dry_run:
        raise UsageError("--detailed-exitcode requires --dry-run")
