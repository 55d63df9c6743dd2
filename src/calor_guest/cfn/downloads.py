"""Downloads into files, with limits for time and size."""

import ssl
from http.client import HTTPException
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from calor_guest.cfn.problems import Problem
from calor_guest.common.deadlines import within
from calor_guest.common.http import RequestFailed

SCHEMES = frozenset({"http", "https", "ftp", "file"})
_SECONDS = 1800.0
_SECONDS_OF_SILENCE = 60.0
_LARGEST = 2 << 30
_CHUNK = 1 << 20


def download(url: str, target: BinaryIO, seconds: float = _SECONDS, largest: int = _LARGEST) -> None:
    """Writes what a URL has into an open file. Raises Problem."""
    try:
        source = checked(url)
        within(seconds, lambda: _copy(source, target, largest))
    except HTTPError as error:
        raise Problem(f"{shown(url)} cannot be downloaded: {error.code} {error.reason}") from None
    except (OSError, ValueError, HTTPException, RequestFailed) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise Problem(f"{shown(url)} cannot be downloaded: {reason}") from None


def checked(url: str) -> str:
    """A URL that may be downloaded; HTTP is the default. Raises Problem."""
    if "://" not in url:
        url = "http://" + url
    scheme = url.partition("://")[0].lower()
    if scheme not in SCHEMES:
        raise Problem(f"{shown(url)} cannot be downloaded: {scheme} is not supported")
    return url


def shown(url: str) -> str:
    """A URL for messages: without the password and the query, which may be secret."""
    bare = url.partition("?")[0]
    login = urlsplit(bare).netloc.rpartition("@")[0]
    return bare.replace(login + "@", "", 1) if login else bare


def _copy(url: str, target: BinaryIO, largest: int) -> None:
    context = ssl.create_default_context() if url.lower().startswith("https:") else None
    copied = 0
    with urlopen(url, timeout=_SECONDS_OF_SILENCE, context=context) as response:
        while True:
            data = response.read(_CHUNK)
            if not data:
                break
            copied += len(data)
            if copied > largest:
                raise ValueError(f"it is larger than {largest >> 20} MiB")
            target.write(data)
    expected = response.headers.get("Content-Length")
    if expected is not None and expected.isdigit() and copied < int(expected):
        raise ValueError(f"only {copied} of {expected} bytes arrived")
    target.flush()
