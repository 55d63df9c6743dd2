from os_collect_config.sources import collected, made
from oslo_config import cfg

opts: list[cfg.Opt] = []


class Collector:
    def __init__(self):
        self.source = made("local")

    def collect(self):
        return collected(self.source, "LocalMetadata")
