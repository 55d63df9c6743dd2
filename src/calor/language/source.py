"""The text of templates and environments, and positions in it.

Reading does not record positions, which would cost more than the data itself. If a diagnostic needs one, the text is
scanned again to find the position of a path.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]
from typing import Any, TypeAlias

import yaml
from yaml._yaml import CParser

from calor.language.diagnostics import Path, Place, Position
from calor.language.values import TemplateValue

YamlEvent: TypeAlias = Any
"""An event of libyaml's parser, for which there are no types."""


@dataclass(slots=True)
class Mark:
    """The start and end of a node, and its children by key or index; `keys` has the marks of the keys."""

    line: int
    column: int
    end_line: int
    end_column: int
    children: dict[str | int, Mark] = field(default_factory=dict)
    keys: dict[str | int, Mark] = field(default_factory=dict)


class Source:
    """A named text. `data` is its content, once it has been parsed."""

    def __init__(self, name: str, text: str, data: TemplateValue = None) -> None:
        self.name = name
        self.text = text
        self.data = data
        self._has_positions = bool(text) or data is None
        self._root: Mark | None = None
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = self.text.splitlines()
        return self._lines

    def locate(self, path: Path, value: bool = False) -> Position:
        """The position of a path: of its key in a map, of its value in a list; of the nearest parent if it is missing.

        With `value` it is the position of the value, unless that is a map or a list.
        """
        if self._root is None:
            self._root = _scan(self.text)
        mark = shown = self._root
        for step in path:
            holder = _holder(mark, step)
            child = _child(holder, step)
            if child is None:
                break
            shown = holder.keys.get(str(step), child)
            mark = child
        return self._position(mark if value and not mark.children else shown)

    def place(self, path: Path, value: bool = False) -> Place:
        """The place of a path. Data that was not read from text has no positions."""
        return Place(self.locate(path, value) if self._has_positions else None, self.name, path)

    def _position(self, mark: Mark) -> Position:
        end = mark.end_column if mark.end_line == mark.line else None
        return Position(self.name, mark.line, mark.column, end)


def _child(mark: Mark, step: str | int) -> Mark | None:
    return mark.children.get(step) or mark.children.get(str(step))


def _holder(mark: Mark, step: str | int) -> Mark:
    """The map that has an entry: the given one, or one that it merges with `<<`."""
    waiting = [mark]
    while waiting:
        held = waiting.pop()
        if _child(held, step):
            return held
        merged = held.children.get("<<")
        if merged is not None:
            several = not merged.keys
            waiting.extend(reversed(merged.children.values()) if several else [merged])
    return mark


def _scan(text: str) -> Mark:
    if text.lstrip()[:1] == "{":
        try:
            return _JsonScanner(text).scan()
        except (ValueError, RecursionError, IndexError):
            pass
    try:
        return _scan_yaml(text)
    except yaml.YAMLError:
        return Mark(1, 1, 1, 1)


def _scan_yaml(text: str) -> Mark:
    """The marks of all nodes. An alias has the mark of its anchor, but its own key."""
    parser = CParser(text)
    anchors: dict[str, Mark] = {}
    root: Mark | None = None
    # One entry per open collection: its mark, whether it is a map, and the key that waits for its value.
    stack: list[tuple[Mark, bool, list[tuple[str, Mark]]]] = []
    while True:
        event: YamlEvent = parser.get_event()
        kind = type(event)
        if kind is yaml.StreamEndEvent or kind is yaml.DocumentEndEvent:
            return root or Mark(1, 1, 1, 1)
        if kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
            stack.pop()
            continue
        if kind is yaml.AliasEvent:
            mark = anchors.get(event.anchor) or _mark(event)
        elif kind in (yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent):
            mark = _mark(event)
            if event.anchor:
                anchors[event.anchor] = mark
        else:
            continue
        if not stack:
            root = root or mark
        else:
            parent, is_map, pending = stack[-1]
            if not is_map:
                parent.children[len(parent.children)] = mark
            elif pending:
                key, key_mark = pending.pop()
                parent.children[key] = mark
                parent.keys[key] = key_mark
            else:
                pending.append((event.value if kind is yaml.ScalarEvent else "", mark))
        if kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
            stack.append((mark, kind is yaml.MappingStartEvent, []))


def _mark(event: YamlEvent) -> Mark:
    start, end = event.start_mark, event.end_mark
    return Mark(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


class _JsonScanner:
    """Records the position of each value in JSON text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.line_start = 0
        self.counted = 0
        self.decoder = json.JSONDecoder()

    def scan(self) -> Mark:
        return self._value()

    def _skip(self) -> None:
        self.at = WHITESPACE.match(self.text, self.at).end()

    def _place(self) -> tuple[int, int]:
        newlines = self.text.count("\n", self.counted, self.at)
        if newlines:
            self.line += newlines
            self.line_start = self.text.rindex("\n", self.counted, self.at) + 1
        self.counted = self.at
        return self.line, self.at - self.line_start + 1

    def _value(self) -> Mark:
        self._skip()
        start = self._place()
        mark = Mark(*start, *start)
        char = self.text[self.at]
        if char == "{":
            self._members(mark)
        elif char == "[":
            self._items(mark)
        else:
            _, self.at = self.decoder.raw_decode(self.text, self.at)
        mark.end_line, mark.end_column = self._place()
        return mark

    def _members(self, mark: Mark) -> None:
        self.at += 1
        self._skip()
        while self.text[self.at] != "}":
            start = self._place()
            key, self.at = scanstring(self.text, self.at + 1, True)
            key_mark = Mark(*start, *self._place())
            self._skip()
            self.at += 1
            mark.children[key] = self._value()
            mark.keys[key] = key_mark
            self._separator()
        self.at += 1

    def _items(self, mark: Mark) -> None:
        self.at += 1
        self._skip()
        while self.text[self.at] != "]":
            mark.children[len(mark.children)] = self._value()
            self._separator()
        self.at += 1

    def _separator(self) -> None:
        self._skip()
        if self.text[self.at] == ",":
            self.at += 1
            self._skip()
