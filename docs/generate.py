"""Makes the pages under reference/ while the site is built: a hook of MkDocs.

Each page is drawn from what the program itself uses: the commands from click, the report from its
JSON Schema, mistakes from the catalogues, checks from the functions' own docstrings. So none of
them can be out of date, and nothing here has to be committed.
"""

from __future__ import annotations

import ast
import html
import importlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from grader.assignment import load_assignment
from grader.cli import COMMANDS
from grader.cli.explain import GROUP_TITLES
from grader.misconceptions.catalogue import GROUPS, Misconception, general, load_catalogue

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 88

COMMANDS_INTRO = """
`grade` without a command, in a folder that holds an exercise, is `grade check`.
`python -m grader` is the same as `grade`.
"""
REPORT_INTRO = """
`grade check --json FILE` and `grade batch` write one document a submission: what the plugin
pytest-json-report writes, and the key `grade`. The same submission, assignment and seed give the
same document, times aside. Numbers that JSON has no sign for are the strings `"nan"`, `"inf"` and
`"-inf"`. The schema is `grader/report/report.schema.json`.
"""
MISTAKES_INTRO = """
What the grader says of each, and an example in another program. `grade explain SLUG` shows the
same; with `--hints` also the ladder of hints. Nothing is named unless the student's own numbers
show it.
"""
CHECKS_INTRO = """
A check is a function of pytest in `checks/test_*.py`. `pytest.mark.exercise(NAME)` and
`pytest.mark.points(N)` say what it is for; its docstring is the title that students see, and below
it stands the sentence of the stub or the handout that demands it.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those that lie under docs/."""
    for name, page in PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content=page()))
    return files


def commands() -> str:
    """Every command with its whole `--help`."""
    parts = [
        "# Commands",
        COMMANDS_INTRO.strip(),
    ]
    parts.append("| command | what for |\n|---|---|")
    parts[-1] += "".join(f"\n| [{name}](#grade-{name}) | {why} |" for name, why in COMMANDS.items())
    for name in COMMANDS:
        command: click.Command = importlib.import_module(f"grader.cli.{name}").command
        context = click.Context(
            command,
            info_name=f"grade {name}",
            max_content_width=WIDTH,
            terminal_width=WIDTH,
            help_option_names=["-h", "--help"],
        )
        parts += [f"## grade {name}", f"```text\n{command.get_help(context)}\n```"]
    return "\n\n".join(parts) + "\n"


def report() -> str:
    """The JSON report, object by object."""
    schema = json.loads(_text("grader/report/report.schema.json"))
    parts = [
        "# The JSON report",
        REPORT_INTRO.strip(),
        "## The document",
        _keys(schema),
    ]
    for name, definition in schema["$defs"].items():
        parts += [f"## {name}", _paragraphs(definition.get("description", "")), _keys(definition)]
    return "\n\n".join(part for part in parts if part) + "\n"


def misconceptions() -> str:
    """All mistakes that have a name: the general ones, and each assignment's own."""
    parts = [
        "# Named mistakes",
        MISTAKES_INTRO.strip(),
        "## In any assignment",
        *_entries(general()),
    ]
    for folder in _assignments():
        own = folder / "misconceptions.toml"
        if own.is_file():
            parts += [f"## {load_assignment(folder).title}", *_entries(load_catalogue(own))]
    return "\n\n".join(parts) + "\n"


def checks() -> str:
    """What a check may ask for and assert, from the docstrings."""
    parts = [
        "# Checks and fixtures",
        CHECKS_INTRO.strip(),
        "## Fixtures",
        *_functions("grader/checking/collection.py", fixtures=True),
        "## draw",
        *_functions("grader/checking/draw.py", of="Draw"),
        "## What checks import from `grader`",
        *(entry for name, home in sorted(_public()) for entry in _named(home, name)),
    ]
    return "\n\n".join(parts) + "\n"


PAGES = {
    "commands": commands,
    "report": report,
    "misconceptions": misconceptions,
    "checks": checks,
}


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _assignments() -> list[Path]:
    return sorted(toml.parent for toml in (ROOT / "assignments").glob("*/assignment.toml"))


def _entries(entries: Mapping[str, Misconception]) -> Iterator[str]:
    for group in GROUPS:
        members = [entry for entry in entries.values() if entry.group == group]
        if members:
            yield f"### {GROUP_TITLES[group]}"
        for entry in members:
            yield f"#### {entry.slug}"
            yield f"**{_prose(entry.title)}.** {_prose(entry.explanation)}"
            yield f"*Noticed by:* {_prose(entry.evidence)}"
            yield f"```python\n{entry.example.rstrip()}\n```"


def _prose(text: str) -> str:
    """Text as Markdown that shows it as it is; what stands in backquotes stays code."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_\[\]<>|#])", r"\\\1", part)
        for part in parts
    )


def _paragraphs(docstring: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in docstring.split("\n\n"))


def _keys(definition: dict[str, Any]) -> str:
    """A table of an object's keys."""
    required = definition.get("required", ())
    rows = ["| key | type | |", "|---|---|---|"]
    for name, what in definition["properties"].items():
        rows.append(f"| `{name}` | {_type(what)} | {'' if name in required else 'optional'} |")
    return "\n".join(rows)


def _type(what: dict[str, Any]) -> str:
    if "$ref" in what:
        name = what["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in what:
        return " or ".join(_type(one) for one in what["anyOf"])
    if "enum" in what:
        return " or ".join(f"`{json.dumps(value)}`" for value in what["enum"])
    if "const" in what:
        return f"`{json.dumps(what['const'])}`"
    if what.get("type") == "array":
        return f"list of {_type(what.get('items', {}))}"
    kind = str(what.get("type", "anything"))
    if "minimum" in what:
        kind += f", at least {what['minimum']}"
    if "maximum" in what:
        kind += f", at most {what['maximum']}"
    return kind


def _public() -> Iterator[tuple[str, str]]:
    """(name, module) of what `grader` offers, from its own lazy imports."""
    for node in ast.walk(ast.parse(_text("grader/__init__.py"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("grader."):
            yield from ((alias.name, node.module or "") for alias in node.names)


def _named(module: str, name: str) -> Iterator[str]:
    """The entry of one public function or class."""
    tree = ast.parse(_text(module.replace(".", "/") + ".py"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            yield from _entry(node)


def _functions(path: str, *, of: str = "", fixtures: bool = False) -> Iterator[str]:
    """The entries of a class's methods, or of the fixtures in a file."""
    for owner in ast.parse(_text(path)).body:
        if isinstance(owner, ast.ClassDef) and of in ("", owner.name):
            for node in owner.body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    marked = any("fixture" in ast.unparse(mark) for mark in node.decorator_list)
                    if marked == fixtures:
                        yield from _entry(node, bare=fixtures)


def _entry(node: ast.FunctionDef | ast.ClassDef, *, bare: bool = False) -> Iterator[str]:
    docstring = ast.get_docstring(node)
    if not docstring:
        return
    yield f"### {node.name}"
    if isinstance(node, ast.FunctionDef) and not bare:
        arguments = re.sub(r"^self(, )?", "", ast.unparse(node.args))
        yield f"```python\n{node.name}({arguments})\n```"
    yield "\n\n".join(
        html.escape(" ".join(part.split()), quote=False) for part in docstring.split("\n\n")
    )
