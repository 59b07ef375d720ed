"""Pages in a real browser: opened from a file, without a network, and silent.

README.md beside this says how to use what is here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OLDEST_NODE = 20
PATIENCE = 20_000  # milliseconds for whatever a page is asked, on a machine with much to do
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_LOOK = """
async (tags) => {
  const found = await axe.run(document, {runOnly: {type: "tag", values: tags}});
  return found.violations.flatMap(rule => rule.nodes.map(node =>
    `${rule.id} (${rule.impact}): ${rule.help}: ${node.target.join(" ")}: `
    + node.any.concat(node.all, node.none).map(one => one.message).join("; ")));
}
"""


@dataclass
class Browser:
    """A running Chromium, and a context for each kind of window that was asked for."""

    chromium: Any
    contexts: dict[str, Any] = field(default_factory=dict)

    def context(self, **options: Any) -> Any:
        """Made once: a page of its own is enough, as nothing here keeps anything."""
        key = repr(sorted(options.items()))
        if key not in self.contexts:
            context = self.chromium.new_context(
                reduced_motion="reduce", locale="en-GB", timezone_id="UTC", **options
            )
            context.set_default_timeout(PATIENCE)
            context.route(lambda url: not url.startswith("file:"), lambda route: route.abort())
            self.contexts[key] = context
        return self.contexts[key]


@dataclass
class Opener:
    """Opens pages, and notes what they should not have done."""

    browser: Browser
    folder: Path
    problems: list[str] = field(default_factory=list)
    pages: list[Any] = field(default_factory=list)

    def __call__(
        self,
        page: Path | str | None = None,
        *,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        script: bool = True,
        **more: Any,
    ) -> Any:
        """A playwright Page showing the file `page`, or this HTML; empty where there is none.

        `width` and `height` are CSS pixels; `script=False` is a browser with scripts turned off;
        `more` goes to `browser.new_context`.
        """
        context = self.browser.context(
            color_scheme="dark" if dark else "light", java_script_enabled=script, **more
        )
        opened = context.new_page()
        opened.set_viewport_size({"width": width, "height": height})
        self.pages.append(opened)
        self._listen(opened)
        if page is not None:
            opened.goto(self._file(page).as_uri())
        return opened

    def _file(self, page: Path | str) -> Path:
        if isinstance(page, Path):
            return page.resolve()
        file = self.folder / f"page{len(self.pages)}.html"
        file.write_text(page, encoding="utf-8")
        return file

    def _listen(self, page: Any) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", self._request)
        page.on("dialog", self._dialog)
        page.on("popup", lambda other: self.problems.append(f"window: {other.url[:200]}"))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        scheme = request.url.partition(":")[0]
        if scheme in ("data", "blob", "about"):
            return
        if scheme != "file" or not request.is_navigation_request():
            self.problems.append(f"request: {request.url[:200]}")

    def close(self) -> None:
        for page in self.pages:
            page.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A headless Chromium. One a module: while it runs, no other test could use asyncio."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright comes with `dev`")
    with api.sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, BROWSERS)), None)
        own = playwright.chromium.executable_path
        if found is None and not os.path.exists(own):
            pytest.skip("no Chromium: apt-get install chromium, or playwright install chromium")
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        browser = playwright.chromium.launch(
            executable_path=found or own,
            args=["--no-sandbox"] if root else [],  # its sandbox refuses to serve root
        )
        yield Browser(browser)
        browser.close()


@pytest.fixture
def open_page(chromium: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens pages. At the end none may have asked for anything, complained or failed."""
    opener = Opener(chromium, tmp_path)
    yield opener
    opener.close()
    assert opener.problems == []


@pytest.fixture
def page(open_page: Opener) -> Any:
    """An empty playwright Page; `page.goto(path.as_uri())` opens a file in it."""
    return open_page()


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """What package-lock.json names, installed beside it, once."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm, with which axe-core and html-validate are installed")
    lock = (HERE / "package-lock.json").read_bytes()
    wanted = hashlib.sha256(lock).hexdigest()
    mark = MODULES / ".installed"
    with FileLock(HERE / "node_modules.lock"):  # tests run in several processes
        if not mark.is_file() or mark.read_text(encoding="utf-8") != wanted:
            command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=300)
            if done.returncode != 0:
                pytest.skip(f"npm ci failed: {done.stderr.strip()[-300:]}")
            mark.write_text(wanted, encoding="utf-8")
    return MODULES


@pytest.fixture(scope="session")
def axe(node_modules: Path) -> Callable[[Any], list[str]]:
    """`axe(page)`: what axe-core finds wrong with it, a line each, nothing where all is well."""
    source = (node_modules / "axe-core" / "axe.min.js").read_text(encoding="utf-8")

    def look(page: Any) -> list[str]:
        page.evaluate(source)
        found: list[str] = page.evaluate(_LOOK, RULES)
        return found

    return look


@pytest.fixture(scope="session")
def validate_html(node_modules: Path) -> Callable[[str], list[str]]:
    """`validate_html(text)`: what html-validate finds wrong, a line each."""
    node = shutil.which("node")
    said = subprocess.run([str(node), "--version"], capture_output=True, text=True).stdout
    if not said.startswith("v") or int(said[1:].partition(".")[0]) < OLDEST_NODE:
        pytest.skip(f"html-validate needs Node {OLDEST_NODE}; this is {said.strip() or 'none'}")
    program = node_modules / "html-validate" / "bin" / "html-validate.mjs"
    config = HERE / "htmlvalidate.json"

    def validate(text: str) -> list[str]:
        command = [str(node), str(program), "--config", str(config), "--formatter", "json"]
        done = subprocess.run(
            [*command, "--stdin"], input=text.encode(), capture_output=True, timeout=120
        )
        try:
            files = json.loads(done.stdout)
        except json.JSONDecodeError:
            raise AssertionError(f"html-validate failed: {done.stderr.decode()[-500:]}") from None
        return [
            f"{one['line']}:{one['column']} {one['ruleId']}: {one['message']}"
            for file in files
            for one in file["messages"]
        ]

    return validate
