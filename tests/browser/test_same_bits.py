"""One program, the same bits: wasmtime, both of V8's compilers and Firefox, on one, two and three threads."""

import json

import demo_tools
import pytest
import site_files
from browser.page import cpython_run, or_skip

EPOCHS = ("--epochs", 3)
COMPILERS = {"optimizing": (), "baseline": ("--liftoff-only",)}


def sha256(output):
    return demo_tools.printed("sha256", output)


def test_learns_to_read():
    output = cpython_run("--seed", 0, "--epochs", 12)
    assert float(demo_tools.printed("test accuracy", output).split()[0]) >= 97


@pytest.mark.parametrize("threads", [2, 3])
def test_wasmtime(threads):
    assert sha256(cpython_run(*EPOCHS, threads=threads)) == sha256(cpython_run(*EPOCHS, threads=1))


def test_another_seed_gives_other_bits():
    assert sha256(cpython_run(*EPOCHS, "--seed", 1)) != sha256(cpython_run(*EPOCHS))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_node(compiler, threads):
    output = or_skip(demo_tools.run_in_node, site_files.SCRIPT, *EPOCHS, threads=threads, node_options=COMPILERS[compiler])
    assert sha256(output) == sha256(cpython_run(*EPOCHS))


def test_node_without_shared_memory():
    output = or_skip(demo_tools.run_in_node, site_files.SCRIPT, *EPOCHS, options=("--plain",))
    assert sha256(output) == sha256(cpython_run(*EPOCHS))


@pytest.mark.parametrize("isolation", ["isolated", "plain"])
def test_firefox(request, isolation):
    node, firefox = or_skip(demo_tools.node), or_skip(demo_tools.firefox)
    or_skip(demo_tools.npm_package, "puppeteer-core")
    address = request.getfixturevalue(f"{isolation}_address")
    script = demo_tools.ROOT / "tests" / "browser" / "firefox.mjs"
    found = json.loads(demo_tools.run([node, str(script), firefox, f"{address}?epochs={EPOCHS[1]}"]))
    assert found["failure"] == "" and found["problems"] == []
    assert found["isolated"] == (isolation == "isolated")
    assert found["weights"] == sha256(cpython_run(*EPOCHS))
    assert found["binary"] == site_files.binary_sha256(demo_tools.wheel())
