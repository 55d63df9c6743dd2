"""Writes the hierarchy and the data of Hiera."""

import os
from typing import List

from calor_guest.common import files
from calor_guest.config.configs import Config
from calor_guest.config.hook import (
    CannotApply,
    checked_name,
    create_folders,
    hiera_data_folder,
    pretty,
    run_as_hook,
)
from calor_guest.config.results import Result, result
from calor_guest.config.running import Tail, run

_CHECK = "os-apply-config --key hiera.datafiles --type raw --key-default empty"
_HEAD = "\n---\n:backends:\n  - json\n:json:\n  :datadir: {}\n:hierarchy:\n"


def main(arguments: List[str]) -> int:
    return run_as_hook(_apply)


def _apply(config: Config) -> Result:
    wanted = config.get("config")
    if not isinstance(wanted, dict):
        raise CannotApply("The config is not a map with hierarchy and datafiles.")
    _refuse_other_source()
    folder = hiera_data_folder()
    create_folders(folder)
    if "hierarchy" in wanted:
        items = "".join(f"  - {item}\n" for item in wanted["hierarchy"])
        path = os.environ.get("HEAT_HIERA_CONFIG", "/etc/puppet/hiera.yaml")
        files.write(path, _HEAD.format(folder) + items)
    for name, data in (wanted.get("datafiles") or {}).items():
        files.write(os.path.join(folder, checked_name(name, "data file") + ".json"), pretty(data))
    return result("", "", 0)


def _refuse_other_source() -> None:
    """Templates of os-apply-config may write the same files. Raises CannotApply."""
    found = Tail()
    try:
        status = run(os.environ.get("HEAT_HIERA_ELEMENT_CHECK_CMD", _CHECK).split(), found, Tail())
    except OSError:
        return
    data = found.text().strip()
    if status == 0 and data not in ("", "empty"):
        raise CannotApply(
            "The metadata has hiera.datafiles, which os-apply-config writes to the same folder: "
            f"remove them, or this config. {data[:1000]}"
        )
