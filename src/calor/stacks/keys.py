"""Keys in stored data that both engine and API use."""

from __future__ import annotations

HOOK = "_hook"
"""In `resource.data`: the hook that the resource waits for."""
WHOLE_STACK = ""
"""Instead of a resource's name in a signal: cancels the action on a nested stack."""
