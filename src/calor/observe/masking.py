"""Keeps secrets that got into a text by accident out of the log. The rule is not to write them; this is the net.

Anybody can have any text logged, so that nothing here may take longer than in proportion to it.
"""

from __future__ import annotations

import re

MASK = "***"

_WORD = re.compile(r"[\w-]+")
_NAME = re.compile(
    r"passw(?:or)?d|passphrase|secret|token|adminpass|api_?key|private_?key|signature", re.IGNORECASE
)
_VALUE = re.compile(
    r"""(?ix)
    ( ["']? \s* (?: => | [:=]) \s* (?:Bearer\s+)? )
    ( "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | [^\s,;&)}\]]+ )
    """
)
_IN_ADDRESS = re.compile(r"(://[^/\s:@]*:)[^/\s@]+(?=@)")
_TOKEN = re.compile(r"\bgAAAAA[\w-]{20,}=*")


def masked(text: str) -> str:
    """The text without values that have a secret's name, passwords in addresses, and tokens."""
    text = _without_named(text)
    text = _IN_ADDRESS.sub(rf"\g<1>{MASK}", text)
    return _TOKEN.sub(MASK, text)


def _without_named(text: str) -> str:
    # Word by word: one expression for names and values would try each word from each of its characters.
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
