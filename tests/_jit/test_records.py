"""Pointers are taken of arguments only (see ``pointer_to``), and records refuse arrays that are not what they say."""

import ast
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import bnengine
from bnengine._jit.records import allocate, handle_of

PACKAGE = Path(bnengine.__file__).parent


def first_name(expression):
    """``x`` of ``x`` and of ``x.y.z``; None for anything else."""
    while isinstance(expression, ast.Attribute):
        expression = expression.value
    return expression.id if isinstance(expression, ast.Name) else None


def pointers_taken():
    """Each call of ``pointer_to`` in the engine: where, of what, and the arguments of the function around it."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.parent.name == "_jit":
            continue
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                arguments = {argument.arg for argument in function.args.args}
                assigned = {
                    node.id
                    for node in ast.walk(function)
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                }
                for call in ast.walk(function):
                    if isinstance(call, ast.Call) and first_name(call.func) == "pointer_to":
                        yield f"{path.name}:{call.lineno}", first_name(call.args[0]), arguments - assigned


@pytest.mark.slow
def test_pointers_are_taken_of_arguments_only():
    taken = list(pointers_taken())
    assert len(taken) > 10
    assert [where for where, name, arguments in taken if name not in arguments] == []


class Pair(NamedTuple):
    numbers: npt.NDArray[np.int64]
    n: int


@pytest.mark.parametrize("numbers", [np.arange(4.0), np.arange(8)[::2], np.zeros((2, 2), dtype=np.int64).T[:1]])
def test_an_array_of_another_kind_is_refused(numbers):
    with pytest.raises(ValueError, match="numbers"):
        handle_of(Pair(numbers, 4))


class Room(NamedTuple):
    numbers: Annotated[npt.NDArray[np.int64], "V + 1"]
    flags: Annotated[npt.NDArray[np.uint8], "V, n"]
    n: int


def test_room_has_the_declared_shapes_and_types():
    room = allocate(Room, V=2, n=3)
    assert (room.numbers.tolist(), room.numbers.dtype, room.n) == ([0, 0, 0], np.int64, 3)
    assert (room.flags.tolist(), room.flags.dtype) == ([[0] * 3] * 2, np.uint8)
