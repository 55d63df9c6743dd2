"""Metadata at a URL, such as an object in Swift."""

import time
from calendar import timegm
from typing import List, Mapping, NamedTuple, Optional

from calor_guest.collect.deployments import Item, with_deployments
from calor_guest.collect.source import Collector, NotAvailable, log

_SETTLED_AFTER = 2
"""Seconds. Before, an object may change without a change of the time, which is in seconds."""


class Seen(NamedTuple):
    """What identifies the content that was fetched last."""

    modified: Optional[int]
    tag: Optional[str]


class Source(Collector):
    name = "request"
    keeps = True
    seen: Optional[Seen] = None

    def collect(self) -> List[Item]:
        (url,) = self.required("metadata_url")
        # Imported late, since servers that boot collect from files first.
        from calor_guest.common import http

        timeout = self.section.number("timeout")
        try:
            headers = http.send("HEAD", url, timeout=timeout).headers
        except http.RequestFailed as error:
            if not error.status:
                raise NotAvailable(str(error)) from error
            # Whether there is metadata shows when it is fetched.
            headers = {}
        if is_same(headers, self.seen):
            raise NotAvailable("not modified")
        try:
            found = http.send("GET", url, timeout=timeout).json()
        except http.RequestFailed as error:
            raise NotAvailable(str(error)) from error
        except ValueError as error:
            raise NotAvailable(f"Failed to parse as json. ({error})") from error
        if not isinstance(found, dict):
            raise NotAvailable("the metadata is not a map")
        self.seen = seen(headers, time.time())
        return with_deployments(self.name, found, self.deployment_keys)


def seen(headers: Mapping[str, str], now: float) -> Optional[Seen]:
    """None if the headers do not identify the content."""
    modified, tag = _time(headers.get("last-modified")), headers.get("etag")
    asked = _time(headers.get("date")) or int(now)
    if modified is None or (tag is None and asked - modified < _SETTLED_AFTER):
        return None
    return Seen(modified, tag)


def is_same(headers: Mapping[str, str], before: Optional[Seen]) -> bool:
    modified, tag = _time(headers.get("last-modified")), headers.get("etag")
    if before is None or before.modified is None or modified is None:
        return False
    if modified < before.modified:
        log.warning("Last-Modified is older than previous collection")
    return modified <= before.modified and tag == before.tag


def _time(text: Optional[str]) -> Optional[int]:
    try:
        return timegm(time.strptime(text or "", "%a, %d %b %Y %H:%M:%S %Z"))
    except ValueError:
        return None
