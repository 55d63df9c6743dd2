"""A plan as people read it: what is replaced first, then the other steps, each with its reason and what changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any

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
"""Stands in a path for the resources of a nested stack of which no plan can be made."""
_LONGEST = 400
_LINE = 100
"""How long a value may be that is shown whole although it has parts."""


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
    is_leaving: bool = False
    """Whether it is about what a replacement leaves behind, here or above, and thus goes without saying."""
    unchanged_below: int = 0
    """How many resources there are in the stack below, if that stays as it is."""

    @property
    def state(self) -> str:
        """What becomes of the resource, as lists call it."""
        return _STATES.get(self.kind, self.kind)


def steps_of(answer: Mapping[str, Any]) -> list[Step]:
    """The steps that the answer of a preview tells of, those of nested stacks after the one they belong to. A service
    that gives no plan gives at least lists of resources."""
    plan = answer.get("plan")
    if isinstance(plan, list):
        return list(_planned(plan, ()))
    if "resource_changes" in answer:
        return list(_changed(answer["resource_changes"]))
    return list(_previewed(answer.get("resources") or (), ()))


def _planned(
    plan: Sequence[Mapping[str, Any]], above: tuple[str, ...], leaving: bool = False
) -> Iterator[Step]:
    seen: dict[tuple[str, ...], str] = {}
    for raw in plan:
        path = tuple(raw.get("path") or (*above, raw.get("resource_name", "")))
        changes = tuple(
            Change(one.get("property", ""), one.get("before"), one.get("after"), one.get("after_known", True))
            for one in raw.get("changes") or ()
        )
        kind = raw.get("action") or raw.get("kind") or ""
        is_leaving = leaving or (
            kind in ("delete", "undecided") and seen.get(path) in ("replace", "undecided")
        )
        seen.setdefault(path, kind)
        step = Step(
            _shown_kind(kind, raw.get("possible") or ()),
            path,
            raw.get("resource_type") or raw.get("type") or "",
            raw.get("reason") or "",
            changes,
            is_leaving,
            raw.get("unchanged_below") or 0,
        )
        yield step
        if raw.get("nested_unknown") and step.kind in ("update", "may update"):
            yield Step("may replace", (*path, ALL_BELOW), "", raw["nested_unknown"], is_leaving=is_leaving)
        yield from _planned(raw.get("nested") or (), path, is_leaving)


def _shown_kind(kind: str, possible: Sequence[str]) -> str:
    """What is undecided is called by the worst that it may become."""
    if kind != "undecided":
        return kind
    if "replace" in possible:
        return "may replace"
    return "may update" if "update" in possible and "forbidden" not in possible else kind


def _changed(groups: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[Step]:
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


def worked_on(steps: Sequence[Step]) -> int:
    return len(
        {
            step.path
            for step in steps
            if step.kind not in ("keep", "forbidden") and step.path[-1:] != (ALL_BELOW,)
        }
    )


def changes_something(steps: Sequence[Step]) -> bool:
    return any(step.kind != "keep" for step in steps)


def rows(steps: Sequence[Step]) -> list[dict[str, Any]]:
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


def _row(change: Change) -> dict[str, Any]:
    row = {"property": change.name, "before": change.before, "after": change.after}
    return row if change.known else {**row, "after_known": False}


def render(steps: Sequence[Step], *, color: bool) -> str:
    paint = ansi.painter(color)
    steps = [step for step in steps if not step.is_leaving]
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
            # All that differs is masked.
            yield f"    {change.name}: {paint('(a secret in it changes)', ansi.GREEN)}"
            continue
        before, after = _without_nulls(change.before, change.after)
        for part in _parts(replace(change, before=before, after=after)):
            yield from _change(part, step.kind, paint)


def _parts(change: Change) -> Iterator[Change]:
    """The change of a map or list by what differs inside, so that nobody has to look for it in a long line."""
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
    """Both without the members that are null in both: most of what could be said of a network, say, is not said."""
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
    after = _value(change.after) if change.known else "(known after it is done)"
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
