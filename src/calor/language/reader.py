"""Reads YAML and JSON text into plain data, within limits for any input.

The text is parsed event by event without recursion, so deep nesting is harmless. Aliases are counted by their expanded
size, so YAML bombs are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import yaml
from yaml._yaml import CParser

from calor.language import scalars
from calor.language.diagnostics import Diagnostic, Place, Position, Report, Severity
from calor.language.source import Source, YamlEvent
from calor.language.values import TemplateMap, TemplateValue, size_of

TAG = "tag:yaml.org,2002:"
TOO_LARGE = "E106"
_NOT_UNICODE = "the text has characters that are not valid Unicode"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for a document. `alias_nodes` counts the nodes that aliases add when they are expanded, `alias_size`
    the bytes of memory."""

    size: int = 16 * 1024 * 1024
    depth: int = 100
    events: int = 2_000_000
    """Values, and the ends of lists and maps."""
    alias_nodes: int = 200_000
    alias_size: int = 16 * 1024 * 1024


DEFAULT_LIMITS = Limits()


class Unreadable(Exception):
    """The text cannot be read, for the reason in the diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def read(text: str | bytes, name: str, report: Report, limits: Limits = DEFAULT_LIMITS) -> Source | None:
    """The source with its data, or None after reporting why not."""
    try:
        decoded = _decode(text, name, limits)
        source = Source(name, decoded)
        source.data = _parse(decoded, name, report, limits)
    except Unreadable as refused:
        report.add(refused.diagnostic)
        return None
    return source


def read_mapping(
    text: str | bytes, name: str, report: Report, limits: Limits = DEFAULT_LIMITS
) -> Source | None:
    """Like `read`, for a text whose top level must be a mapping; an empty text is an empty mapping."""
    source = read(text, name, report, limits)
    if source is None:
        return None
    if source.data is None:
        source.data = {}
    if not isinstance(source.data, dict):
        shape = "a list" if isinstance(source.data, list) else "a single value"
        report.add(_refusal(name, "E103", f"this is {shape}, not a mapping of sections", 1, 1))
        return None
    return source


def too_deep(data: object, limit: int) -> bool:
    """Whether data that was parsed elsewhere is nested deeper than the limit."""
    level = [data] if isinstance(data, (dict, list)) else []
    for _ in range(limit):
        level = [
            item
            for node in level
            for item in (node.values() if isinstance(node, dict) else node)
            if isinstance(item, (dict, list))
        ]
        if not level:
            return False
    return bool(level)


def _refusal(
    name: str, code: str, message: str, line: int, column: int, hint: str | None = None
) -> Diagnostic:
    place = Place(Position(name, line, column), name)
    kind = "RequestLimitExceeded" if code == TOO_LARGE else "InvalidTemplate"
    return Diagnostic(Severity.ERROR, code, message, kind, "", place, hint)


def _decode(text: str | bytes, name: str, limits: Limits) -> str:
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > limits.size:
        message = f"the text has {size:,} bytes; at most {limits.size:,} are allowed"
        raise Unreadable(_refusal(name, TOO_LARGE, message, 1, 1))
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            message = f"byte {error.start} is not UTF-8 text; is this a binary file?"
            raise Unreadable(_refusal(name, "E102", message, line, 1)) from None
    return text.removeprefix("\ufeff")


def _parse(text: str, name: str, report: Report, limits: Limits) -> TemplateValue:
    """JSON first, then YAML, as Heat does. Errors are those of YAML, of which JSON is nearly a subset."""
    if text.lstrip()[:1] in ("{", "["):
        duplicates: list[str] = []
        try:
            data = json.loads(text, object_pairs_hook=_pairs(duplicates))
        except RecursionError:
            raise Unreadable(_refusal(name, "E104", _depth_message(limits), 1, 1)) from None
        except ValueError:
            pass
        else:
            if too_deep(data, limits.depth):
                raise Unreadable(_refusal(name, "E104", _depth_message(limits), 1, 1))
            if "\\u" in text and not is_unicode(data):
                raise Unreadable(_refusal(name, "E102", _NOT_UNICODE, 1, 1))
            for key in duplicates:
                report.add(_duplicate(name, key, Position(name, 1, 1)))
            return data
    return _Builder(text, name, report, limits).build()


def is_unicode(data: object) -> bool:
    """Whether all text in data parsed from JSON, which can have unpaired surrogates, can be encoded."""
    try:
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _pairs(duplicates: list[str]) -> Callable[[list[tuple[str, TemplateValue]]], dict[str, TemplateValue]]:
    def build(pairs: list[tuple[str, TemplateValue]]) -> dict[str, TemplateValue]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            duplicates.extend(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return made

    return build


def _duplicate(name: str, key: object, where: Position) -> Diagnostic:
    message = f"`{key}` is given twice in the same map; the last one is used"
    place = Place(where, name)
    return Diagnostic(Severity.WARNING, "W101", message, "", "", place, "remove or rename one of them")


def _depth_message(limits: Limits) -> str:
    return f"nested deeper than {limits.depth} levels"


class _Frame:
    """A collection being built."""

    __slots__ = ("anchor", "data", "key", "key_event", "merges", "size")

    def __init__(self, data: TemplateMap | list[TemplateValue], anchor: str | None) -> None:
        self.data = data
        self.anchor = anchor
        self.key: TemplateValue = _NO_KEY
        self.key_event: YamlEvent = None
        self.merges: list[TemplateValue] | None = None
        self.size = 1


_NO_KEY = object()
_MERGE = object()


class _Builder:
    def __init__(self, text: str, name: str, report: Report, limits: Limits) -> None:
        self.text = text
        self.name = name
        self.report = report
        self.limits = limits
        self.anchors: dict[str, tuple[TemplateValue, int, int]] = {}
        self.open_anchors: set[str] = set()
        self.stack: list[_Frame] = []
        self.added = 0
        self.added_size = 0
        self.root: TemplateValue = None

    def build(self) -> TemplateValue:
        try:
            return self._build(CParser(self.text))
        except yaml.MarkedYAMLError as error:
            raise Unreadable(self._syntax(error)) from None
        except yaml.YAMLError as error:
            message = str(error).splitlines()[0]
            raise Unreadable(
                _refusal(self.name, "E102", f"the text is not allowed in YAML: {message}", 1, 1)
            ) from None
        except (UnicodeEncodeError, UnicodeDecodeError):
            raise Unreadable(_refusal(self.name, "E102", _NOT_UNICODE, 1, 1)) from None

    def _build(self, parser: CParser) -> TemplateValue:
        documents = 0
        for _ in range(self.limits.events):
            event: YamlEvent = parser.get_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._put(self._scalar(event), event, 1, event.anchor)
            elif kind is yaml.MappingStartEvent:
                self._open({}, event)
            elif kind is yaml.SequenceStartEvent:
                self._open([], event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close(event)
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise self._refused(
                        "E105", "a second document starts here; a template is a single document", event
                    )
            elif kind is yaml.StreamEndEvent:
                return self.root
        raise self._refused(TOO_LARGE, f"the text has more than {self.limits.events:,} values", event)

    def _open(self, data: TemplateMap | list[TemplateValue], event: YamlEvent) -> None:
        if event.tag and event.tag not in (TAG + "map", TAG + "seq", "!"):
            raise self._tag(event)
        if len(self.stack) >= self.limits.depth:
            raise self._refused("E104", _depth_message(self.limits), event)
        if event.anchor:
            self.open_anchors.add(event.anchor)
        frame = _Frame(data, event.anchor)
        frame.key_event = event
        self.stack.append(frame)

    def _close(self, event: YamlEvent) -> None:
        frame = self.stack.pop()
        if frame.merges:
            frame.data = _merged(frame.merges, frame.data)
        if frame.anchor:
            self.open_anchors.discard(frame.anchor)
        self._put(frame.data, frame.key_event if not self.stack else event, frame.size, frame.anchor)

    def _alias(self, event: YamlEvent) -> None:
        if event.anchor in self.open_anchors:
            raise self._refused("E107", f"`*{event.anchor}` contains itself", event)
        if event.anchor not in self.anchors:
            hint = "quote a value that starts with `*`"
            raise self._refused(
                "E107", f"`*{event.anchor}` refers to an anchor that is not defined", event, hint
            )
        data, size, depth = self.anchors[event.anchor]
        self.added_size += size_of(data, self.limits.alias_size)
        if self.added_size > self.limits.alias_size:
            message = f"the aliases would expand to more than {self.limits.alias_size:,} bytes"
            raise self._refused("E107", message, event)
        self.added += size
        if self.added > self.limits.alias_nodes:
            message = f"the aliases would expand to more than {self.limits.alias_nodes:,} values"
            raise self._refused("E107", message, event)
        if len(self.stack) + depth > self.limits.depth:
            raise self._refused("E104", _depth_message(self.limits), event)
        self._put(data, event, size, None)

    def _put(self, value: object, event: YamlEvent, size: int, anchor: str | None) -> None:
        """Adds a finished value to the collection around it."""
        if anchor:
            self.anchors[anchor] = (value, size, _depth(value))
        if not self.stack:
            self.root = value
            return
        frame = self.stack[-1]
        frame.size += size
        if type(frame.data) is list:
            frame.data.append(value)
        elif frame.key is _NO_KEY:
            self._key(frame, value, event)
        else:
            self._entry(frame, value, event)

    def _key(self, frame: _Frame, value: object, event: YamlEvent) -> None:
        if isinstance(value, (dict, list)):
            raise self._refused(
                "E108", "a map or list cannot be a key", event, "quote the text before the colon"
            )
        merge = value == "<<" and type(event) is yaml.ScalarEvent and event.implicit[0]
        frame.key = _MERGE if merge else value
        frame.key_event = event

    def _entry(self, frame: _Frame, value: object, event: YamlEvent) -> None:
        key, frame.key = frame.key, _NO_KEY
        assert type(frame.data) is dict
        if key is _MERGE:
            parts = value if isinstance(value, list) else [value]
            if not all(isinstance(part, dict) for part in parts):
                raise self._refused("E108", "only maps can be merged with `<<`", event)
            frame.merges = [*(frame.merges or []), *parts]
            return
        if key in frame.data:
            mark = frame.key_event.start_mark
            self.report.add(_duplicate(self.name, key, Position(self.name, mark.line + 1, mark.column + 1)))
        frame.data[key] = value

    def _scalar(self, event: YamlEvent) -> TemplateValue:
        tag = event.tag
        if tag is None or tag == "!":
            if not event.implicit[0]:
                return event.value
            value = event.value
            if value == "=":
                raise self._refused(
                    "E109", "an unquoted `=` has a special meaning in YAML", event, 'write "="'
                )
            try:
                made = scalars.plain(value)
            except ValueError:
                raise self._refused("E109", f"`{value[:40]}` is not a valid number", event) from None
            if made.__class__ in (int, float) and ":" in value:
                self._sexagesimal(value, made, event)
            return made
        return self._tagged(tag, event)

    def _tagged(self, tag: str, event: YamlEvent) -> TemplateValue:
        try:
            if tag in (TAG + "str", TAG + "timestamp"):
                return event.value
            if tag == TAG + "int":
                return scalars.integer(event.value)
            if tag == TAG + "float":
                return scalars.number(event.value)
            if tag == TAG + "bool":
                return scalars.boolean(event.value)
            if tag == TAG + "null":
                return None
        except (ValueError, KeyError):
            message = f"`{event.value[:40]}` is not a {tag.removeprefix(TAG)}"
            raise self._refused("E109", message, event) from None
        raise self._tag(event)

    def _tag(self, event: YamlEvent) -> Unreadable:
        tag = event.tag
        if tag.startswith("!") and not tag.startswith("!!"):
            name = tag[1:]
            full = name if name in ("Ref", "Condition") else f"Fn::{name}"
            hint = f"write it as a map: `{full}: …`"
            return self._refused("E109", f"the short form `{tag}` is not part of the language", event, hint)
        return self._refused("E109", f"the tag `{tag.replace(TAG, '!!')}` is not part of the language", event)

    def _sexagesimal(self, text: str, value: object, event: YamlEvent) -> None:
        mark = event.start_mark
        where = Position(self.name, mark.line + 1, mark.column + 1, event.end_mark.column + 1)
        place = Place(where, self.name)
        message = f"`{text}` is read as the number {value} (base 60)"
        hint = f'write "{text}" if text is meant'
        self.report.add(Diagnostic(Severity.WARNING, "W102", message, "", "", place, hint))

    def _refused(self, code: str, message: str, event: YamlEvent, hint: str | None = None) -> Unreadable:
        mark = event.start_mark
        return Unreadable(_refusal(self.name, code, message, mark.line + 1, mark.column + 1, hint))

    def _syntax(self, error: yaml.MarkedYAMLError) -> Diagnostic:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problem = error.problem or "this is not valid YAML"
        lines = self.text.splitlines()
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        hint = None
        if "\t" in text[: max(column, 1)] and "cannot start any token" in problem:
            problem, hint = "a tab is used for indentation", "YAML takes spaces only"
        elif "mapping values are not allowed" in problem:
            hint = "quote a value that contains `: `, and check the indentation"
        elif "cannot start any token" in problem:
            hint = "quote a value that starts with this character"
        return _refusal(self.name, "E101", problem, line, column, hint)


def _merged(parts: list[TemplateMap], own: TemplateValue) -> TemplateMap:
    """The entries merged by `<<`: earlier parts override later ones, and the map's own entries override all."""
    made: TemplateMap = {}
    for part in reversed(parts):
        made.update(part)
    made.update(own)
    return made


def _depth(value: object) -> int:
    level, depth = [value], 0
    while level := [node for node in level if isinstance(node, (dict, list))]:
        depth += 1
        level = [item for node in level for item in (node.values() if isinstance(node, dict) else node)]
        if len(level) > 10_000:
            # Wide nodes shared by aliases would be walked repeatedly; then the size limit matters more than the depth.
            break
    return depth
