"""The site builds without a warning, from what is in force, and asks nothing of the network."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import click
import msgspec
import pytest
from page_runner import DOCS, ROOT

from grader.assignment import Exercise, Limits, _Toml
from grader.cli import COMMANDS
from grader.misconceptions.catalogue import general, load_catalogue

pytest.importorskip("mkdocs", reason="the pages need the extra `docs`")


class Page(HTMLParser):
    """A page's text, the headings' anchors, and what the browser would fetch for it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.text = ""
        self.anchors: set[str] = set()
        self.fetched: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.anchors.add(str(found["id"]))
        if tag in ("script", "img", "iframe", "source", "video"):
            self.fetched.append(found.get("src") or "")
        if tag == "link":
            self.fetched.append(found.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return out


def test_every_command_and_option_is_there(site: Path) -> None:
    page = Page(site / "reference" / "commands.html")
    assert {f"grade-{name}" for name in COMMANDS} <= page.anchors
    for name in COMMANDS:
        command = importlib.import_module(f"grader.cli.{name}").command
        options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
        for option in options:
            assert option.opts[-1] in page.text, f"{name} {option.opts}"


def test_every_named_mistake_is_there(site: Path) -> None:
    page = Page(site / "reference" / "misconceptions.html")
    slugs = set(general())
    for own in (ROOT / "assignments").glob("*/misconceptions.toml"):
        slugs |= set(load_catalogue(own))
    assert len(slugs) > 80
    assert slugs <= page.anchors
    assert all(entry.title in page.text for entry in general().values())


def test_the_report_and_what_checks_may_use_are_there(site: Path) -> None:
    assert {"report", "findingentry"} <= Page(site / "reference" / "report.html").anchors
    page = Page(site / "reference" / "checks.html")
    public = ast.parse((ROOT / "grader" / "__init__.py").read_text(encoding="utf-8"))
    (names,) = (
        ast.literal_eval(node.value)
        for node in public.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    assert {name.lower() for name in names} | {"student", "oracle", "kept"} <= page.anchors


def test_security_is_the_projects_own_page(site: Path) -> None:
    told = Page(site / "security.html").text
    assert "What no level stops" in told
    assert "SECURITY.md" not in told


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 12
    for file in pages:
        far = [url for url in Page(file).fetched if re.match(r"(https?:)?//", url)]
        assert far == [], file.name
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//", style.read_text(encoding="utf-8"))
    # The script that makes pages is no page.
    assert not list(site.rglob("*.py"))


def test_keys_of_an_assignment_are_all_described() -> None:
    told = (DOCS / "assignments.md").read_text(encoding="utf-8")
    keys = {
        field.encode_name
        for struct in (_Toml, Exercise, Limits)
        for field in msgspec.structs.fields(struct)
    } - {"limits", "tolerances", "graph", "exercise"}
    assert [key for key in sorted(keys) if f"`{key}`" not in told] == []
    for table in ("[limits]", "[tolerances]", "[graph]", "[[exercise]]"):
        assert f"`{table}`" in told
    (kinds,) = re.findall(r"Kind = Literal\[(.*?)\]", _source("grader/assignment.py"), re.DOTALL)
    assert [kind for kind in re.findall(r'"(\w+)"', kinds) if f"| `{kind}` |" not in told] == []


def test_no_page_gives_a_solution_away() -> None:
    answers = [
        ast.unparse(ast.Module(function.body, []))
        for reference in (ROOT / "solutions").glob("*/reference.py")
        for function in ast.parse(reference.read_text(encoding="utf-8")).body
        if isinstance(function, ast.FunctionDef)
    ]
    assert len(answers) > 15
    for page in [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        dense = re.sub(r"\s", "", page.read_text(encoding="utf-8"))
        given = [answer for answer in answers if re.sub(r"\s", "", answer) in dense]
        assert given == [], page.name


def test_commands_and_options_that_are_named_exist() -> None:
    found = 0
    for page in [*DOCS.glob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))]:
        for line in re.findall(r"`(?:\$ )?grade ([^`\n]+)`|^\$ grade (.+)$", _read(page), re.M):
            words = (line[0] or line[1]).split()
            if not re.fullmatch("[a-z]+", words[0]):
                continue
            assert words[0] in COMMANDS, f"{page.name}: grade {words[0]}"
            command = importlib.import_module(f"grader.cli.{words[0]}").command
            known = {"--help", *(option for p in command.params for option in p.opts)}
            named = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
            assert named <= known, f"{page.name}: {line}"
            found += len(named)
    assert found > 20


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_from_the_root_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", _source(name)):
        assert (ROOT / target).exists(), target


def _source(path: str) -> str:
    return _read(ROOT / path)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
