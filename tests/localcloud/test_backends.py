"""What the cloud says where servers cannot run."""

from __future__ import annotations

from calor.localcloud.linux.probe import Finding, Verdict


def verdict(**problems: str) -> Verdict:
    findings = [Finding("programs", "images", True), Finding("limits", "of the flavor", False, "no cgroups")]
    findings += [Finding(feature, "servers", True, problem) for feature, problem in problems.items()]
    return Verdict(tuple(findings), is_root=False)


def test_linux_is_used_if_all_required_features_work() -> None:
    assert verdict().backend == "linux"
    assert verdict().reasons == ()


def test_features_with_the_same_problem_are_listed_together() -> None:
    found = verdict(namespaces="not permitted", disks="not permitted", filters="no nftables")

    assert found.backend == "simulated"
    assert found.reasons == ("namespaces, disks: not permitted", "filters: no nftables")
