"""Fetches the files and URLs that a command line or a template refers to."""

from __future__ import annotations

import sys
import urllib.parse
from functools import cache

from calor.language.files import MAX_FILE, Fetch

TIMEOUT = 20
STANDARD_INPUT = "-"


def fetcher(offline: bool) -> Fetch:
    """Fetches files and URLs. A URL that failed is not tried again, as it may be needed several times."""
    failed: dict[str, OSError] = {}

    def fetch(url: str) -> bytes:
        if url in failed:
            raise failed[url]
        try:
            return _from_file(url) if url.startswith("file://") else _from_web(url, offline)
        except ValueError as error:
            # The name itself is invalid: a null byte, a port that is not a number.
            raise OSError(str(error)) from None
        except OSError as error:
            failed[url] = error
            raise

    return fetch


def with_standard_input(name: str, url: str, fetch: Fetch) -> Fetch:
    """Reads the template named `-` from standard input, as if it were a file in the current folder."""
    if name != STANDARD_INPUT:
        return fetch

    @cache
    def standard_input() -> bytes:
        # It can be read only once.
        return sys.stdin.buffer.read(MAX_FILE + 1)

    return lambda wanted: standard_input() if wanted == url else fetch(wanted)


def _from_file(url: str) -> bytes:
    path = urllib.parse.unquote(url.removeprefix("file://"), errors="surrogateescape")
    with open(path, "rb") as file:
        return file.read(MAX_FILE + 1)


def _from_web(url: str, offline: bool) -> bytes:
    if not url.startswith(("http://", "https://")):
        raise OSError("only files and http or https URLs can be read")
    if offline:
        raise OSError("not fetched: --offline")
    # Imported only for templates with URLs.
    from http.client import HTTPException
    from urllib.request import urlopen

    try:
        with urlopen(url, timeout=TIMEOUT) as answer:
            content: bytes = answer.read(MAX_FILE + 1)
            return content
    except HTTPException as error:
        raise OSError(str(error)) from None
