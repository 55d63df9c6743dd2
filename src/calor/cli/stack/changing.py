"""Stacks come, change and go."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from typing import Any

from calor.cli.api.client import ApiError, Heat, StackRef
from calor.cli.api.patience import patiently
from calor.cli.asking import announce, confirm
from calor.cli.errors import CommandError, UsageError
from calor.cli.progress import out_stream, watch
from calor.cli.render import records
from calor.cli.stack import plans
from calor.cli.stack.explaining import explaining
from calor.cli.stack.finishing import POLL_SECONDS, StackFailed, finish, waits
from calor.cli.stack.following import newest, shown_stack
from calor.cli.stack.places import Places, forget, note, noted
from calor.cli.stack.request import StackRequest, from_arguments, read_text
from calor.cli.stack.several import problems_with, raise_all

_PREVIEWED = records.columns("state", "resource_name", "resource_type", "reason")
_WITH_VALUES = records.columns("state", "resource_name", "resource_type", "reason", "changes")
_NO_PREVIEW = (403, 404, 405, 409, 500, 501)
CHANGES = 2
"""The exit code that tells that a plan changes something, if that is asked for."""


def create(heat: Heat, arguments: argparse.Namespace) -> int:
    _check_exit_code(arguments)
    if not arguments.template:
        raise UsageError("there is no template", "name one with -t")
    request = from_arguments(heat, arguments)
    body = _new(arguments, request)
    with explaining(request):
        if getattr(arguments, "dry_run", False):
            query = {"show_secrets": getattr(arguments, "show_secrets", False) or None}
            return _show_plan(arguments, heat.post("/stacks/preview", body, query)["stack"])
        made = heat.post("/stacks", body)["stack"]
    stack = StackRef(arguments.name, made["id"])
    note(stack, request)
    return finish(heat, stack, arguments, after=None, places=Places(request), wanted=("CREATE_COMPLETE",))


def adopt(heat: Heat, arguments: argparse.Namespace) -> int:
    request = from_arguments(heat, arguments)
    body = {**_new(arguments, request), "adopt_stack_data": read_text(arguments.adopt_file), "files": {}}
    made = heat.post("/stacks", body)["stack"]
    stack = StackRef(arguments.name, made["id"])
    return finish(heat, stack, arguments, after=None, wanted=("ADOPT_COMPLETE",))


def preview(heat: Heat, arguments: argparse.Namespace) -> int:
    """Of a stack that exists, what an update would do; of another, what it would be."""
    if not arguments.legacy:
        try:
            stack = heat.find(arguments.name)
        except ApiError as error:
            if error.status != 404:
                raise
        else:
            request = from_arguments(heat, arguments)
            return _show_plan(arguments, _previewed(heat, stack, arguments, _change(arguments, request)))
    return create(heat, argparse.Namespace(**{**vars(arguments), "dry_run": True}))


def update(heat: Heat, arguments: argparse.Namespace) -> int:
    _check_exit_code(arguments)
    if not arguments.template and not arguments.existing:
        raise UsageError("there is no template", "name one with -t, or keep the stack's own with --existing")
    stack = heat.find(arguments.stack)
    request = from_arguments(heat, arguments)
    body = _change(arguments, request)
    # What an update of this kind leaves out is known to the service alone.
    with nullcontext() if arguments.existing else explaining(request):
        if arguments.dry_run:
            return _show_plan(arguments, _previewed(heat, stack, arguments, body))
        expected = 0 if arguments.legacy else _ask_about(heat, stack, arguments, body)
        last = newest(heat, stack)
        (heat.patch if arguments.existing else heat.put)(stack.path, body)
    note(stack, request)
    places = Places(request) if request.template_url else noted(heat, stack)
    return finish(
        heat,
        stack,
        arguments,
        after=last,
        places=places,
        wanted=("UPDATE_COMPLETE",),
        expected=expected,
    )


def _ask_about(heat: Heat, stack: StackRef, arguments: argparse.Namespace, body: dict[str, Any]) -> int:
    """Shows what the update will do and asks; gives the number of resources that it is about."""
    out = out_stream(arguments.format)
    try:
        steps = plans.steps_of(_previewed(heat, stack, arguments, body))
    except ApiError as error:
        if error.status not in _NO_PREVIEW:
            raise
        announce(f"There is no preview: {error.line()}")
        steps = []
    else:
        print(plans.render(steps, color=out.isatty() and records.colourful()), file=out, flush=True)
    confirm(f"Update {stack.name} in {heat.target}?", yes=arguments.yes)
    return plans.worked_on(steps)


def delete(heat: Heat, arguments: argparse.Namespace) -> int:
    """Tries every stack that is named, and fails if one of them cannot be deleted."""
    found: list[StackRef] = []
    problems = problems_with(arguments.stacks, lambda reference: found.append(heat.find(reference)))
    if found:
        names = ", ".join(f"{stack.name} ({stack.id})" for stack in found)
        announce(f"Deleting from {heat.target}: {names}")
        confirm("Are you sure?", yes=arguments.yes, unasked=arguments.legacy)
    problems += problems_with(found, lambda stack: _delete_one(heat, stack, arguments))
    raise_all(problems)
    return 0


def _delete_one(heat: Heat, stack: StackRef, arguments: argparse.Namespace) -> None:
    waiting = waits(arguments)
    last = newest(heat, stack) if waiting else None
    places = noted(heat, stack) if waiting else Places(None)
    heat.delete(stack.path)
    if not waiting:
        forget(stack)
        print(f"Request to delete stack {stack.name} has been accepted.")
        return
    state = watch(heat, stack, last, places, out=out_stream(arguments.format), poll=POLL_SECONDS)
    if state != "DELETE_COMPLETE":
        shown = patiently(lambda: shown_stack(heat, stack))
        raise StackFailed(stack, state, shown.get("stack_status_reason"))
    forget(stack)


def retry(heat: Heat, arguments: argparse.Namespace) -> int:
    """Does once more what failed."""
    stack = heat.find(arguments.stack)
    state = heat.get(stack.path, {"resolve_outputs": "false"})["stack"]["stack_status"]
    if not state.endswith("_FAILED"):
        raise CommandError(f"the stack {stack.name} is {state}: nothing failed")
    action = state.removesuffix("_FAILED")
    places = noted(heat, stack)
    last = newest(heat, stack)
    if action == "DELETE":
        announce(f"Deleting from {heat.target}: {stack.name} ({stack.id})")
        heat.delete(stack.path)
    else:
        action = _start_again(heat, stack, action)
    return finish(heat, stack, arguments, after=last, places=places, wanted=(f"{action}_COMPLETE",))


def _start_again(heat: Heat, stack: StackRef, action: str) -> str:
    """The action that goes on now: a service that cannot repeat one still updates the stack to what it should be."""
    try:
        heat.post(f"{stack.path}/actions", {"retry": None})
    except ApiError as error:
        if error.status != 400:
            raise
        heat.patch(stack.path, {})
        return "UPDATE"
    return action


def _new(arguments: argparse.Namespace, request: StackRequest) -> dict[str, Any]:
    return {
        "stack_name": arguments.name,
        "disable_rollback": not arguments.enable_rollback,
        **request.body,
        **_extras(arguments),
    }


def _change(arguments: argparse.Namespace, request: StackRequest) -> dict[str, Any]:
    body = {**request.body, **_extras(arguments)}
    rollback = getattr(arguments, "rollback", None)
    if rollback in ("enabled", "disabled"):
        body["disable_rollback"] = rollback == "disabled"
    if getattr(arguments, "clear_parameters", None):
        body["clear_parameters"] = arguments.clear_parameters
    if getattr(arguments, "converge", False):
        body["converge"] = True
    return body


def _extras(arguments: argparse.Namespace) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if getattr(arguments, "timeout", None):
        made["timeout_mins"] = arguments.timeout
    if getattr(arguments, "tags", None):
        made["tags"] = arguments.tags
    return made


def _previewed(
    heat: Heat, stack: StackRef, arguments: argparse.Namespace, body: dict[str, Any]
) -> dict[str, Any]:
    ask = heat.patch if getattr(arguments, "existing", False) else heat.put
    nested = getattr(arguments, "show_nested", False) or None
    query = {"show_nested": nested, "show_secrets": getattr(arguments, "show_secrets", False) or None}
    found: dict[str, Any] = ask(f"{stack.path}/preview", body, query)
    return found


def _show_plan(arguments: argparse.Namespace, answer: dict[str, Any]) -> int:
    steps = plans.steps_of(answer)
    if arguments.format or arguments.columns:
        # Values of properties are too long for a table, unless somebody asks for them.
        full = arguments.format in ("json", "yaml") or arguments.columns
        records.print_list(arguments, _WITH_VALUES if full else _PREVIEWED, plans.rows(steps))
    else:
        print(plans.render(steps, color=records.colourful()))
    wanted = getattr(arguments, "detailed_exitcode", False)
    return CHANGES if wanted and plans.changes_something(steps) else 0


def _check_exit_code(arguments: argparse.Namespace) -> None:
    if getattr(arguments, "detailed_exitcode", False) and not arguments.dry_run:
        raise UsageError("--detailed-exitcode tells about plans", "it needs --dry-run")
