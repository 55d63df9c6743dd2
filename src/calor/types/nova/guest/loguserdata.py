#!/usr/bin/env python3
"""Runs the user's own data, and logs its output and completion."""

import os
import subprocess
import sys
import time
from typing import BinaryIO

USER_DATA = "/var/lib/cloud/data/cfn-userdata"
LOG = "/var/log/heat-provision.log"
FINISHED = "/var/lib/heat-cfntools/provision-finished"


def main() -> int:
    with open(os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
        code = _run(log)
    with open(FINISHED, "w") as finished:
        finished.write(time.strftime("%Y-%m-%dT%H:%M:%SZ\n", time.gmtime()))
    return code


def _run(log: BinaryIO) -> int:
    os.chmod(USER_DATA, 0o700)
    _note(log, "begins")
    try:
        code = subprocess.call([USER_DATA], stdout=log, stderr=subprocess.STDOUT)
    except OSError as error:
        # The user data may not be executable.
        _note(log, f"cannot be run: {error}")
        return 0
    _note(log, f"ended with {code}")
    return code


def _note(log: BinaryIO, what: str) -> None:
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} user data {what}\n"
    log.write(line.encode("utf-8"))
    log.flush()


if __name__ == "__main__":
    sys.exit(main())
