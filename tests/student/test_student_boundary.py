"""The trust boundary: what a worker has of ours, and what the trusted side never does."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from student_workers import ROOT, running

from grader.student.zygote import Zygote

ENGINE = ROOT / "grader"
WORKER = ENGINE / "student" / "worker"
TRUSTED = sorted(path for path in ENGINE.rglob("*.py") if WORKER not in path.parents)
UNTRUSTED = sorted(WORKER.glob("*.py"))

RUNS_CODE = {"eval", "exec", "compile", "__import__", "execfile", "breakpoint"}
READS_CODE = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "runpy",
              "code", "codeop", "imp", "pkgutil", "zipimport"}  # fmt: skip
IMPORTS_FILES = {"importlib.import_module", "importlib.reload", "exec_module", "load_module",
                 "module_from_spec", "spec_from_file_location", "SourceFileLoader", "run_path",
                 "run_module", "torch.load", "torch.jit.load", "torch.hub.load", "numpy.load",
                 "np.load"}  # fmt: skip

# Each runs what an author or this project wrote, never what a student handed in.
ALLOWED = {
    ("__init__.py", "importlib.import_module"),  # its own names, by a fixed table
    ("authoring/mutants.py", "compile"),  # checks that a mutant parses; never run here
    ("checking/oracle.py", "exec_module"),  # library pieces and the model answer
    ("checking/oracle.py", "module_from_spec"),
    ("checking/oracle.py", "spec_from_file_location"),
    ("checking/collection.py", "load_module"),  # those, by oracle.py's function
    ("grading.py", "load_module"),
    ("authoring/audit_process.py", "load_module"),
    ("cli/__init__.py", "importlib.import_module"),  # commands, by a fixed table
    ("cli/release.py", "importlib.import_module"),  # hosts, by a fixed table
    ("report/exporters/__init__.py", "importlib.import_module"),  # formats, by a fixed table
}
# The one module of the trusted side that loads a submission where it is: for its own author.
IN_PROCESS = "student/in_process.py"
NOTEBOOK = "notebook/live.py"  # a student's own kernel: his code is there already


def suspicious(tree: ast.AST) -> Iterator[str]:
    """What runs or unpickles something, by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            last = name.rpartition(".")[2]
            if name in RUNS_CODE or name in IMPORTS_FILES or last in IMPORTS_FILES:
                yield name if name in IMPORTS_FILES else last
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _top(alias.name) in READS_CODE)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            if _top(node.module or "") in READS_CODE:
                yield node.module or ""
            yield from (
                f"{node.module}.{alias.name}"
                for alias in node.names
                if f"{node.module}.{alias.name}" in IMPORTS_FILES or alias.name in RUNS_CODE
            )


def _top(name: str) -> str:
    return name.partition(".")[0]


def imported(tree: ast.AST) -> Iterator[str]:
    """Absolute names of modules; a relative one begins with as many dots as it has."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@pytest.mark.parametrize("path", TRUSTED, ids=lambda path: path.relative_to(ENGINE).as_posix())
def test_the_trusted_side_runs_nothing_of_a_students(path: Path) -> None:
    name = path.relative_to(ENGINE).as_posix()
    found = {(name, thing) for thing in suspicious(parsed(path))}
    assert found <= ALLOWED


def test_every_exception_to_that_is_still_needed() -> None:
    found = {
        (path.relative_to(ENGINE).as_posix(), thing)
        for path in TRUSTED
        for thing in suspicious(parsed(path))
    }
    assert found >= ALLOWED


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("eval(x)", "eval"),
        ("import pickle", "pickle"),
        ("from marshal import loads", "marshal"),
        ("torch.load(f)", "torch.load"),
        ("from torch import load", "torch.load"),
        ("from builtins import exec", "builtins.exec"),
        ("import runpy", "runpy"),
        ("importlib.import_module(x)", "importlib.import_module"),
        ("spec.loader.exec_module(m)", "exec_module"),
    ],
)
def test_the_scan_finds(code: str, name: str) -> None:
    assert list(suspicious(ast.parse(code))) == [name]


def test_only_the_in_process_backend_loads_a_submission_here() -> None:
    loaders = {
        path.relative_to(ENGINE).as_posix()
        for path in TRUSTED
        for name in imported(parsed(path))
        if name.startswith("grader.student.worker.") and name.split(".")[-1] in ("loading", "calls")
    }
    assert loaders == {IN_PROCESS, NOTEBOOK}


def test_only_a_kernel_imports_the_notebooks_part() -> None:
    users = {
        path.relative_to(ENGINE).as_posix()
        for path in TRUSTED
        for name in imported(parsed(path))
        if name.startswith("grader.notebook") and path.parent.name != "notebook"
    }
    assert users <= {"__init__.py"}  # where IPython looks for an extension


@pytest.mark.parametrize("path", UNTRUSTED, ids=lambda path: path.name)
def test_a_worker_imports_its_own_package_and_libraries_only(path: Path) -> None:
    libraries = {"torch", "numpy", "msgspec", *sys.stdlib_module_names}
    for name in imported(parsed(path)):
        assert not name.startswith(".."), name
        assert name.startswith(".") or _top(name) in libraries, name


def test_a_worker_has_nothing_else_of_ours(zygote: Zygote) -> None:
    source = """
import sys

def modules():
    return [[str(n), str(getattr(m, "__file__", None))] for n, m in sys.modules.items()]

def reached():
    found = []
    sys.modules.pop("grader", None), sys.modules.pop("grader.notebook", None)
    for name in ("grader.checking", "grader.report", "grader.student.backend"):
        try:
            __import__(name)
        except ImportError:
            continue
        found.append(name)
    return found
"""
    with running(zygote.start_worker, source) as run:
        modules = dict(run.returned("modules"))
        ours = {
            name for name, file in modules.items() if Path(file).is_relative_to(ROOT / "grader")
        }
        inside = {name for name in modules if _top(name) == "grader_worker"}
        assert inside >= {"grader_worker.serving", "grader_worker.calls"}
        # "__mp_main__" is the name that multiprocessing gives the first again
        assert ours - {"__mp_main__"} == {*inside, "__main__"}
        for name in ours:
            assert Path(modules[name]).parent == WORKER
        named = {name: file for name, file in modules.items() if _top(name) == "grader"}
        assert named == {"grader": "None", "grader.notebook": "None"}, "the silent notebook only"
        assert not {"pytest", "_pytest", "solutions", "assignments"} & set(map(_top, modules))
        assert run.returned("reached") == [], "in a checkout, which is not on a worker's path"
