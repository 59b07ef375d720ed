"""Wrong versions of a model answer, each one change away from it, for auditing the checks."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from grader.authoring.mutation import formula, graph, order, results
from grader.authoring.mutation.edits import Edit, Operator, Scope, headline, substitute, text_of

OPERATORS: tuple[Operator, ...] = (
    *graph.OPERATORS,
    *formula.OPERATORS,
    *results.OPERATORS,
    *order.OPERATORS,
)

DEGENERATE_BODIES: Mapping[str, str] = {
    "identity": "return {first}",
    "zero": "return 0.0",
    "one": "return 1.0",
    "zeros-like": "return torch.zeros_like({first})",
    "ones-like": "return torch.ones_like({first})",
    "none": "return None",
    "zero-times": "return {first} * 0",
}


class Mutant(msgspec.Struct, frozen=True):
    """A module that differs from the model answer at one place.

    `operator` names the kind of change, `function` where it was made, `line` the line in the
    model answer, `description` the change in words, and `source` is the whole module.
    `equivalent` is the reason when no fair check can tell it from the model answer: it does the
    same, or differs only where any answer is right; else empty.
    """

    operator: str
    function: str
    line: int
    description: str
    source: str
    equivalent: str = ""


def mutants(
    source: str,
    functions: Collection[str],
    no_gradient: Collection[str] = ("X", "Y", "y"),
) -> list[Mutant]:
    """Every mutant of the bodies of the named top-level functions, in a fixed order.

    `no_gradient` names arguments that need no gradient: cutting the graph there is equivalent.
    Signatures, docstrings and the rest of the module stay as they are. No two mutants have the
    same source, none is the original, and all compile. Raises SyntaxError when `source` does not
    parse and LookupError when a named function is not in it.
    """
    module = ast.parse(source)
    found = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    missing = sorted(set(functions) - set(found))
    if missing:
        raise LookupError(f"the model answer does not define {', '.join(missing)}")
    seen = {text_of(module) + "\n"}
    made: list[Mutant] = []
    for name, function in found.items():
        if name not in functions:
            continue
        scope = Scope(module, function, frozenset(no_gradient))
        for operator in OPERATORS:
            for edit in operator(scope):
                changed = text_of(substitute(module, edit.old, edit.new)) + "\n"
                if changed not in seen and _compiles(changed):
                    seen.add(changed)
                    made.append(_mutant(operator, scope, edit, changed))
    return made


def degenerate(functions: Mapping[str, object]) -> list[Mutant]:
    """Submissions that do nothing, each with every function written in the same empty way.

    `functions` maps a name to its signature: `"(x, lr=0.1)"`, `"shift(x, by=1.0)"` or an
    `inspect.Signature`. The ways: the first argument as it came, a constant 0 or 1 (as a number,
    or as a tensor like the first argument), None, the first argument times 0, and no function
    at all. A function without arguments returns None where a first one is wanted.
    """
    names = ", ".join(functions)
    made = []
    for kind, body in DEGENERATE_BODIES.items():
        parts = ["import torch\n"]
        for name, signature in functions.items():
            header = f"def {name}{str(signature).strip().removeprefix(name)}:"
            first = _first_argument(header)
            line = body.format(first=first) if first or "{" not in body else "return None"
            parts.append(f"{header}\n    {line}\n")
        text = f"each function is only `{body.format(first='its first argument')}`"
        made.append(Mutant(f"degenerate-{kind}", names, 1, text, "\n\n".join(parts)))
    text = "the file defines nothing"
    made.append(Mutant("degenerate-empty", names, 1, text, "import torch\n"))
    return made


def _mutant(operator: Operator, scope: Scope, edit: Edit, source: str) -> Mutant:
    line: int = getattr(edit.at, "lineno", scope.function.lineno)
    text = edit.text
    if not text:
        statement = scope.statement_of(edit.at)
        after: Any = substitute(statement, edit.old, edit.new)
        text = f"{headline(statement)} became {headline(after)}"
    return Mutant(
        operator=operator.__name__.replace("_", "-"),
        function=scope.function.name,
        line=line,
        description=f"line {line}: {text}",
        source=source,
        equivalent=edit.equivalent,
    )


def _compiles(source: str) -> bool:
    """Whether the source compiles; moving statements can put a break outside its loop."""
    try:
        compile(source, "<mutant>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _first_argument(header: str) -> str:
    function = ast.parse(f"{header}\n    pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return arguments[0].arg if arguments else ""
