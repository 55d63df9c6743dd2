"""Resumes interrupted transitions of volumes, snapshots and backups after a restart."""

from __future__ import annotations

from calor.localcloud.volume.service import VolumeService


def resume_volumes(service: VolumeService) -> None:
    service.transitions.resume()
