"""Streaming responses, limited for each project."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from calor.api.errors import TooMany, fault, status_of
from calor.api.web import Reply, respond

RETRY_SECONDS = 5


class Streams:
    """Counts the open streams of each project, in the event loop of the API."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    def response(
        self, project: str, content: AsyncIterator[str], media_type: str, headers: Mapping[str, str]
    ) -> StreamingResponse:
        return _Counted(self, project, content, media_type=media_type, headers=headers)

    def enter(self, project: str) -> bool:
        """Counts another stream if the limit allows it; the caller must call `leave` afterwards."""
        if self._open[project] >= self._most:
            return False
        self._open[project] += 1
        return True

    def leave(self, project: str) -> None:
        self._open[project] -= 1
        if not self._open[project]:
            del self._open[project]


class _Counted(StreamingResponse):
    def __init__(
        self,
        streams: Streams,
        project: str,
        content: AsyncIterator[str],
        media_type: str,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(content, media_type=media_type, headers=headers)
        self._streams = streams
        self._project = project

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._streams.enter(self._project):
            error = TooMany("The project has too many event streams; try again later, or list the events.")
            refusal = Reply(status_of(error), fault(error), {"Retry-After": str(RETRY_SECONDS)})
            await respond(refusal)(scope, receive, send)
            return
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._streams.leave(self._project)
