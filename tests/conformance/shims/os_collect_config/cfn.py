from os_collect_config import common
from os_collect_config.sources import collected, made, sending
from oslo_config import cfg

CONF = cfg.CONF


class Collector:
    def __init__(self, requests_impl=common.requests):
        self._session = requests_impl.Session()
        self.source = made("cfn", **{"common.http.send": sending(self._session, requests_impl)})

    def collect(self):
        return collected(self.source, "CfnMetadata")
