"""Mustache templates. Nothing is escaped, values that are not text are written as JSON, and missing ones are empty."""

import json
import re
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union


class TemplateError(ValueError):
    pass


class Text(NamedTuple):
    text: str


class Variable(NamedTuple):
    name: str


class Section(NamedTuple):
    name: str
    inverted: bool
    parts: Sequence[Any]
    """Of Text, Variable and Section."""


class _Tag(NamedTuple):
    kind: str
    name: str


_STANDALONE = "#^/!>="
"""The kinds of tags that a line may consist of; such lines leave nothing behind."""


def render(template: str, context: Any) -> str:
    """Raises TemplateError."""
    return _rendered(parse(template), (context,))


def parse(template: str) -> Sequence[Any]:
    """Raises TemplateError."""
    open_sections: List[Tuple[_Tag, List[Any]]] = []
    parts: List[Any] = []
    for token in _tokens(template):
        if isinstance(token, Text):
            parts.append(token)
        elif token.kind == "":
            parts.append(Variable(token.name))
        elif token.kind in "#^":
            open_sections.append((token, parts))
            parts = []
        elif token.kind == "/":
            if not open_sections:
                raise TemplateError(f"section {token.name} ends, but has not begun")
            begin, outer = open_sections.pop()
            if begin.name != token.name:
                raise TemplateError(f"Section end tag mismatch: {token.name} ends, but {begin.name} is open")
            outer.append(Section(begin.name, begin.kind == "^", parts))
            parts = outer
    if open_sections:
        raise TemplateError(f"section {open_sections[-1][0].name} does not end")
    return parts


def _tokens(template: str) -> List[Union[Text, _Tag]]:
    """Texts and tags in order. Comments, partials and changes of the delimiters are tags, too."""
    found: List[Union[Text, _Tag]] = []
    opening, closing = "{{", "}}"
    at = 0
    while True:
        start = template.find(opening, at)
        if start < 0:
            break
        tag, end = _tag(template, start + len(opening), closing)
        text = template[at:start]
        if tag.kind and tag.kind in _STANDALONE:
            text, end = _alone(text, template, end, at)
        found += [Text(text), tag]
        if tag.kind == "=":
            opening, closing = _delimiters(tag.name)
        at = end
    found.append(Text(template[at:]))
    return found


def _tag(template: str, start: int, closing: str) -> Tuple[_Tag, int]:
    """The tag whose content starts here, and where the text after it starts."""
    triple = template[start : start + 1] == "{" and closing == "}}"
    end_mark = "}}}" if triple else closing
    kind = template[start : start + 1]
    if kind == "=":
        end_mark = "=" + closing
    end = template.find(end_mark, start + 1 if triple or kind == "=" else start)
    if end < 0:
        line = template.count("\n", 0, start) + 1
        raise TemplateError(f"the tag in line {line} does not end")
    content = template[start:end]
    after = end + len(end_mark)
    if triple or kind == "&":
        return _Tag("", content[1:].strip()), after
    if kind and kind in _STANDALONE:
        return _Tag(kind, content[1:].strip()), after
    return _Tag("", content.strip()), after


def _delimiters(content: str) -> Tuple[str, str]:
    found = content.split()
    if len(found) != 2:
        raise TemplateError(f"{content!r} is not a pair of delimiters")
    return found[0], found[1]


_BLANK_TO_END = re.compile(r"[ \t]*(\r?\n|\Z)")


def _alone(text: str, template: str, end: int, at: int) -> Tuple[str, int]:
    """The text before a tag and the end of the tag, without the rest of the line if the tag is alone on it."""
    line_start = text.rfind("\n") + 1
    begins_line = line_start > 0 or at == 0 or template[at - 1] == "\n"
    rest = _BLANK_TO_END.match(template, end)
    if begins_line and not text[line_start:].strip(" \t") and rest is not None:
        return text[:line_start], rest.end()
    return text, end


def _rendered(parts: Sequence[Any], stack: Tuple[Any, ...]) -> str:
    return "".join(_part(part, stack) for part in parts)


def _part(part: Any, stack: Tuple[Any, ...]) -> str:
    if isinstance(part, Text):
        return part.text
    value = _value(part.name, stack)
    if isinstance(part, Variable):
        return _shown(value)
    if part.inverted:
        return "" if value else _rendered(part.parts, stack)
    if not value:
        return ""
    each = value if isinstance(value, list) else [value]
    return "".join(_rendered(part.parts, (*stack, one)) for one in each)


def _value(name: str, stack: Tuple[Any, ...]) -> Any:
    if name == ".":
        return stack[-1]
    first, *rest = name.split(".")
    holder: Optional[Any] = next(
        (one for one in reversed(stack) if isinstance(one, dict) and first in one), None
    )
    if holder is None:
        return None
    value = holder[first]
    for part in rest:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
