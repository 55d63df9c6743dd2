"""heat-config-notify: reports the result of a deployment, which it reads from standard input."""

import json
import sys
import time
from typing import Any, List, Mapping

from calor_guest.common import files
from calor_guest.common.http import RequestFailed, with_retries
from calor_guest.config.configs import inputs_of
from calor_guest.config.logs import log_to_stderr
from calor_guest.config.results import request_body
from calor_guest.config.transports import Transport, transports

_USAGE = "usage: heat-config-notify CONFIG.json < RESULT.json"
TRY_LATER = 75
"""The exit code if the stack may take the result later (EX_TEMPFAIL)."""
_LONGEST_PAUSE = 10.0

log = log_to_stderr("heat-config-notify")


def main(arguments: List[str]) -> int:
    if not arguments:
        log.error(_USAGE)
        return 1
    try:
        config = files.read_json(arguments[0])
    except (OSError, ValueError) as error:
        log.error("%s: %s", arguments[0], error)
        return 1
    if not isinstance(config, dict):
        log.error("There is no config in %s. %s", arguments[0], _USAGE)
        return 1
    return notify(config, _result_of(sys.stdin.read()))


def notify(config: Mapping[str, Any], result: Mapping[str, Any]) -> int:
    """The exit code."""
    try:
        ways = transports(inputs_of(config))
    except (RequestFailed, LookupError, TypeError, AttributeError) as error:
        log.error("Config %s does not name a place for its result: %r", config.get("id"), error)
        return 1
    try:
        for transport in ways:
            _deliver(transport, request_body(result))
    except RequestFailed as error:
        log.error("The result of config %s was not delivered: %s", config.get("id"), error)
        return TRY_LATER if error.is_transient else 1
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        log.error("The response to the result of config %s is not understood: %r", config.get("id"), error)
        return TRY_LATER
    return 0


def _deliver(transport: Transport, body: str) -> None:
    response = with_retries(lambda: transport.send(body), sleep=_pause)
    log.debug("Delivered the result: %s", response.status)


def _pause(seconds: float) -> None:
    time.sleep(min(seconds, _LONGEST_PAUSE))


def _result_of(text: str) -> Mapping[str, Any]:
    try:
        result = json.loads(text)
    except ValueError:
        result = None
    if isinstance(result, dict):
        return result
    log.warning("There is no result on standard input.")
    return {}
