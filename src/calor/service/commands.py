"""The changing use cases."""

from __future__ import annotations

from calor.service.base import Limits, NewStack, StackChange
from calor.service.preview_commands import PreviewCommands
from calor.service.software_commands import SoftwareCommands
from calor.service.stack_commands import StackCommands
from calor.service.transfer_commands import TransferCommands

__all__ = ["Commands", "Limits", "NewStack", "StackChange"]


class Commands(StackCommands, PreviewCommands, TransferCommands, SoftwareCommands):
    """All of them, by what they are about."""
