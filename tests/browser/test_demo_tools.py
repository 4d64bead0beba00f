"""demo_tools finds Node and browsers, or says how to install them."""

import demo
import demo_tools
import pytest

FINDERS = [("node", "NODE", "nodejs"), ("chromium", "CHROMIUM", "chromium"), ("firefox", "FIREFOX", "firefox-esr")]


@pytest.fixture
def bare_machine(monkeypatch):
    """A machine with no programs on its path."""
    monkeypatch.setenv("PATH", "")
    for _, variable, _ in FINDERS:
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("finder, variable, package", FINDERS)
def test_missing_programs_are_named(bare_machine, monkeypatch, finder, variable, package):
    with pytest.raises(demo_tools.Missing, match=f"is not installed: .*apt-get install {package}.*or set {variable} to where"):
        getattr(demo_tools, finder)()
    monkeypatch.setenv(variable, "elsewhere/program")
    assert getattr(demo_tools, finder)() == "elsewhere/program"


def test_missing_npm_packages_are_named(bare_machine):
    with pytest.raises(demo_tools.Missing, match=r"npm is not installed: .*apt-get install nodejs npm"):
        demo_tools.npm_package("a-package-that-is-not-there")


def test_demo_says_that_node_is_missing(bare_machine, monkeypatch, capfd):
    monkeypatch.setattr(demo.sys, "argv", ["demo.py", "--epochs", "1"])
    assert demo.main() == 0
    assert "not run: node is not installed" in capfd.readouterr().out


def test_demo_ends_with_the_program_that_failed(monkeypatch):
    monkeypatch.setattr(demo.sys, "argv", ["demo.py", "--epochs", "none"])
    with pytest.raises(SystemExit) as end:
        demo.main()
    assert end.value.code == 2


def test_output_without_the_line_is_an_error():
    assert demo_tools.printed("sha256", "test accuracy 98 %\nsha256 abc\n") == "abc"
    with pytest.raises(RuntimeError, match="did not print a line with 'sha256'"):
        demo_tools.printed("sha256", "Traceback")
