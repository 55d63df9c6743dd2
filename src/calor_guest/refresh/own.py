"""Steps that are programs of this archive run in a fork, which saves the start of Python and its imports.

A new server runs all of them twice before its first deployment."""

import os
import sys
import traceback
from importlib import import_module
from typing import Dict, Optional

from calor_guest.programs import Program, program_at


def own_program(path: str) -> Optional[Program]:
    """The program of this archive that a path is a link to."""
    linked = os.path.islink(path) and os.path.realpath(path) == os.path.realpath(sys.argv[0])
    return program_at(path) if linked else None


def call(program: Program, path: str, environment: Dict[str, str]) -> int:
    """The exit code, negative for a signal."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _become(program, path, environment)
    _, status = os.waitpid(pid, 0)
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _become(program: Program, path: str, environment: Dict[str, str]) -> None:
    """Does not return."""
    code = 1
    try:
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = [path]
        code = int(import_module(program.module).main([]) or 0)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code & 0xFF)
