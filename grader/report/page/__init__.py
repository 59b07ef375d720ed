"""A student's report page: one HTML file that needs no network and no script.

`seen_document` makes what its student may see of a report, `student_page` the page of that.
"""

from grader.report.page.panel import Panel
from grader.report.page.render import PageKit, student_page
from grader.report.page.seen import seen_document

__all__ = ["PageKit", "Panel", "seen_document", "student_page"]
