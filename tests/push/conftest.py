"""Platforms on loopback, and what is registered with them."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from fake_canvas import ASSIGNMENT, COURSE, TOKEN, Canvas
from fake_lti import CLIENT, Lti
from push_class import make_class


@pytest.fixture(scope="session")
def key():
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = made.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
    public = made.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private, public.decode()


@pytest.fixture
def lti(key):
    fake = Lti(key[1])
    yield fake
    fake.close()


@pytest.fixture
def config(tmp_path, key, lti):
    """Writes a CONFIG for `lti`; further lines go where they belong."""
    (tmp_path / "tool.pem").write_text(key[0])
    (tmp_path / "tool.pem").chmod(0o600)

    def write(platform="", people='by = "id"', sending=""):
        file = tmp_path / "lti.toml"
        file.write_text(
            f'[platform]\nissuer = "{lti.url}"\nclient_id = "{CLIENT}"\n'
            f'token_url = "{lti.token_url}"\nline_item = "{lti.line_item}"\n'
            f'key_file = "tool.pem"\n{platform}\n[people]\n{people}\n'
            f"[sending]\ntimeout = 5\n{sending}\n"
        )
        return file

    return write


@pytest.fixture
def three(tmp_path):
    return make_class(tmp_path / "OUT", (7.25, 10, 0))


@pytest.fixture
def canvas():
    fake = Canvas({
        str(n): {"id": n, "name": f"Made {n}", "sis_user_id": f"00{n}", "login_id": f"made{n}"}
        for n in range(1, 6)
    })  # fmt: skip
    yield fake
    fake.close()


@pytest.fixture
def canvas_config(tmp_path, canvas):
    """Writes a CONFIG for `canvas`."""
    (tmp_path / "canvas.token").write_text(f"{TOKEN}\n")
    (tmp_path / "canvas.token").chmod(0o600)

    def write(platform="", people='by = "id"\ncanvas = "id"', sending=""):
        file = tmp_path / "canvas.toml"
        file.write_text(
            f'[platform]\nurl = "{canvas.url}"\ncourse = {COURSE}\nassignment = {ASSIGNMENT}\n'
            f'token_file = "canvas.token"\n{platform}\n[people]\n{people}\n'
            f"[sending]\ntimeout = 5\n{sending}\n"
        )
        return file

    return write


@pytest.fixture
def from_canvas(tmp_path):
    return make_class(tmp_path / "OUT", (7.25, 10, 0), layout="canvas")
