"""Keeps secrets that got into a text by accident out of the log. The rule is not to write them; this is the net."""

from __future__ import annotations

import re

MASK = "***"

_NAMED = re.compile(
    r"""(?ix)
    ( ["']? [\w-]* (?:passw(?:or)?d | passphrase | secret | token | adminpass | api_?key | private_?key | signature)
      [\w-]* ["']? \s* (?: => | [:=]) \s* (?:Bearer\s+)? )
    ( "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | [^\s,;&)}\]]+ )
    """
)
_IN_ADDRESS = re.compile(r"(://[^/\s:@]*:)[^/\s@]+(?=@)")
_TOKEN = re.compile(r"\bgAAAAA[\w-]{20,}=*")


def masked(text: str) -> str:
    """The text without values that have a secret's name, passwords in addresses, and tokens."""
    text = _NAMED.sub(rf"\g<1>{MASK}", text)
    text = _IN_ADDRESS.sub(rf"\g<1>{MASK}", text)
    return _TOKEN.sub(MASK, text)
