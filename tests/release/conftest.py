"""Every layout is made and run once; the runs go on two at a time while tests wait for theirs."""

from __future__ import annotations

import base64
import compileall
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from release_layouts import NAME, STAFF, UNREADABLE, WRONG, Ran, hostile, released, run, unpack

HOSTS = ("students", "gradescope", "prairielearn", "classroom50", "coursera")
METADATA = {
    "id": 123456,
    "created_at": "2026-10-01T23:58:07.000000-04:00",
    "assignment": {"id": 1, "title": "HW 1", "due_date": "2026-10-02T23:59:00.000000-04:00",
                   "late_due_date": None, "total_points": "30.0"},
    "users": [{"email": "ada@example.org", "id": 7, "name": "Ada O'Kafor, Jr."}],
    "previous_submissions": [],
}  # fmt: skip
CLASSROOM = {
    "CLASSROOM": "nets",
    "ASSIGNMENT": "hw1",
    "ASSIGNMENT_TYPE": "individual",
    "USERNAME": "aokafor",
    "OWNER": "aokafor",
    "SUBMISSION_TAG": "submit/2026-10-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://github.example/o/nets-hw1-aokafor/commit/a1b2c3d",
    "RELEASE_URL": "https://github.example/o/nets-hw1-aokafor/releases/tag/x",
    "REVIEW_URL": "https://github.example/o/nets-hw1-aokafor/compare/0...a1b2c3d",
}


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Every bundle, as the real command writes it."""
    folder = tmp_path_factory.mktemp("bundles")
    made = {}
    for host in HOSTS:
        done = released(host, folder / f"{host}.zip")
        assert done.returncode == 0, done.stderr
        made[host] = (folder / f"{host}.zip").read_bytes()
    return made


class Layouts:
    """One host's container each, made below a folder of its own and run in it.

    Scripts are given to bash: a file just written cannot be run itself while a process that another
    thread has just forked still holds it open.
    """

    def __init__(self, base: Path, bundles: dict[str, bytes]) -> None:
        self._base = base
        self._bundles = bundles
        self._lock = threading.Lock()

    def unpack(self, host: str, folder: Path, under: str = "") -> None:
        """A copy of what was unpacked and compiled once, as a host's image is."""
        with self._lock:
            made = self._base / f"image-{host}-{under.strip('/').replace('/', '-')}"
            if not made.exists():
                unpack(self._bundles[host], made, under)
                compileall.compile_dir(made, quiet=1)
        shutil.copytree(made, folder, dirs_exist_ok=True)

    def root(self, name: str) -> Path:
        root = self._base / name
        root.mkdir()
        return root

    def gradescope(self, name: str, source: str, **more: str) -> Ran:
        root = self.root(name)
        home = root / "autograder"
        self.unpack("gradescope", home / "source")
        (home / "results").mkdir()
        (home / "submission").mkdir()
        source = source.replace("@HOME@", str(home))
        (home / "submission" / f"{NAME}.py").write_text(source, encoding="utf-8")
        (home / "submission_metadata.json").write_text(json.dumps(METADATA), encoding="utf-8")
        script = home / "run_autograder"
        script.write_bytes((home / "source" / "run_autograder").read_bytes())
        script.chmod(0o755)
        return run(["bash", str(script)], root, home / "results" / "results.json", **more)

    def prairielearn(self, name: str, source: str, **more: str) -> Ran:
        root = self.root(name)
        job = root / "grade"
        under = f"questions/{NAME}/tests/"
        self.unpack("prairielearn", job / "tests", under)
        (job / "data").mkdir()
        (job / "student").mkdir()
        (job / "serverFilesCourse").mkdir()
        contents = base64.b64encode(source.encode()).decode()
        files = [{"name": f"{NAME}.py", "contents": contents}]
        data = {"params": {}, "correct_answers": {"a": "SECRET ANSWER"}, "variant_seed": "abc1",
                "submitted_answers": {"_files": files}, "options": {}}  # fmt: skip
        (job / "data" / "data.json").write_text(json.dumps(data), encoding="utf-8")
        (job / "student" / f"{NAME}.py").write_text(source, encoding="utf-8")
        return run(
            ["bash", str(job / "tests" / "run.sh")], root, job / "results" / "results.json", **more
        )

    def coursera(self, name: str, source: str, **more: str) -> Ran:
        root = self.root(name)
        self.unpack("coursera", root / "grader")
        (root / "shared" / "submission").mkdir(parents=True)
        source = source.replace("@HOME@", str(root))
        (root / "shared" / "submission" / f"{NAME}.py").write_text(source, encoding="utf-8")
        result = root / "shared" / "feedback.json"
        return run(["bash", str(root / "grader" / "run.sh")], root, result, **more)

    def classroom50(self, name: str, source: str, **more: str) -> Ran:
        """The checkout, and the bundle in the runner's scratch folder."""
        root = self.root(name)
        bundle, checkout = root / "temp" / "bundle", root / "checkout"
        self.unpack("classroom50", bundle, f"autograders/{NAME}/")
        checkout.mkdir()
        (checkout / f"{NAME}.py").write_text(source, encoding="utf-8")
        (checkout / ".classroom50.yaml").write_text("classroom: nets\n", encoding="utf-8")
        _commit(checkout)
        script = [sys.executable, str(bundle / "autograder.py")]
        told = {**CLASSROOM, "CLASSROOM50_BUNDLE_DIR": str(bundle), **more}
        return run(script, root, checkout / "result.json", cwd=checkout, **told)

    def actions(self, name: str, source: str, **more: str) -> Ran:
        """A student's repository made from the template, without Classroom 50."""
        root = self.root(name)
        self.unpack("classroom50", root, "template/")
        (root / f"{NAME}.py").write_text(source, encoding="utf-8")
        script = [sys.executable, "-P", ".grader/autograder.py"]
        summary = str(root / "summary.md")
        return run(script, root, root / "result.json", GITHUB_STEP_SUMMARY=summary, **more)


def _commit(checkout: Path) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    when = {"GIT_COMMITTER_DATE": "2026-10-01T14:32:05+00:00", "HOME": str(checkout)}
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "work"]):
        subprocess.run(["git", *command], cwd=checkout, env=when, check=True, timeout=60)


@pytest.fixture(scope="session")
def runs(
    tmp_path_factory: pytest.TempPathFactory, bundles: dict[str, bytes]
) -> Iterator[Callable[[str], Ran]]:
    """What came of each run, by its name."""
    at = Layouts(tmp_path_factory.mktemp("hosts"), bundles)
    wrong = WRONG.read_text(encoding="utf-8")
    right = (STAFF / "reference.py").read_text(encoding="utf-8")
    home = Path("@HOME@")
    answer = f"solutions/{NAME}/reference.py"
    at_gradescope = hostile(
        [home / "source" / answer, home / "source", home / "submission_metadata.json"],
        [home / "results" / "results.json"],
    )
    at_coursera = hostile(
        [home / "grader" / answer, home / "grader", home / "grader" / "run.sh"],
        [home / "shared" / "feedback.json"],
    )
    gone = "/bin/false"
    plans: dict[str, Callable[[], Ran]] = {
        "gradescope graded": lambda: at.gradescope("g1", wrong),
        "gradescope hostile": lambda: at.gradescope("g3", at_gradescope, deny="userns,landlock"),
        "gradescope refused": lambda: at.gradescope("g4", wrong, deny="userns,landlock,seccomp"),
        "gradescope unreadable": lambda: at.gradescope("g5", UNREADABLE),
        "gradescope died": lambda: at.gradescope("g6", wrong, python=gone),
        "prairielearn graded": lambda: at.prairielearn("p1", right),
        "prairielearn unreadable": lambda: at.prairielearn("p2", UNREADABLE),
        "prairielearn died": lambda: at.prairielearn("p3", wrong, python=gone),
        "coursera hostile": lambda: at.coursera("c1", at_coursera),
        "coursera unreadable": lambda: at.coursera("c2", UNREADABLE),
        "coursera died": lambda: at.coursera("c3", wrong, python=gone),
        "classroom50 graded": lambda: at.classroom50("r1", wrong),
        "classroom50 unreadable": lambda: at.classroom50("r2", UNREADABLE),
        "classroom50 died": lambda: at.classroom50("r3", wrong, python=gone),
        "actions unreadable": lambda: at.actions("a1", UNREADABLE),
    }
    started: dict[str, Future[Ran]] = {}
    with ThreadPoolExecutor(2) as pool:

        def result(name: str) -> Ran:
            if not started:
                started.update({each: pool.submit(plan) for each, plan in plans.items()})
            return started[name].result()

        yield result
        for future in started.values():
            future.cancel()
