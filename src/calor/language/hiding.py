"""Masks known secrets wherever they occur in the text of a value."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from calor.language.values import MASK, TemplateValue

LEAST_LENGTH = 4
"""Shorter secrets are not searched for inside texts, where they may occur by chance."""


def without(value: object, secrets: Collection[str]) -> TemplateValue:
    """A plain value with the secrets masked."""
    if not secrets:
        return value
    if isinstance(value, str):
        return _without(value, secrets)
    if isinstance(value, dict):
        return {key: without(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [without(item, secrets) for item in value]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return MASK if is_number and len(str(value)) >= LEAST_LENGTH and str(value) in secrets else value


def _without(text: str, secrets: Collection[str]) -> str:
    if text in secrets:
        return MASK
    found = [secret for secret in secrets if len(secret) >= LEAST_LENGTH and secret in text]
    for secret in sorted(found, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def differing_texts(value: object, shown: object) -> Iterator[str]:
    """The texts in a value that are masked in the shown one."""
    if isinstance(value, dict) and isinstance(shown, dict):
        for name, item in value.items():
            yield from differing_texts(item, shown.get(name))
    elif isinstance(value, list) and isinstance(shown, list) and len(value) == len(shown):
        for item, its_shown in zip(value, shown, strict=True):
            yield from differing_texts(item, its_shown)
    elif value != shown:
        yield from texts(value)


def texts(value: object) -> Iterator[str]:
    """The texts that identify a secret value."""
    if isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif value is not None and value != "":
        yield str(value)
