"""The profiler's events, schedule and traces; torch.utils.benchmark."""

import json

import pytest

import pywasmtorch as torch
from pywasmtorch.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule, tensorboard_trace_handler
from pywasmtorch.utils import benchmark


def counts(profiler):
    return {average.key: average.count for average in profiler.key_averages()}


def test_operators_and_regions_are_counted():
    x = torch.ones(3, 3)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        with record_function("region"):
            y = x + x
            torch.exp(y)
        x * 2.0
        x @ x
    x + x
    found = counts(profiler)
    assert found["region"] == found["aten::add"] == found["aten::exp"] == found["aten::mul"] == found["aten::matmul"] == 1
    averages = {average.key: average for average in profiler.key_averages()}
    assert averages["region"].cpu_time_total >= averages["aten::add"].cpu_time_total > 0
    assert averages["region"].self_cpu_time_total < averages["region"].cpu_time_total
    table = profiler.key_averages().table(sort_by="cpu_time_total", row_limit=2)
    assert "Self CPU time total" in table and "region" in table


def test_what_each_step_does():
    plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    none, warm, record, save = ProfilerAction
    assert [plan(i) for i in range(11)] == [none, none, warm, record, save, none, warm, record, save, none, none]
    with pytest.raises(AssertionError):
        schedule(wait=1, warmup=1, active=0)


def test_each_cycle_is_handed_over(tmp_path):
    found, write = [], tensorboard_trace_handler(str(tmp_path), "me")

    def ready(profiler):
        found.append((profiler.step_num, counts(profiler)))
        write(profiler)

    x = torch.ones(2)
    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=ready) as profiler:
        for _ in range(10):
            x + x
            profiler.step()
    assert found == [(4, {"aten::add": 2}), (8, {"aten::add": 2})]
    traces = sorted(tmp_path.glob("me.*.pt.trace.json"))
    assert len(traces) == 2
    assert [event["name"] for event in json.loads(traces[0].read_text())["traceEvents"]] == ["aten::add"] * 2


def test_timer():
    measured = benchmark.Timer("x + 1", globals={"x": torch.ones(2)}, label="add").timeit(10)
    assert measured.number_per_run == 10 and measured.mean == measured.median > 0
    assert "add" in repr(measured) and "1 measurement, 10 runs" in repr(measured)
    assert len(benchmark.Timer("1 + 1").blocked_autorange(min_run_time=0.01).times) > 1
    with pytest.raises(NotImplementedError):
        benchmark.Timer().repeat()


def test_operators_have_pytorchs_names_and_their_memory():
    x = torch.ones(20, 20)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        y = torch.mm(x, x)
        with record_function("region"):
            z = y.requires_grad_(True) * 2
        z.sum().backward()
        torch.nn.Linear(2, 2)
        torch.empty(3).uniform_()
    averages = {average.key: average for average in profiler.key_averages()}
    assert {"aten::mm", "aten::mul", "aten::sum", "aten::empty", "aten::uniform_", "region"} <= set(averages)
    assert not any(key.startswith("aten::_") for key in averages)
    assert 1600 <= averages["aten::mm"].self_cpu_memory_usage == averages["aten::mm"].cpu_memory_usage < 4000
    assert averages["region"].cpu_memory_usage >= 1600 and averages["region"].self_cpu_memory_usage == 0
    table = profiler.key_averages().table(sort_by="self_cpu_memory_usage", row_limit=3)
    assert "Self CPU Mem" in table and "aten::mm" in table and " KB" in table
    for key in ("cpu_time", "cuda_time", "cuda_time_total", "cpu_memory_usage", "self_cuda_memory_usage", "count"):
        assert profiler.key_averages().table(sort_by=key)
