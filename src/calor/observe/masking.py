"""Masks secrets in log lines as a safety net: code must not log them in the first place.

Users can have any text logged, so that everything here takes linear time.
"""

from __future__ import annotations

import re

MASK = "***"

_WORD = re.compile(r"[\w-]+")
_NAME = re.compile(
    r"passw(?:or)?d|passphrase|secret|token|adminpass|api_?key|private_?key|signature", re.IGNORECASE
)
# In every text in which `_NAME` finds something, if the text is ASCII.
_HINTS = ("passw", "passphrase", "secret", "token", "adminpass", "key", "signature")
_VALUE = re.compile(
    r"""(?ix)
    ( ["']? \s* (?: => | [:=]) \s* (?:Bearer\s+)? )
    ( "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | [^\s,;&)}\]]+ )
    """
)
_IN_ADDRESS = re.compile(r"(://[^/\s:@]*:)[^/\s@]+(?=@)")
_TOKEN = re.compile(r"\bgAAAAA[\w-]{20,}=*")


def masked(text: str) -> str:
    """The text with masked tokens, passwords in URLs, and values named like a secret."""
    # Most texts have none of them.
    if _may_name_secret(text):
        text = _without_named(text)
    if "://" in text:
        text = _IN_ADDRESS.sub(rf"\g<1>{MASK}", text)
    return _TOKEN.sub(MASK, text) if "gAAAAA" in text else text


def _may_name_secret(text: str) -> bool:
    """A tenth of the cost of a search that ignores case."""
    lower = text.lower()
    return not lower.isascii() or any(hint in lower for hint in _HINTS)


def _without_named(text: str) -> str:
    # Word by word: one expression for names and values would take quadratic time.
    parts: list[str] = []
    done = 0
    for word in _WORD.finditer(text):
        if word.start() < done or not _NAME.search(word[0]):
            continue
        value = _VALUE.match(text, word.end())
        if value is not None:
            parts += (text[done : value.end(1)], MASK)
            done = value.end()
    return "".join((*parts, text[done:])) if parts else text
