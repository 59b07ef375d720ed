"""An LTI platform: it checks what it is sent as a strict one does, and keeps the rules of AGS."""

from __future__ import annotations

import json
import re
import uuid
from datetime import datetime

import jwt
from fake_server import Answer, Fake
from jwcrypto.jwk import JWK

SCORE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
RESULT = "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly"
PROGRESS = ("Initialized", "Started", "InProgress", "Submitted", "Completed")
GRADING = ("FullyGraded", "Pending", "PendingManual", "Failed", "NotReady")
CLIENT = "10000000000042"


class Lti(Fake):
    """`results` has what the gradebook shows: user -> the newest score document.

    `equal` says whether a score with the time of the stored one is taken again (Canvas: yes, edX:
    no). `scopes` are those it grants. `comments` counts them as Canvas does: one a score taken.
    """

    def __init__(self, public_pem):
        self.public = public_pem
        self.kid = JWK.from_pem(public_pem.encode()).thumbprint()
        self.results = {}
        self.taken = []
        self.users = None
        self.equal = True
        self.scopes = {SCORE, RESULT}
        self.tokens = {}
        self.seen_jti = set()
        self.faults = []  # what a strict platform would complain about
        self.lasts = 3600
        super().__init__()

    @property
    def token_url(self):
        return f"{self.url}/token"

    @property
    def line_item(self):
        return f"{self.url}/lineitems/7?type=3"

    def answer(self, asked):
        if asked.path == "/token":
            return self._token(asked)
        if asked.path == "/lineitems/7/scores":
            return self._allowed(asked, SCORE) or self._score(asked)
        if asked.path == "/lineitems/7/results":
            return self._allowed(asked, RESULT) or self._results(asked)
        return Answer(404, {"message": "no such page"})

    def _token(self, asked):
        form = dict(asked.fields)
        try:
            assert form["grant_type"] == "client_credentials"
            assert form["client_assertion_type"].endswith(":jwt-bearer")
            claims = jwt.decode(
                form["client_assertion"], self.public, algorithms=["RS256"],
                audience=self.token_url,
                options={"require": ["iss", "sub", "aud", "iat", "exp", "jti"]},
            )  # fmt: skip
            assert claims["iss"] == claims["sub"] == CLIENT
            assert claims["exp"] - claims["iat"] <= 300
            assert claims["jti"] not in self.seen_jti
            assert jwt.get_unverified_header(form["client_assertion"])["kid"] == self.kid
        except (AssertionError, KeyError, jwt.PyJWTError) as error:
            self.faults.append(f"token: {type(error).__name__} {error}")
            return Answer(401, {"error": "invalid_client", "error_description": str(error)})
        self.seen_jti.add(claims["jti"])
        wanted = set(form["scope"].split())
        if not wanted <= self.scopes:
            return Answer(400, {"error": "invalid_scope"})
        token = f"tok-{uuid.uuid4().hex}"
        self.tokens[token] = wanted
        return Answer(200, {"access_token": token, "token_type": "Bearer",
                            "expires_in": self.lasts, "scope": form["scope"]})  # fmt: skip

    def _allowed(self, asked, scope):
        kind, _, token = asked.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer" or token not in self.tokens:
            return Answer(401, {"message": "who are you?"}, {"WWW-Authenticate": "Bearer"})
        if scope not in self.tokens[token]:
            self.faults.append(f"scope of {asked.path}")
            return Answer(403, {"message": "not with this token"})
        return None

    def _score(self, asked):
        score = json.loads(asked.body)
        why = self._wrong(asked, score)
        if why:
            self.faults.append(why)
            return Answer(422, {"message": why})
        user = score["userId"]
        if self.users is not None and user not in self.users:
            return Answer(404, {"message": f"no user {user} in this course"})
        old = self.results.get(user)
        if old is not None:
            before, now = _time(old), _time(score)
            if now < before or (now == before and not self.equal):
                text = f"Provided timestamp of {score['timestamp']} before that of the result"
                return Answer(400, {"timestamp": [text]})
        self.results[user] = score
        self.taken.append(score)
        return Answer(200, {"resultUrl": f"{self.url}/lineitems/7/results/1"})

    def _wrong(self, asked, score):
        if asked.method != "POST" or asked.query != "type=3":
            return "the path goes before the query"
        if asked.headers["Content-Type"] != "application/vnd.ims.lis.v1.score+json":
            return "content type"
        if score["activityProgress"] not in PROGRESS or score["gradingProgress"] not in GRADING:
            return "progress"
        if not 0 <= score["scoreGiven"] <= score["scoreMaximum"] or score["scoreMaximum"] <= 0:
            return "score"
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", score["timestamp"]):
            return "timestamp"
        if re.search(r'"score\w+": -?[\d.]+e', asked.body.decode()):
            return "exponent"
        if not score.get("comment", "x").strip() or "\0" in score.get("comment", ""):
            return "comment"
        return ""

    def _results(self, asked):
        if asked.headers["Accept"] != "application/vnd.ims.lis.v2.resultcontainer+json":
            self.faults.append("accept")
        wanted = dict(asked.arguments).get("user_id")
        found = [
            {"id": "x", "userId": user, "resultScore": score["scoreGiven"],
             "resultMaximum": score["scoreMaximum"], "comment": score.get("comment", "")}
            for user, score in self.results.items() if wanted in (None, user)
        ]  # fmt: skip
        return Answer(200, found)


def _time(score):
    return datetime.fromisoformat(score["timestamp"])
