"""Keys and tokens reach no output, no log, no traceback and no file of ours."""

from __future__ import annotations

import io
import logging
import sys
import traceback

import pytest
from fake_canvas import TOKEN
from fake_server import CUT_AFTER, Answer, Strike
from push_class import page_for, push, states

from grader.errors import UsageError
from grader.pushing.hidden import Hidden


@pytest.fixture
def everything(capsys, tmp_path):
    """All that was printed, logged, raised or written below OUT."""
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(handler)
    raised = []

    def run(kind, file, out):
        try:
            push(kind, file, out)
        except UsageError:
            raised.append("".join(traceback.format_exception(*sys.exc_info())))

    def seen():
        said = capsys.readouterr()
        files = [
            f.read_bytes().decode("latin-1") for f in (tmp_path / "OUT").rglob("*") if f.is_file()
        ]
        return "\n".join([said.out, said.err, log.getvalue(), *raised, *files])

    yield run, seen
    root.removeHandler(handler)
    root.setLevel(level)


def echoing(asked, status):
    """A platform that helps with debugging: it answers with all that it was sent."""
    sent = asked.headers.get("Authorization", "")
    body = asked.body.decode("latin-1")
    place = max(body.find("client_assertion="), 0)
    return Answer(status, {"message": f"{sent} {body[place:]}", "headers": asked.headers})


@pytest.mark.parametrize("status", [400, 401, 500])
def test_lti(lti, config, three, key, everything, status):
    run, seen = everything
    honest = lti.answer
    lti.answer = lambda asked: echoing(asked, status) if "scores" in asked.path else honest(asked)
    run("lti", config(), three)
    lti.answer = lambda asked: echoing(asked, status)
    run("lti", config(), three)
    lti.answer = honest
    lti.script = [("scores", CUT_AFTER)]
    run("lti", config(), three)
    text = seen()
    assert "[secret]" in text
    secrets = [*lti.tokens, *(line for line in key[0].splitlines() if "PRIVATE" not in line)]
    secrets += [dict(one.fields)["client_assertion"] for one in lti.asked if one.path == "/token"]
    assert len(lti.tokens) >= 2
    assert [secret for secret in secrets if secret in text] == []
    assert not [secret for secret in secrets if secret[:20] in text]


@pytest.mark.parametrize("status", [400, 401, 500])
def test_canvas(canvas, canvas_config, from_canvas, everything, status):
    run, seen = everything
    honest = canvas.answer
    canvas.answer = lambda asked: echoing(asked, status) if asked.method == "PUT" else honest(asked)
    run("canvas", canvas_config(), from_canvas)
    canvas.answer = lambda asked: echoing(asked, status)
    run("canvas", canvas_config(), from_canvas)
    text = seen()
    assert "[secret]" in text
    assert TOKEN not in text
    assert TOKEN[:12] not in text
    assert TOKEN[-4:] not in text, "canvasapi logs the end of it at DEBUG"


def test_what_is_hidden():
    hidden = Hidden()
    hidden.add("a/secret+word")
    for text in (
        "a/secret+word", "a%2Fsecret%2Bword", "a\\/secret+word", "Bearer abcd", "basic QWxh",
        "eyJhbGciOi.eyJpc3Mi.c2ln",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ):  # fmt: skip
        assert hidden.scrub(f"<{text}>") == "<[secret]>"
    assert hidden.scrub("a\x1b[31m b\r\nc") == "a b c"
    assert len(hidden.scrub("x" * 9000)) == 200
    assert "secret+word" not in repr(hidden)


def test_a_key_that_others_can_read_is_told_of(lti, config, three, capsys, tmp_path):
    (tmp_path / "tool.pem").chmod(0o644)
    push("lti", config(), three, dry_run=True)
    file = config()
    assert "others on this machine can read" in capsys.readouterr().err
    (tmp_path / "tool.pem").chmod(0o600)
    push("lti", file, three, dry_run=True)
    assert "others" not in capsys.readouterr().err


def test_a_netrc_does_not_replace_the_token(lti, config, three, tmp_path, monkeypatch):
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login somebody password else\n")
    file.chmod(0o600)
    monkeypatch.setenv("NETRC", str(file))
    assert push("lti", config(), three) == 0
    kinds = {one.headers.get("Authorization", "none").split()[0] for one in lti.asked}
    assert kinds == {"none", "Bearer"}


def test_plain_http_is_refused_in_the_middle_too(canvas, canvas_config, from_canvas):
    """Canvas names an address for the upload that others can read along."""
    page_for(from_canvas, "s1")
    told = Answer(200, {"upload_url": "http://files.invented.example/x", "upload_params": {}})
    canvas.script = [("comments/files", Strike(told))]
    with pytest.raises(UsageError, match="plain http"):
        push("canvas", canvas_config(), from_canvas)
    assert states(from_canvas) == []
