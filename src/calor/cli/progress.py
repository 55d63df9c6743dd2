"""Shows the progress of an action on a stack: a live tree on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import queue
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

from calor.cli.api.client import ApiError, Heat, StackRef
from calor.cli.api.retries import with_retries
from calor.cli.render import ansi
from calor.cli.render.states import colour, progress_of, sign
from calor.cli.stack.following import Event, follow, state_of
from calor.cli.stack.places import Places
from calor.cli.stack.tree import Node, Tree

_FRAME_SECONDS = 0.1
_BAR = 30
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def watch(
    heat: Heat,
    stack: StackRef,
    after: str | None,
    places: Places,
    *,
    out: TextIO,
    poll: float = 1.0,
    expected: int = 0,
) -> str:
    """Shows events until the action has ended, and returns the final state of the stack. `expected` is the number of
    resources that the action changes, if known."""
    tree = Tree(stack.name, stack.id)
    try:
        found = with_retries(lambda: heat.get(f"{stack.path}/resources", {"nested_depth": 50}))
        tree.expect(found["resources"])
    except ApiError as error:
        # The stack is already deleted.
        if error.status != 404:
            raise
    events = follow(heat, stack, after, poll=poll)
    if out.isatty():
        _Live(tree, places, out, expected).run(events)
    else:
        for event in events:
            path = tree.see(event, time.monotonic())
            print(_line(event, (stack.name, *path), places), file=out, flush=True)
    return with_retries(lambda: state_of(heat, stack))


def _line(event: Event, path: tuple[str, ...], places: Places) -> str:
    """A line such as `2026-01-01 12:00:00Z [stack.group.0]: CREATE_FAILED  reason (file:line)`."""
    place = places.of(path[1:]) if progress_of(event.status) == "FAILED" and not event.of_stack else ""
    reason = f"  {event.reason}" if event.reason else ""
    where = f" ({place})" if place else ""
    return ansi.visible(f"{event.time.replace('T', ' ')} [{'.'.join(path)}]: {event.status}{reason}{where}")


class _Live:
    def __init__(self, tree: Tree, places: Places, out: TextIO, expected: int) -> None:
        self._tree = tree
        self._places = places
        self._out = out
        self._expected = expected
        self._paint = ansi.painter("NO_COLOR" not in os.environ)
        self._drawn = 0
        self._frame = 0

    def run(self, events: Iterator[Event]) -> None:
        received: queue.SimpleQueue[Event | Exception | None] = queue.SimpleQueue()

        def read() -> None:
            try:
                for event in events:
                    received.put(event)
                received.put(None)
            except Exception as error:
                # The drawing thread raises it.
                received.put(error)

        threading.Thread(target=read, daemon=True).start()
        self._out.write("\x1b[?25l")
        try:
            while self._process(received):
                self._draw()
                time.sleep(_FRAME_SECONDS)
            self._draw()
        finally:
            self._out.write("\x1b[?25h")
            self._out.flush()

    def _process(self, received: queue.SimpleQueue[Event | Exception | None]) -> bool:
        """Processes the received events. Returns whether there may be more."""
        while True:
            try:
                one = received.get_nowait()
            except queue.Empty:
                return True
            if one is None:
                return False
            if isinstance(one, Exception):
                raise one
            self._tree.see(one, time.monotonic())

    def _draw(self) -> None:
        size = shutil.get_terminal_size()
        self._frame += 1
        now = time.monotonic()
        lines = list(self._lines(now, max(3, size.lines - 2)))
        shown = [_clipped(line, size.columns - 1) for line in lines]
        up = f"\x1b[{self._drawn}A" if self._drawn else ""
        self._out.write(up + "".join(f"\x1b[2K{line}\n" for line in shown) + "\x1b[J")
        self._out.flush()
        self._drawn = len(shown)

    def _lines(self, now: float, room: int) -> Iterator[str]:
        rows = list(self._rows(self._tree.root, "", (), now))
        if len(rows) > room - 1:
            # Completed resources are hidden first.
            kept = [row for row in rows if row[0]][: room - 2]
            hidden = len(rows) - len(kept)
            rows = [*kept, (False, self._paint(f"  … and {hidden} more", ansi.DIM))]
        yield self._summary(now)
        for _, line in rows:
            yield line

    def _rows(self, node: Node, margin: str, path: tuple[str, ...], now: float) -> Iterator[tuple[bool, str]]:
        """The lines of a node's children, each with whether to keep it if there is not enough room."""
        touched = [child for child in node.below.values() if child.progress or _touched(child)]
        for child in touched:
            is_last = child is touched[-1]
            way = (*path, child.name)
            matters = child.progress in ("IN_PROGRESS", "FAILED") or _busy(child)
            yield (
                matters,
                margin + self._paint("└─ " if is_last else "├─ ", ansi.DIM) + self._node(child, now),
            )
            inner = margin + ("   " if is_last else self._paint("│  ", ansi.DIM))
            if child.progress == "FAILED" and not _busy(child):
                yield True, inner + self._failure(child, way)
            yield from self._rows(child, inner, way, now)

    def _node(self, node: Node, now: float) -> str:
        running = node.progress == "IN_PROGRESS"
        mark = _SPINNER[self._frame % len(_SPINNER)] if running else sign(node.status)
        style = colour(node.status)
        spent = node.elapsed(now)
        took = self._paint(f"  {_seconds(spent)}", ansi.DIM) if spent is not None else ""
        state = self._paint(node.status, style) if style else node.status
        return f"{self._paint(mark, style) if style else mark} {ansi.visible(node.name)}  {state}{took}"

    def _failure(self, node: Node, path: tuple[str, ...]) -> str:
        place = self._places.of(path)
        where = self._paint(f"  {place}", ansi.BLUE) if place else ""
        return self._paint(ansi.visible(node.reason), ansi.RED) + where

    def _summary(self, now: float) -> str:
        root = self._tree.root
        counts = self._tree.counts()
        done = counts["COMPLETE"] + counts["FAILED"]
        seen = done + counts["IN_PROGRESS"]
        creating = root.status.startswith(("CREATE", "DELETE", "ADOPT"))
        total = max(seen, self._expected, seen + counts[""] if creating else 0, 1)
        full = total if root.progress == "COMPLETE" else min(done, total)
        filled = _BAR * full // total
        bar = self._paint("━" * filled, colour(root.status) or ansi.GREEN) + self._paint(
            "━" * (_BAR - filled), ansi.DIM
        )
        state = self._paint(root.status, colour(root.status), ansi.BOLD) if root.status else "…"
        number = f"{done}/{max(total, done)}" if total > 1 or done else ""
        return f"{ansi.visible(root.name)}  {state}  {bar} {number}  {_seconds(root.elapsed(now) or 0.0)}"


def _touched(node: Node) -> bool:
    return any(child.progress for child in node.walk())


def _busy(node: Node) -> bool:
    return any(child.progress in ("IN_PROGRESS", "FAILED") for child in node.walk())


def _seconds(spent: float) -> str:
    if spent < 60:
        return f"{spent:.1f} s"
    minutes, seconds = divmod(int(spent), 60)
    return f"{minutes} min {seconds:02} s"


def _clipped(line: str, room: int) -> str:
    """The line cut to the width of the terminal, not counting escape sequences."""
    made: list[str] = []
    taken = 0
    index = 0
    while index < len(line):
        if line[index] == "\x1b":
            end = line.index("m", index) + 1
            made.append(line[index:end])
            index = end
            continue
        taken += ansi.char_width(line[index])
        if taken <= room:
            made.append(line[index])
        index += 1
    return "".join(made)


def out_stream(format: str | None) -> TextIO:
    """The stream for progress: standard error if standard output has data for other programs."""
    return sys.stderr if format not in (None, "table") else sys.stdout
