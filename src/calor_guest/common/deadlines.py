"""A limit for the whole time of a call. Limits of sockets start again with every byte that arrives."""

import threading
from typing import Any, Callable, List, Tuple, TypeVar

from calor_guest.common.http import RequestFailed

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """The result of a call. Raises RequestFailed if it takes longer; the call then goes on in a thread that does not
    keep the program from ending."""
    outcomes: List[Tuple[bool, Any]] = []

    def work() -> None:
        try:
            outcomes.append((True, call()))
        except BaseException as error:
            outcomes.append((False, error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcomes:
        raise RequestFailed(f"there was no complete response within {seconds:g} seconds")
    succeeded, outcome = outcomes[0]
    if not succeeded:
        raise outcome
    result: T = outcome
    return result
