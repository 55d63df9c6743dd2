"""Figures for Prometheus: how many requests there were, how long they took, in what state stacks are."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts requests by method, path pattern and status."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: dict[tuple[str, str, int], int] = defaultdict(int)
        self._buckets = [0] * len(_BOUNDS)
        self._seconds = 0.0

    def count(self, method: str, path: str, status: int, seconds: float) -> None:
        with self._lock:
            self._requests[method, path, status] += 1
            self._seconds += seconds
            for index, bound in enumerate(_BOUNDS):
                if seconds <= bound:
                    self._buckets[index] += 1

    def text(self, stacks: Mapping[tuple[str, str], int]) -> str:
        """The exposition format of Prometheus."""
        with self._lock:
            return "\n".join((*self._lines(), *_stack_lines(stacks), ""))

    def _lines(self) -> Iterator[str]:
        yield "# HELP calor_api_requests_total Requests answered."
        yield "# TYPE calor_api_requests_total counter"
        for (method, path, status), number in sorted(self._requests.items()):
            labels = f'method="{method}",path="{path}",status="{status}"'
            yield f"calor_api_requests_total{{{labels}}} {number}"
        total = sum(self._requests.values())
        yield "# HELP calor_api_request_seconds Time from request to answer."
        yield "# TYPE calor_api_request_seconds histogram"
        for bound, number in zip(_BOUNDS, self._buckets, strict=True):
            yield f'calor_api_request_seconds_bucket{{le="{bound}"}} {number}'
        yield f'calor_api_request_seconds_bucket{{le="+Inf"}} {total}'
        yield f"calor_api_request_seconds_sum {self._seconds:.6f}"
        yield f"calor_api_request_seconds_count {total}"


def _stack_lines(stacks: Mapping[tuple[str, str], int]) -> Iterator[str]:
    yield "# HELP calor_stacks Live stacks, nested ones included."
    yield "# TYPE calor_stacks gauge"
    for (action, status), number in sorted(stacks.items()):
        yield f'calor_stacks{{action="{action}",status="{status}"}} {number}'
