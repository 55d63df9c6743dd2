"""Fails if modules of a package import each other in a cycle, imports for type checking included.

python scripts/check_cycles.py PACKAGE ...
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import grimp


def main(packages: list[str]) -> int:
    graph = grimp.build_graph("calor", "calor_guest", cache_dir=None)
    failed = False
    for package in packages:
        modules = {package, *graph.find_descendants(package)}
        needs = {
            name: {other for other in graph.find_modules_directly_imported_by(name) if other in modules}
            for name in modules
        }
        found = list(cycles(needs))
        for cycle in found:
            print(f"{package}: {len(cycle)} modules import each other: {', '.join(sorted(cycle))}")
        failed = failed or bool(found)
        if not found:
            print(f"{package}: no cycle in {len(modules)} modules")
    return int(failed)


def cycles(needs: dict[str, set[str]]) -> Iterator[set[str]]:
    """Groups of modules that reach each other: the strongly connected components with more than one module."""
    order: list[str] = []
    seen: set[str] = set()
    for start in sorted(needs):
        _visit(start, needs, seen, order)
    needed_by: dict[str, set[str]] = {name: set() for name in needs}
    for name, others in needs.items():
        for other in others:
            needed_by[other].add(name)
    seen.clear()
    for start in reversed(order):
        component: list[str] = []
        _visit(start, needed_by, seen, component)
        if len(component) > 1:
            yield set(component)


def _visit(start: str, edges: dict[str, set[str]], seen: set[str], order: list[str]) -> None:
    """Adds what can be reached and was not seen to `order`, each after what it leads to."""
    stack = [(start, False)]
    while stack:
        name, left = stack.pop()
        if left:
            order.append(name)
        elif name not in seen:
            seen.add(name)
            stack.append((name, True))
            stack.extend((other, False) for other in sorted(edges[name]) if other not in seen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
