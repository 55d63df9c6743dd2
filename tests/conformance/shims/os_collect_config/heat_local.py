from os_collect_config.sources import collected, made


class Collector:
    def __init__(self):
        self.source = made("heat_local")

    def collect(self):
        return collected(self.source, "HeatLocalMetadata")
