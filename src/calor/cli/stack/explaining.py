"""Shows why the service refuses a template: all its diagnostics, with their positions in the local files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from calor.cli.api.client import ApiError
from calor.cli.errors import CommandError
from calor.cli.stack.request import StackRequest, error_from, print_problems

if TYPE_CHECKING:
    from calor.language.diagnostics import Diagnostic, Place
    from calor.language.source import Source

ROOT = "template"
"""The document name that diagnostics use for the template of the request."""


@contextmanager
def explaining(request: StackRequest) -> Iterator[None]:
    """Turns an ApiError with diagnostics into a CommandError with positions. Errors without, such as those of Heat,
    are passed on."""
    try:
        yield
    except ApiError as error:
        errors = _located(error, request)
        if len(errors) > 1:
            print_problems(errors, request.sources)
            message = f"the service refuses the template, which has {len(errors)} errors"
            raise CommandError(message) from None
        if not errors or errors[0].where is None:
            raise
        found = error_from(errors[0])
        raise CommandError(found.message, found.hint or error.hint) from None


def _located(error: ApiError, request: StackRequest) -> list[Diagnostic]:
    """The errors among the diagnostics, sorted by their positions in the files of the request."""
    if not error.diagnostics:
        return []
    from calor.language.diagnostic_json import diagnostic_from_json
    from calor.language.diagnostics import Severity, is_about_value

    sources = {**request.sources, ROOT: request.sources.get(request.template_url)}
    found = (diagnostic_from_json(one) for one in error.diagnostics)
    located = [
        replace(
            one,
            place=_place(one.place, sources, is_about_value(one.code)),
            declared=_place(one.declared, sources, False),
        )
        for one in found
        if one is not None and one.severity is Severity.ERROR
    ]
    return sorted(dict.fromkeys(located), key=lambda one: one.sort_key)


def _place(place: Place | None, sources: Mapping[str, Source | None], value: bool) -> Place | None:
    """The place with its position in a local file, or unchanged if its document was not read here."""
    source = sources.get(place.document) if place is not None else None
    return place if place is None or source is None else source.place(place.path, value)
