"""What the tasks of this process wait for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any


def places() -> list[str]:
    """The innermost line of the code of each pending task, to log if they do not end. Call it in the event loop."""
    return sorted(_place(task) for task in asyncio.all_tasks())


def _place(task: asyncio.Task[Any]) -> str:
    inner: Any = task.get_coro()
    frame = None
    while getattr(inner, "cr_frame", None) is not None:
        frame, inner = inner.cr_frame, inner.cr_await
    if frame is None:
        return task.get_name()
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_qualname}"
