"""Why the service refuses a template: it tells the first error; here all of them are told, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calor.cli.api.client import ApiError
from calor.cli.errors import CommandError
from calor.cli.placing import Inputs, at_path, in_environment, of_type
from calor.cli.stack.request import StackRequest, complaint, print_problems

if TYPE_CHECKING:
    from calor.language.diagnostics import Diagnostic


@contextmanager
def explaining(request: StackRequest) -> Iterator[None]:
    """Raises CommandError in the place of a refusal that can be explained."""
    try:
        yield
    except ApiError as error:
        if error.status == 403 and (where := of_type(error.message, request.sources)) is not None:
            raise CommandError(f"{where}: {error.message}", error.hint) from None
        if error.status != 400 or not request.template_url:
            raise
        errors = _errors(request, (error.message, *error.found))
        if (
            not errors
            and (place := at_path(error.message, request.sources, request.template_url)) is not None
        ):
            raise CommandError(f"{place}: {error.message}", error.hint) from None
        if not errors:
            raise
        if len(errors) == 1:
            raise complaint(errors[0]) from None
        print_problems(errors, request.sources)
        raise CommandError(f"the service refuses the template, which has {len(errors)} errors") from None


def _errors(request: StackRequest, said: Sequence[str]) -> list[Diagnostic]:
    """Only what the service would have found, too, or has: what its cloud lacks is known from its words alone."""
    from calor.cli.fetching import fetcher
    from calor.language.diagnostics import Report
    from calor.language.request import resolve_request
    from calor.types.world import offline_world

    report = Report()
    fetch = fetcher(False)
    offline = offline_world(lambda url: fetch(url).decode("utf-8", "replace"))

    def judge(constraint: str, value: Any) -> str | None:
        return offline.custom(constraint, value) or _verdict(value, said)

    world = replace(offline, custom=judge)
    resolve_request(request.body, world, report, name=request.template_url, sources=request.sources)
    given = request.body.get("parameters") or {}
    inputs = Inputs(request.template_url, request.environment_urls, given, request.sources)
    return [in_environment(one, inputs) for one in report.sorted() if one.prevents]


def _verdict(value: Any, said: Sequence[str]) -> str | None:
    """What the service says about a value that it looked up, without the place, which is told anyway."""
    verdict = f"Error validating value '{value}': "
    found = next((words for words in said if verdict in words), None)
    return None if found is None else found.partition(verdict)[2]
