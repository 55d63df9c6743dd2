"""Benchmark of the language: parse, validate, resolve and graph of large templates.

    python benchmarks/language.py [--heat PYTHON]

Each measurement runs in a process of its own, so that its memory can be read. With `--heat` (or HEAT_PYTHON),
the Python of an environment in which openstack-heat is installed, Heat's own validate and preview of the same
templates are measured in the same run, and the ratio is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from workloads import WORKLOADS

SIZES = (100, 1_000, 10_000)
HERE = Path(__file__).resolve().parent
ROUNDS = 3


def measure(workload: str, size: int) -> dict[str, float]:
    """Seconds (the best of a few rounds) and megabytes for one template, from text to resolved view."""
    import yaml

    from calor.language.diagnostics import Report
    from calor.language.request import resolve_request
    from calor.language.view import resolved_view
    from calor.types.world import offline_world

    text = yaml.dump(WORKLOADS[workload](size), Dumper=yaml.CSafeDumper)
    world = offline_world()
    best = float("inf")
    for _ in range(ROUNDS):
        report = Report()
        start = time.perf_counter()
        definition = resolve_request({"template": text}, world, report)
        assert definition is not None
        definition.graph.order()
        view = resolved_view(definition, show_secrets=False)
        best = min(best, time.perf_counter() - start)
        assert not report.has_errors
        assert len(view["resources"]) == size
        del view, definition
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": round(best, 4), "megabytes": round(peak, 1)}


def in_process(*command: str) -> dict[str, float]:
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--heat", default=os.environ.get("HEAT_PYTHON"), metavar="PYTHON")
    parser.add_argument("--one", nargs=2, metavar=("WORKLOAD", "SIZE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one[0], int(arguments.one[1]))))
        return
    print(f"{'workload':<9}{'size':>7}{'seconds':>10}{'us each':>9}{'growth':>8}{'MB':>7}   against Heat")
    for workload in WORKLOADS:
        before: float | None = None
        for size in SIZES:
            ours = in_process(sys.executable, __file__, "--one", workload, str(size))
            each = ours["seconds"] / size
            growth = f"{each / before:.2f}" if before else "-"
            before = each
            print(
                f"{workload:<9}{size:>7}{ours['seconds']:>10.4f}{each * 1e6:>9.1f}{growth:>8}"
                f"{ours['megabytes']:>7.0f}   {compared(arguments.heat, workload, size, ours['seconds'])}",
                flush=True,
            )
    print("growth: time for each resource, against the size before; 1.00 is linear")
    if not arguments.heat:
        print(
            "Heat is not measured: name the Python of an environment with openstack-heat by --heat or HEAT_PYTHON"
        )


def compared(heat: str | None, workload: str, size: int, ours: float) -> str:
    if not heat or size > 1_000:
        return ""
    theirs = in_process(heat, str(HERE / "heat_language.py"), workload, str(size))["seconds"]
    return f"{theirs:.3f} s, {theirs / ours:.0f} times ours"


if __name__ == "__main__":
    main()
