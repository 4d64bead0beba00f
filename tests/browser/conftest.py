"""Fixtures: the served page and the browsers."""

import demo_tools
import pytest
import site_files
from browser.page import Page, or_skip, served

# without these Chromium looks for updates and the like when it starts
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")


@pytest.fixture(scope="session")
def site():
    """The folder with the page as it is served."""
    return or_skip(site_files.assemble)


@pytest.fixture(scope="session")
def isolated_address(site):
    with served(site) as address:
        yield address


@pytest.fixture(scope="session")
def plain_address(site):
    with served(site, isolate=False) as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=or_skip(demo_tools.chromium), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium):
    """Opens a tab of its own: new_page(width=390, height=844, has_touch=True, color_scheme="dark", ...)."""
    contexts = []

    def make(width=1280, height=900, **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        return Page(context.new_page())

    yield make
    for context in contexts:
        context.close()
