"""Metadata at a URL, such as an object in Swift."""

import time
from calendar import timegm
from typing import List, Mapping, NamedTuple, Optional

from calor_guest.collect.deployments import Item, with_deployments
from calor_guest.collect.source import MetadataSource, NotAvailable, log

_SETTLES_AFTER = 2
"""Seconds. Before, content may change while its time, which is in seconds, does not."""


class Seen(NamedTuple):
    """What identifies the content that was fetched last."""

    modified: int
    tag: Optional[str]
    settled: bool
    """Whether another content would have another time."""


class Source(MetadataSource):
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
    """None if the headers do not date the content."""
    modified = time_of(headers.get("last-modified"))
    if modified is None:
        return None
    asked = time_of(headers.get("date")) or int(now)
    return Seen(modified, headers.get("etag"), asked - modified >= _SETTLES_AFTER)


def is_same(headers: Mapping[str, str], before: Optional[Seen]) -> bool:
    modified, tag = time_of(headers.get("last-modified")), headers.get("etag")
    if before is None or modified is None:
        return False
    if modified < before.modified:
        log.warning("Last-Modified is older than previous collection")
    return modified <= before.modified and tag == before.tag and (tag is not None or before.settled)


def time_of(text: Optional[str]) -> Optional[int]:
    try:
        return timegm(time.strptime(text or "", "%a, %d %b %Y %H:%M:%S %Z"))
    except ValueError:
        return None
