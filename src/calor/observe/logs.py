"""Formats log lines as text or JSON, with their context fields."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from types import TracebackType

from calor.observe import fields
from calor.observe.escaping import field, indented, one_line
from calor.observe.masking import masked

EXTRA = "fields"
"""The key for additional fields of a log call: `log.info(..., extra={EXTRA: {...}})`."""

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_process = ""


class LogUnusable(Exception):
    """The log file cannot be opened."""


def start(*, json_lines: bool = False, debug: bool = False, file: str | None = None) -> None:
    """Sends the log of this process and of those forked from it to a file, or to standard error. A file that was
    rotated is reopened. Raises LogUnusable."""
    try:
        handler: logging.Handler = WatchedFileHandler(file) if file else logging.StreamHandler(sys.stderr)
    except OSError as error:
        raise LogUnusable(f"the log cannot be written to {file}: {error.strerror}") from None
    handler.setFormatter(JsonLines() if json_lines else TextLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    if debug:
        logging.getLogger("calor").setLevel(logging.DEBUG)


def name_process(name: str) -> None:
    """Sets the field `process`."""
    global _process
    _process = name


def fields_of(record: logging.LogRecord) -> dict[str, object]:
    found: dict[str, object] = dict(fields.current())
    found.update(getattr(record, EXTRA, {}))
    if _process:
        found["process"] = _process
    return found


class _Lines(logging.Formatter):
    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802
        if not fields.is_confidential():
            return super().formatException(ei)
        kind, _, place = ei
        name = kind.__name__ if kind is not None else "Exception"
        where = "".join(traceback.format_tb(place))
        return f"Traceback (most recent call last):\n{where}{name}: (message omitted: it may contain hidden values)"


class TextLines(_Lines):
    """One line per record; tracebacks are indented."""

    def __init__(self) -> None:
        super().__init__()
        self._second = 0, ""
        """The last second, and its text."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        shown = " ".join(field(name, value) for name, value in fields_of(record).items())
        line = f"{self._time(record)} {record.levelname} {record.name}: {record.message}"
        return one_line(f"{line} [{shown}]" if shown else line)

    def _time(self, record: logging.LogRecord) -> str:
        second, text = self._second
        if second != int(record.created):
            second = int(record.created)
            text = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(second))
            self._second = second, text
        return f"{text},{int(record.msecs):03}"

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802
        return indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        return indented(stack_info)

    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


class JsonLines(_Lines):
    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": masked(record.getMessage()),
            **{
                name: masked(value) if isinstance(value, str) else value
                for name, value in fields_of(record).items()
            },
        }
        if record.exc_info:
            entry["exception"] = masked(self.formatException(record.exc_info))
        return json.dumps(entry, default=str, ensure_ascii=False)
