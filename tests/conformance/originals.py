"""Source distributions of other projects, unpacked: their tests run against Calor."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

_CACHE = Path(__file__).parents[2] / ".venv" / "originals"
_BUILDS = ("pbr/build.py", "setuptools/build_meta.py")
"""What builds these distributions."""
_ANSWERS_FROM_PKG_INFO = """
import os, shutil, sys
from email.parser import Parser

__legacy__ = sys.modules[__name__]

def get_requires_for_build_wheel(config_settings=None):
    return []

def prepare_metadata_for_build_wheel(target, config_settings=None):
    with open("PKG-INFO") as file:
        about = Parser().parse(file)
    folder = "{}-{}.dist-info".format(about["Name"].replace("-", "_"), about["Version"])
    os.mkdir(os.path.join(target, folder))
    shutil.copy("PKG-INFO", os.path.join(target, folder, "METADATA"))
    return folder
"""


def unpacked_source(name: str, version: str) -> Path:
    """The folder of a source distribution from the index that pip uses; fetched once."""
    target = _CACHE / f"{name}-{version}"
    if target.is_dir():
        return target
    _CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_CACHE) as scratch:
        (fetched,) = _fetched(name, version, Path(scratch)).iterdir()
        with tarfile.open(fetched) as packed:
            packed.extractall(Path(scratch, "unpacked"), filter="data")
        (folder,) = Path(scratch, "unpacked").iterdir()
        try:
            folder.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    return target


def _fetched(name: str, version: str, scratch: Path) -> Path:
    """pip builds a distribution only to learn its name and version, which takes seconds and packages: it gets a build
    that reads them."""
    for path in _BUILDS:
        module = scratch / "build" / path
        module.parent.mkdir(parents=True)
        module.with_name("__init__.py").touch()
        module.write_text(_ANSWERS_FROM_PKG_INFO)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--use-pep517"]
    command += ["--dest", str(scratch / "fetched"), f"{name}=={version}"]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(scratch / "build")})
    return scratch / "fetched"
