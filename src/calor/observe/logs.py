"""How log lines look: for people, or a JSON object each. Both carry the fields of the work they come from."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from types import TracebackType

from calor.observe import fields
from calor.observe.escaping import field, indented, one_line
from calor.observe.masking import masked

EXTRA = "fields"
"""The name under which a call gives fields of its own: `log.info(..., extra={EXTRA: {...}})`."""

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_process = ""


class LogUnusable(Exception):
    """The file for the log cannot be opened."""


def start(*, json_lines: bool = False, debug: bool = False, file: str | None = None) -> None:
    """Sends the log of this process, and of those forked from it, to a file, or to the standard error stream. A
    file that has been moved away, as logrotate does, is opened anew. Raises LogUnusable."""
    try:
        handler: logging.Handler = WatchedFileHandler(file) if file else logging.StreamHandler(sys.stderr)
    except OSError as error:
        raise LogUnusable(f"the log cannot be written to {file}: {error.strerror}") from None
    handler.setFormatter(JsonLines() if json_lines else TextLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    if debug:
        logging.getLogger("calor").setLevel(logging.DEBUG)


def name_process(name: str) -> None:
    """The name that lines of this process carry."""
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
        if not fields.is_discreet():
            return super().formatException(ei)
        kind, _, place = ei
        name = kind.__name__ if kind is not None else "Exception"
        where = "".join(traceback.format_tb(place))
        return f"Traceback (most recent call last):\n{where}{name}: (not told: there are hidden values)"


class TextLines(_Lines):
    """One line for each record, whatever is in it; those of a traceback are indented."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        told = " ".join(field(name, value) for name, value in fields_of(record).items())
        line = super().formatMessage(record)
        return one_line(f"{line} [{told}]" if told else line)

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802
        return indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        return indented(stack_info)

    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


class JsonLines(_Lines):
    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, object] = {
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
            told["exception"] = masked(self.formatException(record.exc_info))
        return json.dumps(told, default=str, ensure_ascii=False)
