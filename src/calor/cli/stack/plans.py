"""Prints plans: replacements first, then the other steps, each with its reason and changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any

from calor.cli.json_values import JsonMapping, JsonObject
from calor.cli.render import ansi
from calor.cli.render.ansi import Paint
from calor.cli.render.types import short_type

_SIGNS = {
    "replace": ("±", ansi.YELLOW, "replaced"),
    "may replace": ("?", ansi.YELLOW, "may be replaced"),
    "forbidden": ("!", ansi.RED, "not allowed"),
    "may update": ("?", ansi.CYAN, "may be updated"),
    "undecided": ("?", ansi.YELLOW, "undecided"),
    "delete": ("-", ansi.RED, "deleted"),
    "create": ("+", ansi.GREEN, "created"),
    "update": ("~", ansi.CYAN, "updated in place"),
}
_ORDER = tuple(_SIGNS)
_GROUPS = {
    "added": "create",
    "updated": "update",
    "replaced": "replace",
    "deleted": "delete",
    "unchanged": "keep",
}
_STATES = {
    "create": "added",
    "update": "updated",
    "replace": "replaced",
    "delete": "deleted",
    "keep": "unchanged",
    "may replace": "may be replaced",
    "may update": "may be updated",
}
ALL_BELOW = "*"
"""Stands in a path for the resources of a nested stack that cannot be planned."""
_LONGEST = 400
_LINE = 100
"""Longer maps and lists are shown as changes of their items."""


@dataclass(frozen=True, slots=True)
class Change:
    name: str
    before: Any
    after: Any
    known: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    kind: str
    path: tuple[str, ...]
    type_name: str
    reason: str = ""
    changes: tuple[Change, ...] = ()
    is_implied: bool = False
    """Whether the step follows from a replacement: it deletes the replaced resource or a part of it."""
    unchanged_below: int = 0
    """The number of resources in the nested stack, if it does not change."""

    @property
    def state(self) -> str:
        """What happens to the resource, as shown in lists."""
        return _STATES.get(self.kind, self.kind)


def steps_of(answer: JsonMapping) -> list[Step]:
    """The steps in the response to a preview; those of a nested stack follow the step of its resource. A service that
    returns no plan returns at least lists of resources."""
    plan = answer.get("plan")
    if isinstance(plan, list):
        return list(_planned(plan, ()))
    if "resource_changes" in answer:
        return list(_changed(answer["resource_changes"]))
    return list(_previewed(answer.get("resources") or (), ()))


def _planned(plan: Sequence[JsonMapping], above: tuple[str, ...], leaving: bool = False) -> Iterator[Step]:
    seen: dict[tuple[str, ...], str] = {}
    for raw in plan:
        path = tuple(raw.get("path") or (*above, raw.get("resource_name", "")))
        changes = tuple(
            Change(one.get("property", ""), one.get("before"), one.get("after"), one.get("after_known", True))
            for one in raw.get("changes") or ()
        )
        kind = raw.get("action") or raw.get("kind") or ""
        is_implied = leaving or (
            kind in ("delete", "undecided") and seen.get(path) in ("replace", "undecided")
        )
        seen.setdefault(path, kind)
        step = Step(
            _shown_kind(kind, raw.get("possible") or ()),
            path,
            raw.get("resource_type") or raw.get("type") or "",
            raw.get("reason") or "",
            changes,
            is_implied,
            raw.get("unchanged_below") or 0,
        )
        yield step
        if raw.get("nested_unknown") and step.kind in ("update", "may update"):
            yield Step("may replace", (*path, ALL_BELOW), "", raw["nested_unknown"], is_implied=is_implied)
        yield from _planned(raw.get("nested") or (), path, is_implied)


def _shown_kind(kind: str, possible: Sequence[str]) -> str:
    """The kind of a step; for an undecided one, the worst possible."""
    if kind != "undecided":
        return kind
    if "replace" in possible:
        return "may replace"
    return "may update" if "update" in possible and "forbidden" not in possible else kind


def _changed(groups: Mapping[str, Sequence[JsonMapping]]) -> Iterator[Step]:
    for group, resources in groups.items():
        for raw in resources:
            parent = raw.get("parent_resource")
            path = (parent, raw["resource_name"]) if parent else (raw["resource_name"],)
            yield Step(_GROUPS.get(group, group), path, raw.get("resource_type") or "")


def _previewed(resources: Sequence[Any], above: tuple[str, ...]) -> Iterator[Step]:
    for raw in resources:
        if isinstance(raw, list):
            parent = next((one.get("parent_resource") for one in raw if isinstance(one, dict)), None)
            yield from _previewed(raw, (*above, parent) if parent else above)
        else:
            changes = tuple(
                Change(name, None, value) for name, value in (raw.get("properties") or {}).items()
            )
            yield Step(
                "create", (*above, raw["resource_name"]), raw.get("resource_type") or "", changes=changes
            )


def count_changed(steps: Sequence[Step]) -> int:
    """The number of resources that the steps change."""
    return len(
        {
            step.path
            for step in steps
            if step.kind not in ("keep", "forbidden") and step.path[-1:] != (ALL_BELOW,)
        }
    )


def changes_something(steps: Sequence[Step]) -> bool:
    return any(step.kind != "keep" for step in steps)


def rows(steps: Sequence[Step]) -> list[JsonObject]:
    """The steps as records, for other programs."""
    return [
        {
            "state": step.state,
            "resource_name": "/".join(step.path),
            "resource_type": step.type_name,
            "reason": step.reason,
            "changes": [_row(change) for change in step.changes],
        }
        for step in steps
    ]


def _row(change: Change) -> JsonObject:
    row = {"property": change.name, "before": change.before, "after": change.after}
    return row if change.known else {**row, "after_known": False}


def render(steps: Sequence[Step], *, color: bool) -> str:
    paint = ansi.painter(color)
    steps = [step for step in steps if not step.is_implied]
    shown = [step for step in steps if step.kind != "keep"]
    if not shown:
        return "Nothing would change."
    ordered = sorted(shown, key=lambda step: _ORDER.index(step.kind) if step.kind in _ORDER else len(_ORDER))
    lines = [line for step in ordered for line in _step(step, paint)]
    return "\n".join([*lines, "", _summary(steps, paint)])


def _step(step: Step, paint: Paint) -> Iterator[str]:
    mark, style, _ = _SIGNS.get(step.kind, ("·", "", step.kind))
    name = ansi.visible("/".join(step.path))
    head = f"{mark} {step.kind} {name}"
    reason = f"  {ansi.visible(step.reason)}" if step.reason else ""
    what = f"  {paint(short_type(step.type_name), ansi.DIM)}" if step.type_name else ""
    yield f"{paint(head, style, ansi.BOLD) if style else head}{what}{reason}"
    for change in step.changes:
        if step.kind != "create" and change.known and change.before == change.after:
            # Only masked values differ.
            yield f"    {change.name}: {paint('(secret value changes)', ansi.GREEN)}"
            continue
        before, after = _without_nulls(change.before, change.after)
        for part in _parts(replace(change, before=before, after=after)):
            yield from _change(part, step.kind, paint)


def _parts(change: Change) -> Iterator[Change]:
    """The changes of the items of a long map or list."""
    before, after = change.before, change.after
    if not change.known or len(_value(before)) + len(_value(after)) <= _LINE:
        yield change
    elif isinstance(after, dict) and isinstance(before, (dict, NoneType)):
        before = before or {}
        names = [*before, *(name for name in after if name not in before)]
        for name in names:
            yield from _part(change, f".{name}", before.get(name), after.get(name))
    elif isinstance(after, list) and isinstance(before, list) and len(before) == len(after):
        for place, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _part(change, f"[{place}]", old, new)
    else:
        yield change


def _without_nulls(before: Any, after: Any) -> tuple[Any, Any]:
    """Both values without the items that are null in both: many types have dozens of optional ones."""
    if isinstance(before, dict) and isinstance(after, dict):
        pairs = {
            name: _without_nulls(before.get(name), after.get(name))
            for name in (*before, *after)
            if before.get(name) is not None or after.get(name) is not None
        }
        return (
            {name: pairs[name][0] for name in before if name in pairs},
            {name: pairs[name][1] for name in after if name in pairs},
        )
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        items = [_without_nulls(old, new) for old, new in zip(before, after, strict=True)]
        return [old for old, _ in items], [new for _, new in items]
    return _without_own_nulls(before), _without_own_nulls(after)


def _without_own_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_own_nulls(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_own_nulls(item) for item in value]
    return value


def _part(change: Change, step: str, before: Any, after: Any) -> Iterator[Change]:
    if before != after:
        yield from _parts(Change(change.name + step, before, after))


def _change(change: Change, kind: str, paint: Paint) -> Iterator[str]:
    after = _value(change.after) if change.known else "(known after apply)"
    if kind == "create":
        if "\n" in after:
            yield f"    {change.name}:"
            yield from (f"      {paint(ansi.visible(line), ansi.GREEN)}" for line in after.splitlines())
        elif change.after is not None or not change.known:
            yield f"    {change.name}: {paint(after, ansi.GREEN)}"
        return
    before = _value(change.before)
    if not change.known and "\n" in before:
        yield f"    {change.name}: {paint(after, ansi.GREEN)}"
    elif "\n" in before or "\n" in after:
        yield f"    {change.name}:"
        yield from _text_diff(before, after, paint)
    else:
        yield f"    {change.name}: {paint(before, ansi.RED)} → {paint(after, ansi.GREEN)}"


def _text_diff(before: str, after: str, paint: Paint) -> Iterator[str]:
    from difflib import unified_diff

    styles = {"+": ansi.GREEN, "-": ansi.RED, "@": ansi.CYAN}
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
    for line in list(lines)[2:]:
        style = styles.get(line[:1])
        shown = ansi.visible(line)
        yield f"      {paint(shown, style) if style else shown}"


def _value(value: Any) -> str:
    if isinstance(value, str) and "\n" in value:
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _summary(steps: Sequence[Step], paint: Paint) -> str:
    parts = []
    for kind, (_, style, words) in _SIGNS.items():
        number = sum(step.kind == kind for step in steps)
        if number:
            parts.append(paint(f"{number} {words}", style))
    unchanged = sum(1 + step.unchanged_below for step in steps if step.kind == "keep")
    if unchanged:
        parts.append(f"{unchanged} unchanged")
    return ", ".join(parts)
