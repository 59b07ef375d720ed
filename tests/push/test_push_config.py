"""What CONFIG may say, and how it is told what is wrong with it."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from grader.errors import UsageError
from grader.pushing.config import canvas_token, is_allowed, read_canvas, read_lti
from grader.pushing.lti_access import read_key

LTI = {
    "issuer": '"https://lms.invented.example"',
    "client_id": '"42"',
    "token_url": '"https://lms.invented.example/token"',
    "line_item": '"https://lms.invented.example/lineitems/7"',
    "key_file": '"tool.pem"',
}
CANVAS = {
    "url": '"https://canvas.invented.example"',
    "course": "12",
    "assignment": "77",
    "token_file": '"canvas.token"',
}
PEOPLE = {"by": '"id"'}
CANVAS_PEOPLE = {"by": '"id"', "canvas": '"sis_user_id"'}
SECRET = "9999~inventedSecretOfNobody"


@pytest.fixture
def write(tmp_path):
    def written(platform, people, sending=None):
        tables = {"platform": platform, "people": people, "sending": sending or {}}
        text = "".join(
            f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
            for name, keys in tables.items()
        )
        file = tmp_path / "push.toml"
        file.write_text(text)
        return file

    return written


def test_defaults(write):
    config = read_lti(write(LTI, PEOPLE))
    assert (config.sending.tries, config.sending.wait, config.sending.timeout) == (5, 1.0, 60.0)
    assert config.platform.read_results
    assert read_lti(write({**LTI, "client_id": "10000000000042"}, PEOPLE)).platform.client_id
    assert read_canvas(write(CANVAS, CANVAS_PEOPLE)).platform.course == 12


@pytest.mark.parametrize(
    ("platform", "people", "sending", "said"),
    [
        ({"issuer": None}, {}, {}, "platform.issuer is missing"),
        ({"client_id": "true"}, {}, {}, "platform.client_id expected"),
        ({"client_id": '""'}, {}, {}, "platform.client_id expected"),
        ({"kind": '"moodle"'}, {}, {}, "platform.kind invalid"),
        ({"lineitem": '"x"'}, {}, {}, "platform.lineitem is no key that is known here"),
        ({"private_key": f'"{SECRET}"'}, {}, {}, "No secret stands here"),
        ({"token_url": '"lms.example/token"'}, {}, {}, "token_url is no address"),
        ({"token_url": '"http://lms.example/token"'}, {}, {}, "plain http"),
        ({"token_url": f'"https://me:{SECRET}@lms.example/"'}, {}, {}, "a user or a password"),
        ({"line_item": '"https://lms.example/7?a=1?b=2"'}, {}, {}, "no address of a line item"),
        ({}, {"by": None}, {}, "people.by is missing"),
        ({}, {"by": '"name"'}, {}, "people.by invalid"),
        ({}, {"roster": '"class.csv"'}, {}, "names a roster in part"),
        ({}, {}, {"tries": "0"}, "sending.tries expected"),
        ({}, {}, {"timeout": "3600"}, "sending.timeout expected"),
    ],
)
def test_what_is_wrong_is_said(write, platform, people, sending, said):
    def merged(base, change):
        return {key: value for key, value in {**base, **change}.items() if value is not None}

    with pytest.raises(UsageError, match=said) as error:
        read_lti(write(merged(LTI, platform), merged(PEOPLE, people), sending))
    assert "push.toml" in str(error.value)
    assert SECRET not in str(error.value)


def test_what_is_no_toml(tmp_path):
    file = tmp_path / "push.toml"
    file.write_text(f"token {SECRET}")
    with pytest.raises(UsageError, match="is no TOML") as error:
        read_lti(file)
    assert SECRET not in str(error.value)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_lti(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_lti(tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://lms.example/x", ""),
        ("http://127.0.0.1:8000/x", ""),
        ("http://[::1]/x", ""),
        ("http://localhost/x", ""),
        ("http://127.0.0.1.lms.example/", "plain http"),
        ("http://localhost.lms.example/", "plain http"),
        ("http://10.0.0.1/", "plain http"),
        ("ftp://lms.example/", "no address"),
        ("https://", "no address"),
        ("https://lms.example:port/", "no address"),
        ("https://a:b@lms.example/", "a user or a password"),
    ],
)
def test_where_a_secret_may_go(url, why):
    assert why in is_allowed(url, allow_http=False)
    assert bool(why) == bool(is_allowed(url, allow_http=False))


def test_plain_http_is_allowed_where_it_is_told(write):
    platform = {**LTI, "token_url": '"http://lms.example/t"', "allow_http": "true"}
    assert read_lti(write(platform, PEOPLE)).platform.allow_http


@pytest.mark.parametrize(
    ("platform", "said"),
    [
        ({"token_file": '""'}, "token_file or token_env"),
        ({"token_env": '"X"'}, "token_file or token_env"),
        ({"url": '"https://canvas.example/api/v1"'}, "more than Canvas' address"),
        ({"course": '"12"'}, "platform.course expected"),
    ],
)
def test_canvas(write, platform, said):
    with pytest.raises(UsageError, match=said):
        read_canvas(write({**CANVAS, **platform}, CANVAS_PEOPLE))


def test_canvas_must_be_told_which_id(write):
    with pytest.raises(UsageError, match=r"people\.canvas is missing"):
        read_canvas(write(CANVAS, PEOPLE))


@pytest.mark.parametrize("text", ["", f"{SECRET}\n{SECRET}", f"Bearer {SECRET}", "törken"])
def test_a_token_is_one_word(write, tmp_path, monkeypatch, text):
    (tmp_path / "canvas.token").write_text(text)
    file = write(CANVAS, CANVAS_PEOPLE)
    with pytest.raises(UsageError, match="holds no token") as error:
        canvas_token(file, read_canvas(file).platform)
    assert SECRET not in str(error.value)
    file = write({**CANVAS, "token_file": '""', "token_env": '"PUSH_TOKEN"'}, CANVAS_PEOPLE)
    monkeypatch.setenv("PUSH_TOKEN", f" {SECRET}\n")
    assert canvas_token(file, read_canvas(file).platform) == SECRET


def pem(key, encryption=None):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        encryption or serialization.NoEncryption(),
    )


def test_keys_that_do_not_do(write, tmp_path, key):
    locked = serialization.BestAvailableEncryption(b"password")
    curve = ec.generate_private_key(ec.SECP256R1())
    small = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    file = write(LTI, PEOPLE)
    for data, said in (
        (pem(curve), "RSA keys"),
        (pem(small), "2048 bits"),
        (pem(curve, locked), "locked with a password"),
        (key[1].encode(), "holds no private key"),
        (key[0].encode()[:-60], "holds no private key"),
        (b"\x00\xff", "is no text"),
    ):
        (tmp_path / "tool.pem").write_bytes(data)
        with pytest.raises(UsageError, match=said) as error:
            read_key(file, read_lti(file))
        assert "BEGIN" not in str(error.value).replace("-----BEGIN PRIVATE KEY-----.", "")
