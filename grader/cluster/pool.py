"""Hands out submissions to the cluster's workers and yields verdicts as they are finished.

Every worker has one chunk at work and one waiting. A chunk whose worker is lost goes to another;
its submissions then travel alone, so that one that takes its worker down takes no other with it.
"""

from __future__ import annotations

import contextlib
import itertools
import queue
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from grader.assignment import Assignment
from grader.classroom.batch import READ
from grader.classroom.pool import Done, Task, text_path
from grader.cluster import plugin
from grader.cluster.cargo import Parcel, pack, pack_assignment, unpack_verdicts
from grader.cluster.roll import Roll
from grader.cluster.terms import own_versions, terms_of
from grader.errors import GraderFailed, UnreadableSubmission, UsageError
from grader.reading import stub_digests
from grader.report.build import unreadable_report
from grader.report.document import bare_document
from grader.submission import read_submission
import msgspec
import secrets

if TYPE_CHECKING:
    from distributed import Client, Future
