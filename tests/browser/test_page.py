"""The page in Chromium: it loads, trains to CPython's bits, reads drawings, and shows errors."""

import hashlib
import os
import shutil
import zipfile
from pathlib import Path

import demo_tools
import pytest
import site_files
from browser.page import cpython_run, served

SEVEN = [(0.28, 0.2), (0.5, 0.18), (0.72, 0.2), (0.6, 0.45), (0.45, 0.85)]
BAR = [(0.36, 0.52), (0.7, 0.5)]


@pytest.fixture(params=["isolated", "plain"])
def address(request):
    return request.getfixturevalue(f"{request.param}_address")


def weights(page):
    page.reach("done")
    return page.text("weights-sha")


def expected_weights(seed, epochs, threads=1):
    output = cpython_run("--seed", seed, "--epochs", epochs, threads=threads)
    return demo_tools.printed("sha256", output)


def test_trains_to_the_bits_of_cpython(new_page, address):
    page = new_page().open(address)
    page.train(seed=0, epochs=12)
    assert weights(page) == page.text("expected-sha") == expected_weights(0, 12)
    assert page.text("weights-match") == "Equal to CPython’s, bit for bit"
    assert float(page.text("accuracy").removesuffix("\u00a0%")) >= 97
    assert page.tab.locator("#step").get_attribute("data-step") == "540"
    assert page.problems == []


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_do_not_change_the_bits(new_page, isolated_address, threads):
    page = new_page().open(isolated_address)
    assert page.tab.evaluate("crossOriginIsolated")
    page.train(seed=5, epochs=2, threads=threads)
    assert weights(page) == expected_weights(5, 2)
    assert f"on {threads} thread" in page.text("status")
    assert page.text("expected-note") == "Not recorded for these settings. Run the command below to compare."


def test_without_isolation_it_says_why_there_is_one_thread(new_page, plain_address):
    page = new_page().open(plain_address)
    assert not page.tab.evaluate("crossOriginIsolated")
    assert page.tab.locator("#threads").is_disabled()
    assert page.text("form-note").startswith("One thread: the server did not isolate this page")


def test_the_binary_is_the_one_in_the_wheel(new_page, site, isolated_address):
    page = new_page().open(isolated_address)
    with zipfile.ZipFile(demo_tools.wheel()) as wheel:
        in_wheel = hashlib.sha256(wheel.read("pywasmtorch/pywasmtorch.wasm")).hexdigest()
    assert page.text("binary-sha") == in_wheel
    assert page.text("binary-match") == "Equal to the file that CPython loads"


def test_reads_a_drawing(new_page, isolated_address):
    page = new_page().open(isolated_address)
    page.train(epochs=3)
    page.reach("done")
    page.draw(SEVEN, BAR)
    probabilities = page.probabilities()
    assert sum(probabilities) == pytest.approx(1, abs=1e-5)
    assert max(range(10), key=probabilities.__getitem__) == 7
    assert page.text("verdict").startswith("It reads a 7")
    page.tab.locator("#clear").press("Enter")
    assert page.text("verdict") == "Draw, and it says what it reads."
    assert page.tab.locator("#bars .value").all_text_contents() == ["–"] * 10


def test_a_drawing_is_read_live_while_it_trains(new_page, isolated_address):
    page = new_page().open(isolated_address)
    page.draw(SEVEN, BAR)
    before = page.probabilities()
    assert "It has not been trained yet." in page.text("verdict")
    page.train(epochs=200)
    page.tab.wait_for_function("before => document.querySelector('#bars li').dataset.probability !== String(before)",
                               arg=before[0])
    assert page.state == "training"


def test_shows_a_test_digit_with_its_label(new_page, isolated_address):
    page = new_page().open(isolated_address)
    page.train(epochs=3)
    page.reach("done")
    page.tab.locator("#sample").press("Enter")
    assert sum(page.probabilities()) == pytest.approx(1, abs=1e-5)
    assert "Right." in page.text("verdict") or "Wrong: this is" in page.text("verdict")
    page.tab.locator("#wall").click(position={"x": 5, "y": 5})
    assert "Right." in page.text("verdict") or "Wrong: this is" in page.text("verdict")


def test_pause_resume_and_restart(new_page, isolated_address):
    page = new_page().open(isolated_address)
    page.train(seed=0, epochs=3)
    page.tab.wait_for_function("Number(document.querySelector('#step').dataset.step) > 3")
    page.tab.click("#run")
    assert page.state == "paused" and page.text("run") == "Resume"
    # what was under way when it paused has arrived once the worker has answered a question
    page.draw(SEVEN)
    page.probabilities()
    step = page.tab.locator("#step").get_attribute("data-step")
    page.draw(BAR)
    page.probabilities()
    assert page.tab.locator("#step").get_attribute("data-step") == step
    page.tab.click("#run")
    assert page.state == "training"
    assert weights(page) == expected_weights(0, 3)

    page.train(seed=1)
    page.tab.wait_for_function("Number(document.querySelector('#step').dataset.step) > 3")
    page.tab.fill("#seed", "0")
    page.tab.click("#restart")
    assert weights(page) == expected_weights(0, 3)


def test_refuses_settings_that_make_no_sense(new_page, isolated_address):
    page = new_page().open(isolated_address)
    for id, value in (("epochs", "0"), ("epochs", ""), ("seed", "-1"), ("seed", "1.5")):
        kept = page.tab.input_value(f"#{id}")
        page.tab.fill(f"#{id}", value)
        page.tab.click("#run")
        assert page.state == "ready", f"{id}={value}"
        page.tab.fill(f"#{id}", kept)


@pytest.mark.parametrize("missing", ["wheel", "pyodide/pyodide.asm.wasm", "pyodide/pyodide.mjs", "site.json", "train_digits.py"])
def test_shows_what_is_missing(new_page, site, tmp_path, missing):
    folder = shutil.copytree(site, tmp_path / "site")
    name = demo_tools.wheel().name if missing == "wheel" else missing
    (folder / name).unlink()
    with served(folder) as address:
        page = new_page().open(address, until=("error",))
        assert page.tab.locator("#failure").is_visible()
        assert page.text("failure-title") == "The page could not start"
        assert name in page.text("failure-summary")
        assert page.tab.locator("#run").is_disabled()


def test_shows_an_error_of_the_program_and_goes_on(new_page, site, tmp_path):
    folder = shutil.copytree(site, tmp_path / "site")
    script = folder / site_files.SCRIPT.name
    script.write_text(script.read_text().replace("step += 1", "step += 1\n                assert step != 30, 'thirty is too many'"))
    with served(folder) as address:
        page = new_page().open(address)
        page.train()
        page.reach("error")
        assert page.text("failure-title") == "Training stopped"
        assert page.text("failure-summary") == "AssertionError: thirty is too many"
        assert "train_digits.py" in page.text("failure-detail")
        page.tab.click("#run")
        page.tab.wait_for_function("document.body.dataset.state === 'error' && !document.querySelector('#failure').hidden")


@pytest.mark.parametrize("width", [360, 390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_the_screen(new_page, isolated_address, width, scheme):
    page = new_page(width=width, height=800, color_scheme=scheme).open(isolated_address)
    page.train(epochs=1)
    page.reach("done")
    page.tab.locator("details.source summary").click()
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    assert page.tab.evaluate("document.documentElement.dataset.theme") == scheme


def test_draws_with_a_finger(new_page, isolated_address):
    page = new_page(width=390, height=844, has_touch=True, is_mobile=True).open(isolated_address)
    pad = page.tab.locator("#pad")
    pad.scroll_into_view_if_needed()
    scrolled = page.tab.evaluate("scrollY")
    box = pad.bounding_box()
    touch = page.tab.context.new_cdp_session(page.tab)
    points = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in SEVEN]
    send = lambda kind, at: touch.send("Input.dispatchTouchEvent",  # noqa: E731
                                       {"type": kind, "touchPoints": [{"x": p[0], "y": p[1]} for p in at]})
    send("touchStart", points[:1])
    for point in points[1:]:
        send("touchMove", [point])
    send("touchEnd", [])
    assert sum(page.probabilities()) == pytest.approx(1, abs=1e-5)
    assert page.tab.evaluate("scrollY") == scrolled


def test_names_and_contrast(new_page, isolated_address):
    """Every control has a name, and all text stands out from what is behind it by 4.5 to 1."""
    for scheme in ("light", "dark"):
        page = new_page(color_scheme=scheme).open(isolated_address)
        page.train(epochs=1)
        page.reach("done")
        assert page.tab.evaluate(UNNAMED) == []
        assert page.tab.evaluate(FAINT) == []


UNNAMED = """
[...document.querySelectorAll("button, input, select, canvas, [role=img], progress")].filter((element) =>
  !(element.parentElement.closest("[role=img]") || element.textContent.trim() || element.labels?.length || element.getAttribute("aria-label")
    || element.getAttribute("aria-labelledby"))).map((element) => element.outerHTML)"""

FAINT = """
(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const colour = numbers(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !element.checkVisibility() || element.closest(":disabled, script, noscript")) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`${contrast.toFixed(2)} ${node.textContent.trim().slice(0, 60)}`);
  }
  return found;
})()"""


def test_takes_the_screenshot(new_page, isolated_address, tmp_path):
    """With SCREENSHOT=docs/screenshot.png in the environment it makes the one that the README shows."""
    file = Path(os.environ.get("SCREENSHOT", tmp_path / "screenshot.png"))
    page = new_page(width=1280, height=1215).open(isolated_address)
    page.draw(SEVEN, BAR)
    page.train(seed=0, epochs=12)
    page.reach("done")
    page.tab.evaluate("scrollTo(0, 0)")
    page.tab.mouse.move(0, 0)
    page.tab.screenshot(path=file)
    assert file.read_bytes().startswith(b"\x89PNG")
