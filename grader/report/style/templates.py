"""Pages from templates: everything escaped, everything in one file, and a policy that says so.

Import this only where a page is made: jinja2 takes time.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

# Control characters, and those that turn the direction of the text around them; what joins letters
# or the parts of an emoji stays. A lone half of a surrogate pair cannot be written as UTF-8.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def environment(package: str) -> Environment:
    """Templates of `package` (its folder `templates`), and those that all pages share.

    What comes out of `{{ }}` is made legible and escaped, whatever the template says of it, but
    for what is Markup already. A name that is not there is an error.
    """
    made = Environment(
        loader=ChoiceLoader(
            [PackageLoader(package), PackageLoader("grader.report.style")],
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=legible,
    )
    made.filters["points"] = points
    return made


def page(
    templates: Environment,
    name: str,
    *,
    css: Sequence[str] = (),
    script: str = "",
    images: bool = False,
    **data: Any,
) -> str:
    """The template `name`, which extends base.html, as one file for itself.

    `css` and `script` name files beside the template; base.css goes first. Style and script may
    be those alone (their digests stand in the policy): no other script, no style attribute, no
    request. `images` allows pictures that lie in the page as data: addresses.
    """
    style = "\n".join(_source(templates, file) for file in ("base.css", *css))
    code = _source(templates, script) if script else ""
    policy = [
        "default-src 'none'",
        f"style-src '{_digest(style)}'",
        f"script-src '{_digest(code)}'" if code else "script-src 'none'",
        *(["img-src data:"] if images else []),
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return templates.get_template(name).render(
        policy="; ".join(policy), style=Markup(style), script=Markup(code), **data
    )


def legible(value: Any) -> Any:
    """Text with control and direction signs made visible as \\x202e; anything else as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _UNSEEN.sub(lambda sign: f"\\x{ord(sign[0]):02x}", value)


def points(number: float) -> str:
    """Points as a person writes them: 3, 2.5."""
    return f"{round(number, 2):g}"


def _source(templates: Environment, name: str) -> str:
    assert templates.loader is not None
    return templates.loader.get_source(templates, name)[0].strip()


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
