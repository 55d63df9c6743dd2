"""The program os-apply-config."""

import argparse
import json
import logging
import os
import sys
from typing import Any, List, Optional

from calor_guest.apply import metadata, templates, value_types
from calor_guest.apply.errors import ApplyError

VERSION = "14.1.0"
"""Of the program whose interface this is."""
_LOG = "/var/log/os-apply-config.log"

log = logging.getLogger("os-apply-config")


def main(arguments: List[str]) -> int:
    given = _parser().parse_args(arguments)
    if given.print_templates:
        print(given.templates)
        return 0
    start_logging()
    if given.key and given.boolean_key:
        log.warning("--key is not compatible with --boolean-key. --boolean-key ignored.")
    try:
        return _run(given)
    except (ApplyError, OSError, ValueError) as error:
        log.error("%s", error)
        return 1


def _run(given: argparse.Namespace) -> int:
    paths = given.metadata or metadata.paths(os.environ, given.os_config_files)
    found = metadata.load(paths, given.fallback_metadata)
    if given.key:
        print(_shown(metadata.value_at(found, given.key), given.key, given.type, given.key_default, paths))
        return 0
    if given.boolean_key:
        value = metadata.value_at(found, given.boolean_key)
        return -1 if not isinstance(value, bool) else 0 if value else 1
    apply(metadata.part_of(found, given.subhash), given.templates, given.output, given.validate)
    log.info("success")
    return 0


def apply(values: Any, root: str, output: str = "/", validate: bool = False) -> None:
    """Renders all templates before the first file is written. Raises ApplyError."""
    files = templates.rendered(templates.paths(root), values)
    for path in () if validate else files:
        templates.write(os.path.join(output, path.lstrip("/")), files[path])


def _shown(value: Any, key: str, kind: str, default: Optional[str], paths: List[str]) -> str:
    if value is None:
        if default is None:
            raise ApplyError(f"key {key} does not exist in {paths}")
        return default
    value_types.check(str(value), kind)
    return json.dumps(value) if isinstance(value, (dict, list, bool)) else str(value)


def start_logging() -> None:
    if log.handlers:
        return
    log.setLevel(logging.INFO)
    form = logging.Formatter("[%(asctime)s] [%(levelname)s] %(message)s", "%Y/%m/%d %I:%M:%S %p")
    handlers: List[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if os.geteuid() == 0:
        try:
            handlers.append(logging.FileHandler(_LOG))
        except OSError as error:
            sys.stderr.write(f"{_LOG} cannot be written: {error}\n")
    for handler in handlers:
        handler.setFormatter(form)
        log.addHandler(handler)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="os-apply-config",
        description="Renders templates with metadata: files of JSON, merged in the order of --metadata, of "
        "the variable OS_CONFIG_FILES (separated by colons), or of the list that os-collect-config keeps.",
    )
    add = parser.add_argument
    add(
        "-t",
        "--templates",
        metavar="TEMPLATE_ROOT",
        default=templates.root(os.environ),
        help="folder of the templates (%(default)s)",
    )
    add(
        "-o",
        "--output",
        metavar="OUT_DIR",
        default="/",
        help="folder below which files are written (%(default)s)",
    )
    add(
        "-m",
        "--metadata",
        metavar="METADATA_FILE",
        nargs="*",
        default=[],
        help="files of metadata, in place of those that OS_CONFIG_FILES names",
    )
    add(
        "--fallback-metadata",
        metavar="FALLBACK_METADATA",
        nargs="*",
        default=list(metadata.FALLBACK),
        help="files of metadata that are read first, if they exist (%(default)s)",
    )
    add("-v", "--validate", action="store_true", help="render everything, but write nothing")
    add("--print-templates", action="store_true", help="print the folder of the templates")
    add("-s", "--subhash", help="render with the map at this key of the metadata")
    add("--key", help="print the value of this key, such as a.b.0")
    add(
        "--type",
        default="default",
        help="what the value of --key has to be: {} (%(default)s)".format(
            ", ".join(sorted(value_types.TYPES))
        ),
    )
    add("--key-default", help="what --key prints if the key does not exist; of any type")
    add("--boolean-key", help="exit with code 0 if the value of this key is true, 1 if false, and else -1")
    add("--version", action="version", version=VERSION)
    add(
        "--os-config-files",
        default=metadata.default_list(os.environ),
        help="file with the list of the files of metadata (%(default)s)",
    )
    return parser
