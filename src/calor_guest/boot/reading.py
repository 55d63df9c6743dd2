"""YAML by whatever reads it here."""

from __future__ import annotations

from typing import Any


def read_yaml(data: bytes) -> Any:
    """Raises ValueError for what cannot be read."""
    import yaml

    try:
        return yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
