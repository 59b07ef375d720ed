"""A Canvas: an assignment, its students, their grades and comments, as its REST API has them."""

from __future__ import annotations

import email
import email.policy
import json
import re
from urllib.parse import parse_qs

from fake_server import Answer, Fake

TOKEN = "9999~inventedTokenOfNobody0123456789"
COURSE, ASSIGNMENT = 12, 77
_BASE = f"/api/v1/courses/{COURSE}/assignments/{ASSIGNMENT}"
_PAGE = 2  # students a page


class Canvas(Fake):
    """`students`: user -> what is known of them; `shown`: user -> score, comments.

    `step_three` is how an upload ends: "301" or "201", or "body" where the answer has it all.
    """

    def __init__(self, students):
        self.students = students
        self.assignment = {"id": ASSIGNMENT, "course_id": COURSE, "points_possible": 10,
                           "grading_type": "points", "name": "Nets"}  # fmt: skip
        self.shown = {user: {"score": None, "comments": []} for user in students}
        self.files = {}
        self.pending = {}
        self.step_three = "301"
        self.group_of = {}
        self.comment_fails = 0
        self.faults = []
        super().__init__()

    def answer(self, asked):
        upload = re.fullmatch(r"/upload/(\d+)", asked.path)
        if upload:
            return self._upload(asked, int(upload[1]))
        if asked.headers.get("Authorization") != f"Bearer {TOKEN}":
            return Answer(401, {"errors": [{"message": "Invalid access token."}]},
                          {"WWW-Authenticate": 'Bearer realm="canvas-lms"'})  # fmt: skip
        if asked.path == _BASE:
            return Answer(200, self.assignment)
        if asked.path == f"{_BASE}/submissions":
            return self._listed(asked)
        found = re.fullmatch(rf"{_BASE}/submissions/(\d+)(/comments/files)?", asked.path)
        if found and found[1] not in self.students:
            return Answer(404, {"errors": [{"message": "The resource does not exist."}]})
        if found and found[2]:
            return self._announced(asked)
        if found and asked.method == "PUT":
            return self._graded(asked, found[1])
        if found:
            return Answer(200, self._submission(found[1], comments=True))
        done = re.fullmatch(r"/api/v1/files/(\d+)(/create_success)?", asked.path)
        if done:
            self.files[int(done[1])] = self.pending[int(done[1])]
            return Answer(200, f"while(1);{json.dumps(self._file(int(done[1])))}")
        return Answer(404, {"errors": [{"message": "no such page"}]})

    def comments(self, user):
        return self.shown[user]["comments"]

    def score(self, user):
        return self.shown[user]["score"]

    def _listed(self, asked):
        arguments = parse_qs(asked.query)
        if not {"user", "group"} <= set(arguments.get("include[]", ())):
            return Answer(200, [])
        page = int(arguments.get("page", ["1"])[0])
        users = list(self.students)
        some = users[_PAGE * (page - 1) : _PAGE * page]
        links = {}
        if _PAGE * page < len(users):
            to = f"{self.url}{asked.path}?include[]=user&include[]=group&page={page + 1}"
            links = {"Link": f'<{self.url}{asked.path}?page=1>; rel="first", <{to}>; rel="next"'}
        return Answer(200, [self._submission(user) for user in some], links)

    def _submission(self, user, comments=False):
        shown = self.shown[user]
        made = {
            "id": 5000 + int(user), "user_id": int(user), "assignment_id": ASSIGNMENT,
            "score": shown["score"], "entered_score": shown["score"], "grade": str(shown["score"]),
            "excused": self.students[user].get("excused", False), "user": self.students[user],
        }  # fmt: skip
        if user in self.group_of:
            made["group"] = {"id": self.group_of[user], "name": "a group"}
        if comments:
            made["submission_comments"] = shown["comments"]
        return made

    def _announced(self, asked):
        form = dict(asked.fields)
        number = 900 + len(self.pending)
        self.pending[number] = None
        if form.get("name", "").isascii() and form.get("size", "").isdigit():
            return Answer(200, {
                "upload_url": f"{self.url}/upload/{number}",
                "upload_params": {"key": f"k{number}", "signature": "sealed", "success": 201},
            })  # fmt: skip
        return Answer(400, {"message": "what is it called?"})

    def _upload(self, asked, number):
        if "Authorization" in asked.headers:
            self.faults.append("the token went along with the upload")
        head = f"Content-Type: {asked.headers['Content-Type']}\r\n\r\n".encode()
        parts = list(
            email.message_from_bytes(head + asked.body, policy=email.policy.HTTP).iter_parts()
        )
        names = [part.get_param("name", header="Content-Disposition") for part in parts]
        if names != ["key", "signature", "success", "file"]:
            self.faults.append(f"upload of {names}")
            return Answer(400, "denied")
        self.pending[number] = parts[-1].get_payload(decode=True)
        if self.step_three == "301":
            return Answer(301, "", {"Location": f"{self.url}/api/v1/files/{number}/create_success"})
        self.files[number] = self.pending[number]
        if self.step_three == "201":
            return Answer(201, "", {"Location": f"/api/v1/files/{number}"})
        return Answer(201, self._file(number))

    def _file(self, number):
        return {"id": number, "url": f"{self.url}/files/{number}", "display_name": "feedback.html"}

    def _graded(self, asked, user):
        form = parse_qs(asked.body.decode(), keep_blank_values=True)
        shown = self.shown[user]
        if "submission[posted_grade]" in form:
            shown["score"] = float(form["submission[posted_grade]"][0])
            for other, group in self.group_of.items():
                if group == self.group_of.get(user):
                    self.shown[other]["score"] = shown["score"]
        if "comment[text_comment]" in form and self.comment_fails:
            self.comment_fails -= 1  # the grade stands: they are two steps in Canvas, too
            return Answer(500, {"errors": [{"message": "An error occurred."}]})
        if "comment[text_comment]" in form:
            ids = [int(one) for one in form.get("comment[file_ids][]", ())]
            if any(one not in self.files for one in ids):
                return Answer(401, {"status": "unauthorized"})
            shown["comments"].append({
                "id": len(shown["comments"]) + 1, "comment": form["comment[text_comment]"][0],
                "attachments": [self._file(one) for one in ids],
            })  # fmt: skip
        return Answer(200, self._submission(user, comments=True))
