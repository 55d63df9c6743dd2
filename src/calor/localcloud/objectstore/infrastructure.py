"""The capabilities of the object store."""

from __future__ import annotations

from calor.localcloud.objectstore.headers import POLICY
from calor.localcloud.objectstore.lists import LONGEST
from calor.localcloud.objectstore.tempurl import DIGESTS, METHODS
from calor.localcloud.objectstore.writing import LARGEST
from calor.localcloud.web import Call, Reply


def info(call: Call) -> Reply:
    return Reply(
        body={
            "swift": {
                "version": "2.33.0",
                "max_file_size": LARGEST,
                "container_listing_limit": LONGEST,
                "account_listing_limit": LONGEST,
                "max_meta_name_length": 128,
                "max_meta_value_length": 256,
                "max_meta_count": 90,
                "max_meta_overall_size": 4096,
                "max_container_name_length": 256,
                "max_object_name_length": 1024,
                "policies": [{"name": POLICY, "aliases": POLICY, "default": True}],
            },
            "tempurl": {"methods": list(METHODS), "allowed_digests": list(DIGESTS)},
            "versioned_writes": {"allowed_flags": ["x-versions-location", "x-history-location"]},
            "slo": {"max_manifest_segments": 1000, "min_segment_size": 1},
            "dlo": {"max_segments": 10_000},
            "bulk_delete": {"max_deletes_per_request": 10_000, "max_failed_deletes": 1000},
            "container_quotas": {},
        }
    )
