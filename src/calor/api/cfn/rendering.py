"""Answers as XML or, with ContentType=JSON, as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from starlette.responses import Response

from calor.api.cfn.errors import Refusal
from calor.api.cfn.parameters import Parameters

_JSON_TEXTS = frozenset({"TemplateBody", "Metadata"})
"""The elements whose values are JSON text."""
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CARRIAGE_RETURN = {"\r": "&#13;"}


@dataclass(frozen=True, slots=True)
class Renderer:
    as_json: bool = False

    @classmethod
    def of(cls, parameters: Parameters) -> Renderer:
        return cls((parameters.get("ContentType") or "").upper() == "JSON")

    def result(self, action: str, result: Any) -> Response:
        """The answer to an action."""
        return self._response({f"{action}Response": {f"{action}Result": result}}, 200)

    def refusal(self, refusal: Refusal, headers: dict[str, str] | None = None) -> Response:
        error = {"Type": refusal.sender, "Code": refusal.code, "Message": refusal.message}
        return self._response({"ErrorResponse": {"Error": error}}, refusal.status, headers)

    def _response(self, body: Any, status: int, headers: dict[str, str] | None = None) -> Response:
        if self.as_json:
            text = json.dumps(body, separators=(",", ":"))
            return Response(text, status, headers, media_type="application/json")
        return Response("".join(_elements(body)), status, headers, media_type="application/xml")


def text(value: Any) -> str:
    """A value as text: lists and maps as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _elements(values: dict[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        yield f"<{name}>"
        yield from _content(json.dumps(value) if name in _JSON_TEXTS else value)
        yield f"</{name}>"


def _content(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _elements(value)
    elif isinstance(value, list):
        for item in value:
            yield from _elements({"member": item})
    elif value is not None:
        # A parser would read a carriage return as a line feed.
        yield escape(_NOT_IN_XML.sub("\ufffd", text(value)), _CARRIAGE_RETURN)
