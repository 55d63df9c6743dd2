"""Reads what a command line or a template names: files and web addresses."""

from __future__ import annotations

import sys
import urllib.parse
from functools import cache

from calor.language.files import MAX_FILE, Fetch

TIMEOUT = 20
STANDARD_INPUT = "-"


def fetcher(offline: bool) -> Fetch:
    """Fetches files and web addresses. An address that failed is not waited for again: what gathers the files and
    what looks for types both ask for it."""
    failed: dict[str, OSError] = {}

    def fetch(url: str) -> bytes:
        if url in failed:
            raise failed[url]
        try:
            return _from_file(url) if url.startswith("file://") else _from_web(url, offline)
        except ValueError as error:
            # The name itself is impossible: a null byte, a port that is no number.
            raise OSError(str(error)) from None
        except OSError as error:
            failed[url] = error
            raise

    return fetch


def with_standard_input(name: str, url: str, fetch: Fetch) -> Fetch:
    """Reads a template from there if it is named so, as if it were a file of the current folder: what it names is
    looked for from here."""
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
        raise OSError("only files and web addresses are read")
    if offline:
        raise OSError("not fetched: --offline")
    # Only a template that names an address pays for the import.
    from http.client import HTTPException
    from urllib.request import urlopen

    try:
        with urlopen(url, timeout=TIMEOUT) as answer:
            content: bytes = answer.read(MAX_FILE + 1)
            return content
    except HTTPException as error:
        raise OSError(str(error)) from None
