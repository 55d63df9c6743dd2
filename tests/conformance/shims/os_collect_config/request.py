from os_collect_config import common, exc
from os_collect_config.sources import collected, made, sending

from calor_guest.collect.sources.request import Seen, is_same, time_of


class Collector:
    def __init__(self, requests_impl=common.requests):
        self.source = made("request", **{"common.http.send": sending(requests_impl.Session(), requests_impl)})

    @property
    def last_modified(self):
        return self.source.seen and self.source.seen.modified

    @last_modified.setter
    def last_modified(self, value):
        self.source.seen = Seen(value, None, settled=True)

    def check_fetch_content(self, headers):
        if is_same(headers, self.source.seen):
            raise exc.RequestMetadataNotAvailable
        return time_of(headers.get("last-modified"))

    def collect(self):
        return collected(self.source, "RequestMetadata")
