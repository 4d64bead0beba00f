"""Page: the demo page in a browser tab; helpers shared by the tests of this folder."""

import functools
from contextlib import contextmanager

import demo_tools
import pytest
import serve
import site_files


def or_skip(find, *arguments, **options):
    """What `find` returns; skips the test with the reason where something is missing."""
    try:
        return find(*arguments, **options)
    except demo_tools.Missing as missing:
        pytest.skip(str(missing))


@contextmanager
def served(folder, isolate=True):
    """The address of a folder while it is served."""
    server, address = serve.start(folder, isolate)
    try:
        yield address
    finally:
        server.shutdown()
        server.server_close()


@functools.cache
def cpython_run(*arguments, threads=1):
    """What the training script prints in CPython; each run is made once."""
    return demo_tools.run_in_cpython(site_files.SCRIPT, *arguments, threads=threads)


class Page:
    """The page in a tab, and what a person does with it."""

    def __init__(self, tab):
        self.tab = tab
        self.problems = []
        tab.on("console", lambda message: message.type == "error" and self.problems.append(message.text))
        tab.on("pageerror", lambda error: self.problems.append(str(error)))

    def open(self, address, until=("ready",)):
        self.tab.goto(address)
        self.reach(*until)
        return self

    def reach(self, *states, seconds=120):
        """Wait until the page is in one of these states, and fail at once where it shows an error instead."""
        wanted = [*states, "error"]
        self.tab.wait_for_function("wanted => wanted.includes(document.body.dataset.state)", arg=wanted,
                                   timeout=1000 * seconds)
        if self.state not in states:
            raise AssertionError(f"the page shows an error: {self.text('failure-summary')}\n{self.text('failure-detail')}")

    @property
    def state(self):
        return self.tab.evaluate("document.body.dataset.state")

    def text(self, id):
        return self.tab.locator(f"#{id}").text_content()

    def train(self, seed=None, epochs=None, threads=None):
        for id, value in (("seed", seed), ("epochs", epochs)):
            if value is not None:
                self.tab.fill(f"#{id}", str(value))
        if threads is not None:
            self.tab.select_option("#threads", str(threads))
        self.tab.click("#run")

    def draw(self, *strokes):
        """Draw strokes, each a list of points from (0, 0) at the top left to (1, 1)."""
        pad = self.tab.locator("#pad")
        pad.scroll_into_view_if_needed()
        box = pad.bounding_box()
        mouse = self.tab.mouse
        for stroke in strokes:
            places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in stroke]
            mouse.move(*places[0])
            mouse.down()
            for place in places[1:]:
                mouse.move(*place, steps=4)
            mouse.up()

    def probabilities(self):
        """The ten probabilities once the network has looked."""
        bars = "[...document.querySelectorAll('#bars li')].map((bar) => bar.dataset.probability)"
        self.tab.wait_for_function(f"{bars}.every((p) => p !== undefined)")
        return [float(p) for p in self.tab.evaluate(bars)]
