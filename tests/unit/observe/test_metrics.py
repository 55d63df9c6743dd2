"""Metrics and their text format."""

from __future__ import annotations

import socket
import urllib.request
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from calor.observe.exposing import MetricsSocket
from calor.observe.metrics import Counter, Gauge, Histogram, merge


def _samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def _one(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


class TestFamilies:
    def test_a_counter_counts_each_series_by_itself(self) -> None:
        counter = Counter("things_total", "Things.", ("colour",))
        counter.add("red")
        counter.add("red", by=2)
        counter.add("blue")

        assert _samples(counter.text("engine")) == {
            _one("things_total", colour="red", process="engine"): 3,
            _one("things_total", colour="blue", process="engine"): 1,
        }

    def test_a_histogram_counts_up_to_each_bound(self) -> None:
        histogram = Histogram("seconds", "Time.", ("kind",), bounds=(0.1, 1.0))
        for value in (0.05, 0.1, 0.5, 3.0):
            histogram.observe(value, "a")

        assert _samples(histogram.text("")) == {
            _one("seconds_bucket", kind="a", le="0.1"): 2,
            _one("seconds_bucket", kind="a", le="1"): 3,
            _one("seconds_bucket", kind="a", le="+Inf"): 4,
            _one("seconds_sum", kind="a"): 3.65,
            _one("seconds_count", kind="a"): 4,
        }

    def test_a_gauge_reads_live_owners(self) -> None:
        class Owner:
            pass

        gauge = Gauge("waiting", "What waits.")
        here, gone = Owner(), Owner()
        gauge.track(here, lambda _: 2)
        gauge.track(gone, lambda _: 40)
        del gone

        assert _samples(gauge.text("")) == {_one("waiting"): 2}

    def test_labels_may_hold_anything(self) -> None:
        counter = Counter("things_total", "Things.", ("title",))
        counter.add('a "quoted"\\path\nof two lines')

        assert list(_samples(counter.text(""))) == [
            _one("things_total", title='a "quoted"\\path\nof two lines')
        ]


def test_texts_of_several_processes_are_one_with_each_metric_together() -> None:
    texts = []
    for process in ("api", "engine"):
        things, others = Counter("things_total", "Things."), Counter("others_total", "Others.")
        things.add()
        texts.append(things.text(process) + others.text(process))

    text = merge(texts)

    assert text.count("# TYPE things_total") == 1
    assert len(list(text_string_to_metric_families(text))) == 2
    assert _samples(text)[_one("things_total", process="engine")] == 1


class TestProcesses:
    def test_each_serves_the_metrics_of_all(self, tmp_path: Path) -> None:
        engine, api = MetricsSocket(tmp_path, "engine"), MetricsSocket(tmp_path, "api")

        for one in (engine, api):
            found = _samples(one.all())
            assert found[_one("process_open_fds", process="engine")] > 0
            assert found[_one("process_resident_memory_bytes", process="api")] > 0

        engine.close()
        api.close()

    def test_have_unique_names_and_reuse_those_of_dead_processes(self, tmp_path: Path) -> None:
        first, second = MetricsSocket(tmp_path, "engine"), MetricsSocket(tmp_path, "engine")
        assert (first.name, second.name) == ("engine", "engine-2")

        first.close()
        third = MetricsSocket(tmp_path, "engine")
        assert third.name == "engine"

        second.close()
        third.close()

    def test_may_share_a_folder_of_any_depth(self, tmp_path: Path) -> None:
        folder = tmp_path / ("deep" * 20) / ("er" * 40)
        engine, api = MetricsSocket(folder, "engine"), MetricsSocket(folder, "api")

        assert 'process="engine"' in api.all()

        engine.close()
        api.close()

    def test_that_are_gone_are_left_out(self, tmp_path: Path) -> None:
        engine, api = MetricsSocket(tmp_path, "engine"), MetricsSocket(tmp_path, "api")
        engine.close()

        assert 'process="engine"' not in api.all()

        api.close()

    def test_one_answers_for_all_at_an_address_if_there_is_one(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = free.getsockname()
        first, second = MetricsSocket(tmp_path, "engine", address), MetricsSocket(tmp_path, "engine", address)

        with urllib.request.urlopen(f"http://127.0.0.1:{address[1]}/metrics") as answer:
            found = _samples(answer.read().decode())

        assert _one("process_open_fds", process="engine") in found
        assert _one("process_open_fds", process="engine-2") in found
        first.close()
        second.close()
