"""The step 20-os-apply-config: renders the templates, and two files for which agents need no template.

These are the settings of os-collect-config and the list of deployments for heat-config. A template of the same path has
precedence."""

import argparse
import json
import os
from typing import Any, Dict, List, Mapping

from calor_guest.apply import main as apply_config
from calor_guest.apply import metadata, templates
from calor_guest.apply.errors import ApplyError
from calor_guest.collect.options import CONFIG_FILE
from calor_guest.collect.settings_file import settings_file
from calor_guest.common import files
from calor_guest.common.heat_config import CONFIGS_FILE


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="20-os-apply-config",
        description="Renders all templates, and what agents need in any case.",
    )
    parser.add_argument("--root", default="/", help="the folder below which files are written")
    root = parser.parse_args(arguments).root
    apply_config.start_logging()
    folder = templates.root(os.environ)
    try:
        found = metadata.load(metadata.paths(os.environ, metadata.default_list(os.environ)))
        apply_config.apply(found, folder, root)
        for path, content in own_files(found).items():
            if not os.path.lexists(folder + path):
                _replace(os.path.join(root, path.lstrip("/")), content)
    except (ApplyError, OSError, ValueError) as error:
        apply_config.log.error("%s", error)
        return 1
    return 0


def own_files(found: Mapping[str, Any]) -> Dict[str, str]:
    """By path. Without settings for os-collect-config in the metadata, those that somebody wrote stay."""
    deployments = found.get("deployments")
    made = {CONFIGS_FILE: json.dumps(deployments if isinstance(deployments, list) else [])}
    settings = found.get("os-collect-config")
    if isinstance(settings, dict):
        made[CONFIG_FILE] = settings_file(settings)
    return made


def _replace(path: str, content: str) -> None:
    """Credentials are in both."""
    if files.read_text(path) != content or os.stat(path).st_mode & 0o077:
        files.write(path, content, files.PRIVATE)
