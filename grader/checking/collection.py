"""pytest collects the checks once; their items are run as often as there are submissions.

pytest runs under a configuration of the grader's own: no plugin but ours and the JSON report's,
no configuration file and no conftest of the folder it happens to stand in.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import torch
from _pytest.runner import runtestprotocol
from pytest_jsonreport.plugin import Hooks

from grader.assignment import Assignment
from grader.checking.draw import Draw
from grader.checking.light import lighten_gradients
from grader.checking.oracle import load_module
from grader.checking.recalling import Recalling
from grader.checking.remembering import Remembering
from grader.errors import AssignmentError
from grader.student.proxy import Student

VISIBLE, HIDDEN = "visible", "hidden"
ARGUMENTS = [
    "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:doctest", "-p", "no:junitxml",
    "-p", "no:pastebin", "-p", "no:faulthandler", "-p", "no:logging", "-p", "no:stepwise",
    "-p", "no:unittest", "-p", "no:setuponly", "-p", "no:setupplan", "-p", "no:warnings",
    "-p", "no:tmpdir", "-p", "no:recwarn", "-p", "no:monkeypatch", "-p", "no:legacypath",
    "-p", "no:capture",
    "-p", "pytest_jsonreport.plugin", "--json-report-file=none",
    "--noconftest", "--import-mode=importlib", "--strict-markers",
]  # fmt: skip


class Check:
    """One collected item, by what its author said of it."""

    def __init__(self, item: pytest.Item, visibility: str) -> None:
        self.item = item
        # What pytest writes of a failure nobody reads, and it takes longer than the check.
        for name in ("repr_failure", "_repr_failure_py"):
            setattr(item, name, _no_account)
        self.visibility = visibility
        self.exercise = _mark(item, "exercise")
        self.points = float(_mark(item, "points"))
        document = (getattr(item, "obj", None) and item.obj.__doc__) or ""  # type: ignore[attr-defined]
        self.title = document.strip().splitlines()[0] if document.strip() else item.name
        self.demands = _demands(document)
        folder = "checks" if visibility == VISIBLE else "hidden"
        self.id = f"{folder}/{item.path.name}::{item.name}"

    def run(self) -> list[pytest.TestReport]:
        """Run the item once more, with fresh fixtures."""
        self.item._initrequest()  # type: ignore[attr-defined]
        return runtestprotocol(self.item, log=False, nextitem=None)


class Bench:
    """What the fixtures hand out: the submission, the oracle and the seed of the moment."""

    def __init__(self, assignment: Assignment) -> None:
        lighten_gradients()
        self.assignment = assignment
        self.oracle = load_module(assignment.oracle, "grader_oracle")
        self.remembered = Remembering(self.oracle)
        self.recalling = Recalling()
        self.student: Student | None = None
        self.seed = assignment.seed
        self.kept: dict[tuple[Any, ...], tuple[Any, torch.Tensor]] = {}


def with_checks(
    assignment: Assignment,
    body: Callable[[list[Check], Bench, pytest.Config], None],
    *,
    debug: bool = False,
) -> None:
    """Collect the assignment's checks and call `body` with them.

    Raises AssignmentError for checks that cannot be collected or whose points do not add up, and
    whatever `body` raises.
    """
    plugin = _Plugin(assignment, body)
    arguments = [*ARGUMENTS, f"--rootdir={assignment.path}", "-c", os.devnull]
    if debug:
        arguments.append("--pdb")
    before = (
        os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"),
        os.environ.pop("PYTEST_ADDOPTS", None),
    )
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        pytest.main([*arguments, *map(str, plugin.folders)], plugins=[plugin])
    finally:
        for name, value in zip(
            ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_ADDOPTS"), before, strict=True
        ):
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        _forget(plugin.folders, plugin.modules)
    if plugin.error is not None:
        raise plugin.error
    if not plugin.ran:
        raise AssignmentError(assignment.checks, "", "the checks could not be collected")


def _forget(folders: list[Path], before: set[str]) -> None:
    """Drop the checks' modules: pytest would take them for another assignment's of like names."""
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and any(Path(file).is_relative_to(folder) for folder in folders):
            del sys.modules[name]


class _Plugin:
    def __init__(
        self,
        assignment: Assignment,
        body: Callable[[list[Check], Bench, pytest.Config], None],
    ) -> None:
        self.assignment = assignment
        self.folders = [assignment.checks]
        if assignment.hidden_checks is not None:
            self.folders.append(assignment.hidden_checks)
        self.modules = set(sys.modules)
        self.bench = Bench(assignment)
        self.body = body
        self.error: BaseException | None = None
        self.ran = False

    def pytest_addhooks(self, pluginmanager: pytest.PytestPluginManager) -> None:
        pluginmanager.add_hookspecs(Hooks)

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "exercise(name): the exercise that the check judges")
        config.addinivalue_line("markers", "points(n): what the check is worth")
        support = self.assignment.checks / "conftest.py"
        if support.is_file():
            # By hand, for --noconftest: hidden checks share the public ones' fixtures.
            config.pluginmanager.register(load_module(support, "grader_checks_support"))

    def pytest_report_teststatus(
        self, report: pytest.TestReport | pytest.CollectReport
    ) -> tuple[str, str, str]:
        return report.outcome, report.outcome[0], report.outcome.upper()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and self.error is None:
            text = str(report.longrepr).strip().splitlines()
            why = text[-1] if text else "cannot be collected"
            self.error = AssignmentError(report.nodeid or self.assignment.checks, "", why)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.ran = True
        # Now and not at the end: another session may begin within this one.
        _forget(self.folders, self.modules)
        if self.error is not None:
            return True
        try:
            checks = [Check(item, self._visibility(item.path)) for item in session.items]
            _check_points(self.assignment, checks)
            order = [exercise.name for exercise in self.assignment.exercises]
            checks.sort(key=lambda check: (order.index(check.exercise), check.visibility == HIDDEN))
            self.body(checks, self.bench, session.config)
        except BaseException as error:
            self.error = error
        return True

    @pytest.fixture
    def kept(
        self, request: pytest.FixtureRequest, draw: Draw
    ) -> Callable[[tuple[Any, ...], Callable[[], Any]], Any]:
        """`kept(key, make)`: what `make()` gave the first time, kept for the next submissions.

        For what depends on `draw` and the oracle alone, is costly, and is not changed by anyone.
        """
        return _keeper(self.bench, f"{request.node.path}::{request.node.name}", draw)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        report = yield
        # The exception itself: a report keeps only its text.
        report.grader_error = None if call.excinfo is None else call.excinfo.value
        report.longrepr = None
        return report

    def _visibility(self, path: Path) -> str:
        return VISIBLE if path.is_relative_to(self.assignment.checks) else HIDDEN

    @pytest.fixture
    def student(self) -> Student:
        """The submission under judgement: `student.name(...)`, `student.observe.name(...)`."""
        assert self.bench.student is not None
        return self.bench.student

    @pytest.fixture
    def oracle(self) -> Any:
        """The model answer's functions, or the library's."""
        return self.bench.oracle

    @pytest.fixture
    def draw(self, request: pytest.FixtureRequest) -> Draw:
        """Inputs seeded by (seed, check)."""
        return Draw(self.bench.seed, f"{request.node.path.name}::{request.node.name}")


def _keeper(
    bench: Bench, check: str, draw: Draw
) -> Callable[[tuple[Any, ...], Callable[[], Any]], Any]:
    def kept(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        place = (bench.seed, check, *key)
        if place not in bench.kept:
            value = make()
            bench.kept[place] = value, draw.generator.get_state()
        value, state = bench.kept[place]
        # As if it had been made just now: what is drawn next must not depend on that.
        draw.generator.set_state(state)
        return value

    return kept


def _no_account(excinfo: Any, style: Any = None) -> str:
    return ""


def _mark(item: pytest.Item, name: str) -> Any:
    mark = item.get_closest_marker(name)
    if mark is None or len(mark.args) != 1:
        raise AssignmentError(item.path, item.name, f"has no {name}(...) mark")
    return mark.args[0]


def _demands(document: str) -> str:
    """The sentence of the stub or handout that asks for this: what follows the title."""
    rest = document.strip().partition("\n")[2]
    return " ".join(rest.split()).strip().strip("'\"")


def _check_points(assignment: Assignment, checks: list[Check]) -> None:
    toml = assignment.path / "assignment.toml"
    if not checks:
        raise AssignmentError(assignment.checks, "", "holds no check")
    for check in checks:
        if all(check.exercise != exercise.name for exercise in assignment.exercises):
            raise AssignmentError(
                check.item.path, check.item.name, f"{check.exercise} is no exercise"
            )
    for exercise in assignment.exercises:
        found = sum(check.points for check in checks if check.exercise == exercise.name)
        complete = assignment.hidden_checks is not None
        if (complete and found != exercise.points) or found > exercise.points:
            why = f"is {exercise.points:g}, but the checks of {exercise.name} add up to {found:g}"
            raise AssignmentError(toml, f"exercise {exercise.name}: points", why)
