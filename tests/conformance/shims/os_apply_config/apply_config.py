import os
import sys

from os_apply_config.oac_file import OacFile

from calor_guest.apply import control, metadata, mustache, templates
from calor_guest.apply import main as program
from calor_guest.apply.metadata import listed as load_list_from_json
from calor_guest.apply.metadata import part_of as strip_hash
from calor_guest.apply.templates import (
    execute as render_executable,
)
from calor_guest.apply.templates import (
    paths as template_paths,
)
from calor_guest.apply.templates import (
    render as render_template,
)

__all__ = ["load_list_from_json", "render_executable", "render_template", "strip_hash", "template_paths"]

TEMPLATES_DIR = templates.root(os.environ)


def main(argv=sys.argv):
    # What logs would be added at every call; the tests look at the logger itself.
    program.start_logging = lambda: None
    return program.main(argv[1:])


def templates_dir():
    return templates.root(os.environ)


def install_config(config_path, template_root, output_path, validate, subhash=None, fallback_metadata=()):
    found = metadata.load(config_path, fallback_metadata)
    program.apply(metadata.part_of(found, subhash), template_root, output_path, validate)


def build_tree(paths, config):
    made = {}
    for path, file in templates.rendered(paths, config).items():
        made[path] = OacFile(file.body)
        for name in control.Control._fields:
            if getattr(file.control, name) is not None:
                setattr(made[path], name, getattr(file.control, name))
    return made


def render_moustache(text, config):
    return mustache.render(text, config)
