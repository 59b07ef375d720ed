"""Syntax-tree operators that turn a model answer into wrong ones, one change at a time."""
