"""Bundles for other places: what students get, and what an LMS runs.

`bundle.py` is the zip, one module a host says what goes in, `templates/` holds the files that are
not Python's, and `host/` is what runs over there.
"""
