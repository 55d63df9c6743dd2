"""The logs of the tools: a file for each, and what matters on standard error, too."""

import logging
import os
import sys

from calor_guest.cfn.places import Places

_FORMAT = "%(levelname)s [%(asctime)s] %(message)s"
log = logging.getLogger("calor_guest.cfn")


def start_logging(program: str, places: Places, verbose: bool = False) -> None:
    """The file is not readable by others: output of commands may be secret."""
    log.setLevel(logging.DEBUG)
    log.propagate = False
    errors = logging.StreamHandler(sys.stderr)
    errors.setLevel(logging.DEBUG if verbose else logging.WARNING)
    errors.setFormatter(logging.Formatter(program + ": %(message)s"))
    log.addHandler(errors)
    path = places.log(program)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        file = logging.FileHandler(path)
    except OSError as error:
        log.info("cannot log to %s: %s", path, error)
        return
    file.setFormatter(logging.Formatter(_FORMAT))
    log.addHandler(file)
