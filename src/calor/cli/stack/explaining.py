"""Why the service refuses a template: it tells the first error; here all of them are told, each with its place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from calor.cli.api.client import ApiError
from calor.cli.errors import CommandError
from calor.cli.stack.request import StackRequest


@contextmanager
def explaining(request: StackRequest) -> Iterator[None]:
    """Raises CommandError in the place of a refusal that can be explained."""
    try:
        yield
    except ApiError as error:
        if error.status != 400 or not request.template_url:
            raise
        count = _print_errors(request)
        if not count:
            raise
        what = "an error" if count == 1 else f"{count} errors"
        raise CommandError(f"the service refuses the template, which has {what}") from None


def _print_errors(request: StackRequest) -> int:
    """Only what the service would have found, too, is told; how many errors there are."""
    from calor.cli.fetching import fetcher
    from calor.cli.render import plain, terminal
    from calor.language.diagnostics import Report, Severity
    from calor.language.request import resolve_request
    from calor.types.world import offline_world

    report = Report()
    fetch = fetcher(False)
    world = offline_world(lambda url: fetch(url).decode("utf-8", "replace"))
    resolve_request(request.body, world, report, name=request.template_url, sources=request.sources)
    errors = [one for one in report.sorted() if one.severity is Severity.ERROR and not one.deferred]
    if errors and sys.stderr.isatty():
        print(terminal.render(errors, request.sources, color="NO_COLOR" not in os.environ), file=sys.stderr)
    elif errors:
        print(plain.render(errors), file=sys.stderr)
    return len(errors)
