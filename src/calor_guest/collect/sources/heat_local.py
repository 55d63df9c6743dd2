"""Metadata that the server booted with."""

from typing import Any, Dict, List

from calor_guest.collect.deployments import Item
from calor_guest.collect.source import MetadataSource, NotAvailable, log
from calor_guest.common import files


class Source(MetadataSource):
    name = "heat_local"

    def collect(self) -> List[Item]:
        paths = self.section.many("path")
        found: Dict[str, Any] = {}
        for path in paths:
            try:
                value = files.read_json(path)
            except (OSError, ValueError) as error:
                log.info("%s is not valid JSON (%s)", path, error)
                continue
            if isinstance(value, dict):
                found.update(value)
        if not found:
            raise NotAvailable("Local metadata not found ({})".format(", ".join(paths)))
        return [(self.name, found)]
