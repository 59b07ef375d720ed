"""One sender at a time, tables of an older grader, and the command as a process of its own."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading

import pytest
from fake_server import KILL_AFTER, Answer, Strike
from push_class import FastClock, make_class, push, regrade, states

from grader.classroom.store import Store
from grader.errors import UsageError
from grader.pushing import lock
from grader.pushing.faults import Hopeless


def grade(*arguments, **options):
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def holder(out, **change):
    """The row of who is sending, with something else in it."""
    row = {"token": "x", "machine": lock._machine(), "pid": os.getpid(),
           "born": lock._born(os.getpid()), "since": 0.0, "seen": FastClock().time()}  # fmt: skip
    row |= change
    with sqlite3.connect(out / "results.sqlite") as db:
        db.execute("INSERT OR REPLACE INTO sender VALUES (1, ?, ?, ?, ?, ?, ?)", [*row.values()])


def test_kill_9_in_the_middle_of_a_request_and_the_next_run(lti, config, three):
    """A real process, killed while it waits for the answer to a score that was taken."""
    file = config()
    lti.strikes = {2: KILL_AFTER}
    process = grade("push", "--lti", file, three)
    lti.victim = process.pid
    assert process.wait(60) == -signal.SIGKILL
    assert states(three) == [("1", "sent"), ("2", "sending")]
    lti.strikes = {}
    out, err = grade("push", "--lti", file, three).communicate(timeout=60)
    assert "3 sent, 0 unchanged" not in out
    assert "2 sent, 1 unchanged" in out, err
    assert [one["userId"] for one in lti.taken] == ["1", "2", "3"]
    assert states(three) == [("1", "sent"), ("2", "sent"), ("3", "sent")]


def test_two_at_once_send_once(lti, config, three):
    file, entered, go = config(), threading.Event(), threading.Event()
    honest = lti.answer

    def waiting(asked):
        entered.set()
        go.wait(10)
        return honest(asked)

    lti.answer = waiting
    first = threading.Thread(target=push, args=("lti", file, three))
    first.start()
    assert entered.wait(10)
    with pytest.raises(UsageError, match=f"another push .*process {os.getpid()} on"):
        push("lti", file, three)
    go.set()
    first.join(10)
    assert len(lti.taken) == 3
    assert push("lti", file, three) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"pid": 2**22 + 1},  # no such process
        {"born": "1"},  # the number was given to another one since
        {"machine": "elsewhere", "seen": 0.0},
        {"born": "", "seen": 0.0},
    ],
    ids=["gone", "reborn", "silent elsewhere", "silent here"],
)
def test_a_sender_that_is_gone_holds_nobody_up(lti, config, three, change):
    holder(three, **change)
    assert push("lti", config(), three) == 0


@pytest.mark.parametrize("change", [{}, {"machine": "elsewhere"}, {"born": ""}])
def test_a_sender_that_may_be_there_is_waited_for(lti, config, three, change):
    holder(three, **change)
    with pytest.raises(UsageError, match="another push"):
        push("lti", config(), three)
    assert lti.asked == []


def test_who_was_given_up_stops_before_the_next_grade(lti, config, three):
    """It slept for so long that another machine took over: from then on it sends nothing."""
    lti.script = [("scores", Strike(Answer(429, "", {"Retry-After": "9"})))]
    clock = FastClock()
    clock.sleep = lambda seconds: holder(three, machine="elsewhere")
    with pytest.raises(Hopeless, match="another push has taken over"):
        push("lti", config(), three, clock)
    assert lti.taken == []
    with sqlite3.connect(three / "results.sqlite") as db:
        assert db.execute("SELECT machine FROM sender").fetchall() == [("elsewhere",)]


def test_an_older_store_is_brought_up_to_date(lti, config, three):
    of_version_2 = {"meta", "submission", "person", "superseded", "result", "earlier", "override",
                    "void"}  # fmt: skip
    with sqlite3.connect(three / "results.sqlite") as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in tables:
            if name not in of_version_2:
                db.execute(f"DROP TABLE {name}")
        db.execute("PRAGMA user_version = 2")
    assert push("lti", config(), three) == 0
    assert len(lti.taken) == 3
    with sqlite3.connect(three / "results.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(UsageError, match="schema 99"):
        push("lti", config(), three)


def test_who_is_forgotten_is_forgotten_here_too(lti, config, three):
    push("lti", config(), three)
    with Store(three) as store:
        assert store.forget("s2")
    assert states(three) == [("1", "sent"), ("3", "sent")]
    push("lti", config(), three)
    assert len(lti.taken) == 3


def test_other_columns_have_their_own_ledger(lti, config, three):
    file = config()
    push("lti", file, three)
    honest = lti.answer
    lti.answer = lambda asked: honest(
        type(asked)(asked.method, asked.path.replace("/8/", "/7/"), asked.query, asked.headers,
                    asked.body)
    )  # fmt: skip
    file.write_text(file.read_text().replace("lineitems/7", "lineitems/8"))
    assert push("lti", file, three) == 0
    assert len(lti.taken) == 6
    regrade(three, "s1", 1)
    push("lti", file, three)
    assert len(lti.taken) == 7


def test_nothing_to_send(tmp_path, config, lti):
    with pytest.raises(UsageError, match="holds no results"):
        push("lti", config(), tmp_path / "nowhere")
    with pytest.raises(UsageError, match="holds no results"):
        push("lti", config(), make_class(tmp_path / "OUT", ()))


@pytest.mark.parametrize(("kind", "module"), [("lti", "pylti1p3"), ("canvas", "canvasapi")])
def test_without_the_extra_one_line_says_so(config, lti, three, kind, module):
    code = (
        "import importlib.util as u, sys; found = u.find_spec\n"
        f"u.find_spec = lambda name, *a: None if name == {module!r} else found(name, *a)\n"
        "from grader.cli import main\n"
        f"main(['push', '--{kind}', {str(config())!r}, {str(three)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert f"pip install 'autograd-grader[{kind}]'" in line


def test_one_platform_at_a_time(config, lti, three):
    process = grade("push", three)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "Give --lti CONFIG or --canvas CONFIG" in err
