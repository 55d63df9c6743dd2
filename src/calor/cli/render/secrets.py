"""Secrets are not printed unless somebody asks for them: what a terminal shows ends up in logs and on screens."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

MASK = "******"
_PRIVATE_KEY = "PRIVATE KEY-----"


def reveals(arguments: argparse.Namespace) -> bool:
    """The old spelling prints what the old client printed."""
    return bool(arguments.legacy or getattr(arguments, "show_secrets", False))


def output(arguments: argparse.Namespace, shown: Mapping[str, Any]) -> dict[str, Any]:
    """An output of a stack, masked if the service says that it is secret. A Heat does not say so: there, only private
    keys are known."""
    value = shown.get("output_value")
    secret = shown.get("sensitive") or _has_key(value)
    if value is None or not secret or reveals(arguments):
        return dict(shown)
    return {**shown, "output_value": MASK}


def stack(arguments: argparse.Namespace, shown: Mapping[str, Any]) -> dict[str, Any]:
    if not shown.get("outputs"):
        return dict(shown)
    return {**shown, "outputs": [output(arguments, one) for one in shown["outputs"]]}


def resource(arguments: argparse.Namespace, shown: Mapping[str, Any]) -> dict[str, Any]:
    """A resource, with those attributes masked that the service calls sensitive, and private keys."""
    attributes = shown.get("attributes")
    if not isinstance(attributes, dict) or reveals(arguments):
        return dict(shown)
    named = shown.get("sensitive_attributes") or ()
    masked = {
        name: MASK if value is not None and (name in named or _has_key(value)) else value
        for name, value in attributes.items()
    }
    return {**shown, "attributes": masked}


def _has_key(value: Any) -> bool:
    text = value if isinstance(value, str) else json.dumps(value) if isinstance(value, (dict, list)) else ""
    return _PRIVATE_KEY in text
