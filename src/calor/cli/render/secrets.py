"""Masks secrets unless --show-secrets is given, since terminal output ends up in logs and on screens."""

from __future__ import annotations

import argparse
import json

from calor.cli.json_values import JsonMapping, JsonObject

MASK = "******"
_PRIVATE_KEY = "PRIVATE KEY-----"


def reveals(arguments: argparse.Namespace) -> bool:
    """Whether secrets are printed; always by the commands of the old client, as it did."""
    return bool(arguments.legacy or getattr(arguments, "show_secrets", False))


def output(arguments: argparse.Namespace, shown: JsonMapping) -> JsonObject:
    """An output of a stack, masked if the service marks it as sensitive. Heat does not: there, only private keys are
    recognized."""
    value = shown.get("output_value")
    secret = shown.get("sensitive") or _has_key(value)
    if value is None or not secret or reveals(arguments):
        return dict(shown)
    return {**shown, "output_value": MASK}


def stack(arguments: argparse.Namespace, shown: JsonMapping) -> JsonObject:
    if not shown.get("outputs"):
        return dict(shown)
    return {**shown, "outputs": [output(arguments, one) for one in shown["outputs"]]}


def resource(arguments: argparse.Namespace, shown: JsonMapping) -> JsonObject:
    """A resource with the attributes masked that the service marks as sensitive, and private keys."""
    attributes = shown.get("attributes")
    if not isinstance(attributes, dict) or reveals(arguments):
        return dict(shown)
    named = shown.get("sensitive_attributes") or ()
    masked = {
        name: MASK if value is not None and (name in named or _has_key(value)) else value
        for name, value in attributes.items()
    }
    return {**shown, "attributes": masked}


def _has_key(value: object) -> bool:
    text = value if isinstance(value, str) else json.dumps(value) if isinstance(value, (dict, list)) else ""
    return _PRIVATE_KEY in text
