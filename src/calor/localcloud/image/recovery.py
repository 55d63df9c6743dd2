"""Resets interrupted uploads after a restart, and resumes imports."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.image.service import ImageService


def resume_images(service: ImageService) -> None:
    images = service.records.images
    for image in images.find(status="saving"):
        service.upload_file_of(image.id).unlink(missing_ok=True)
        if service.file_of(image.id).exists():
            service.fill_later(image.id)
        else:
            service.save(replace(image, status="queued"))
    for image in images.find(status="uploading"):
        service.upload_file_of(image.id).unlink(missing_ok=True)
        if not service.staged_file_of(image.id).exists():
            service.save(replace(image, status="queued"))
    for image in images.find(status="importing"):
        if service.staged_file_of(image.id).exists():
            service.import_later(image.id)
        else:
            service.fail_import(image.id, "the image service was stopped meanwhile")
