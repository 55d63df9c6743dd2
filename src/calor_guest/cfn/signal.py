"""cfn-signal: reports success or failure to a wait condition."""

import argparse
import json
from typing import List

from calor_guest.cfn.downloads import shown
from calor_guest.cfn.logs import log, start_logging
from calor_guest.cfn.places import THIS_SERVER, Places
from calor_guest.cfn.server_metadata import unique_id
from calor_guest.common.deadlines import within
from calor_guest.common.http import RequestFailed, Response, Tls, send, with_retries

_SECONDS = 60.0
_ATTEMPTS = 6
_NO_RESPONSE, _REFUSED = 7, 22
"""The exit codes of curl."""


def main(arguments: List[str], places: Places = THIS_SERVER) -> int:
    given = _parser().parse_args(arguments)
    start_logging("cfn-signal", places)
    exit_code = given.exit_code or given.exit
    succeeded = exit_code == "0" if exit_code else given.success == "true"
    body = {
        "Status": "SUCCESS" if succeeded else "FAILURE",
        "Reason": given.reason,
        "UniqueId": unique_id(places.server_metadata) if given.id is None else given.id,
        "Data": given.data,
    }
    if given.url.partition("://")[0].lower() not in ("http", "https"):
        log.error("%s is not an HTTP URL", shown(given.url))
        return _NO_RESPONSE
    try:
        _send(given.url, json.dumps(body).encode("utf-8"), Tls(insecure=given.insecure))
    except RequestFailed as error:
        log.error("%s", error)
        return _REFUSED if error.status else _NO_RESPONSE
    return 0


def _send(url: str, body: bytes, tls: Tls) -> None:
    """The id of a signal makes it safe to repeat. Signed URLs cover an empty content type."""

    def put() -> Response:
        return within(_SECONDS, lambda: send("PUT", url, body, {"Content-Type": ""}, tls=tls))

    with_retries(put, attempts=_ATTEMPTS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cfn-signal", description="Reports success or failure to a wait condition."
    )
    parser.add_argument("-s", "--success", default="true", help="true, which is the default, or false")
    parser.add_argument("-r", "--reason", default="Configuration Complete", help="the reason")
    parser.add_argument(
        "-d", "--data", default="Application has completed configuration.", help="data for the wait condition"
    )
    parser.add_argument(
        "-i", "--id", help="distinguishes this signal from others (default: id of the server)"
    )
    parser.add_argument("-e", "--exit-code", help="the exit code of a program, instead of --success")
    parser.add_argument("--exit", help=argparse.SUPPRESS)
    parser.add_argument(
        "-k", "--insecure", action="store_true", help="do not verify the server's certificate"
    )
    parser.add_argument("url", help="the URL of the wait condition")
    return parser
