"""The programs log to standard error, and so to the log of the program that runs them."""

import logging


def log_to_stderr(name: str) -> logging.Logger:
    log = logging.getLogger(name)
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("[%(asctime)s] (%(name)s) [%(levelname)s] %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.DEBUG)
        log.propagate = False
    return log
