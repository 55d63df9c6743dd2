"""Packages as an installer would lay them out, without an installer: tests need neither one nor a network."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path


def install(folder: Path, name: str, modules: Iterable[Path], types: Mapping[str, str]) -> None:
    """Puts modules and the entry points of a package into a folder."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    for module in modules:
        shutil.copy(module, folder)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    points = "".join(f"{point} = {value}\n" for point, value in types.items())
    (info / "entry_points.txt").write_text(f"[calor.types]\n{points}")


def install_project(folder: Path, project: Path) -> None:
    """The same for a project, as its pyproject.toml says."""
    reported = tomllib.loads((project / "pyproject.toml").read_text())
    modules = [project / f"{name}.py" for name in reported["tool"]["setuptools"]["py-modules"]]
    install(folder, reported["project"]["name"], modules, reported["project"]["entry-points"]["calor.types"])


def on_path(folder: Path) -> dict[str, str]:
    """The environment of a program that shall find what was installed."""
    paths = [str(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
