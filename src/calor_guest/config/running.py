"""Runs programs and keeps the end of what they write."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from typing import IO, Any, BinaryIO, Mapping, Optional, Sequence, Union

LARGEST = 950000
"""So many bytes of what a program writes are kept: about what the API takes."""
_CHUNK = 1 << 16
_LOOK_EVERY = 0.2
_LINGERS = 2.0
"""Seconds in which the children of a program may end after it, such as a `tee`. Daemons are not waited for."""
_PARENT_DEATH = 1
"""PR_SET_PDEATHSIG"""


class Tail:
    """The last bytes of what is added. Another thread may read them."""

    def __init__(self, largest: int = LARGEST, echo: Optional[BinaryIO] = None) -> None:
        self.added = 0
        self._largest = largest
        self._echo = echo
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> None:
        self._bytes += chunk
        if len(self._bytes) > 2 * self._largest:
            del self._bytes[: -self._largest]
        self.added += len(chunk)
        self._repeat(chunk)

    def text(self, largest: Optional[int] = None) -> str:
        """The last characters; of incomplete ones, the replacement character."""
        kept = bytes(self._bytes[-min(self._largest, 4 * (largest or self._largest)) :])
        text = kept.decode("utf-8", "replace")
        return text if largest is None else text[-largest:]

    def _repeat(self, chunk: bytes) -> None:
        if self._echo is None:
            return
        try:
            self._echo.write(chunk)
            self._echo.flush()
        except OSError:
            self._echo = None


def run(
    command: Sequence[str],
    stdout: Tail,
    stderr: Tail,
    stdin: Union[int, IO[bytes]] = subprocess.DEVNULL,
    env: Optional[Mapping[str, str]] = None,
    cwd: Optional[str] = None,
    tied: bool = False,
) -> int:
    """The exit code; negative for a signal. A `tied` program is killed when the caller is; only for callers without
    threads. Raises OSError or ValueError if the program cannot start."""
    process = subprocess.Popen(
        list(command),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=None if env is None else dict(env),
        cwd=cwd,
        preexec_fn=tie_to_parent if tied else None,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, stdout)
        selector.register(process.stderr, selectors.EVENT_READ, stderr)
        _copy(selector, process)
        for left in list(selector.get_map().values()):
            _drain(left.fd)
    process.stdout.close()
    process.stderr.close()
    return process.wait()


def tie_to_parent() -> None:
    """This process is killed when its parent ends."""
    if _prctl is not None:
        _prctl(_PARENT_DEATH, signal.SIGKILL)


def _copy(selector: selectors.BaseSelector, process: "subprocess.Popen[bytes]") -> None:
    """Until nobody can write any more, or only processes that the program left behind."""
    end = None
    while selector.get_map():
        for key, _ in selector.select(_LOOK_EVERY):
            chunk = os.read(key.fd, _CHUNK)
            if chunk:
                key.data.add(chunk)
            else:
                selector.unregister(key.fileobj)
        if end is None and process.poll() is not None:
            end = time.monotonic() + _LINGERS
        if end is not None and time.monotonic() >= end:
            return


def _drain(pipe: int) -> None:
    """A daemon that still writes into a pipe would be killed if nobody read it."""
    unused = subprocess.DEVNULL
    # Without `cat`, the daemon is on its own.
    with contextlib.suppress(OSError):
        subprocess.Popen(["cat"], stdin=pipe, stdout=unused, stderr=unused, start_new_session=True)


def _prctl_function() -> Any:
    """None where there is none."""
    try:
        import ctypes

        return ctypes.CDLL(None).prctl
    except (ImportError, AttributeError, OSError):
        return None


_prctl = _prctl_function()
