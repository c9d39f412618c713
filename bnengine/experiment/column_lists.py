"""What a recipe says about single columns: lists that begin with a column's name, checked when a recipe is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

from pydantic import BeforeValidator

from bnengine._core.setting_kinds import Kind, composed, items_of, repeated, text
from bnengine._core.validation import MOST_BINS as MOST_BINS
from bnengine.data.missing import OF_COLUMNS
from bnengine.data.reading_options import LIMITS
from bnengine.data.repairs.making import check_steps
from bnengine.data.rows_and_states import check_condition
from bnengine.discretization.cut_points import checked_points
from bnengine.discretization.discretize import DISCRETIZATIONS

NO_DISCRETIZATION = "none"
#: The method of a column that is kept as numbers.
KEPT = "number"
#: The method of a column whose cut points are given.
BY_HAND = "hand"
Lists = Sequence[Sequence[str]]


def _lists(check: Callable[[Lists], None], value: Any) -> tuple[tuple[str, ...], ...]:
    """Return lists with every part as a string; refuse what is no list of lists."""
    lists = [items_of(one) for one in items_of(value)]
    if len(lists) > LIMITS.columns:
        raise ValueError(f"{len(lists):,} lists are given; a table has at most {LIMITS.columns:,} columns")
    found = tuple(
        tuple(str(part) if type(part) is int and abs(part) < 10**9 else composed(text(part)) for part in one)
        for one in lists
    )
    check(found)
    return found


def _check_treatments(treatments: Lists) -> None:
    known = (NO_DISCRETIZATION, KEPT, *DISCRETIZATIONS)
    for one in treatments:
        name, how = (one[0] if one else ""), one[1:]
        if how[:1] == (BY_HAND,):
            checked_points(name, how[1:])
            continue
        if not 1 <= len(how) <= 2 or how[0] not in known or (len(how) > 1 and not _is_whole(how[1])):
            raise ValueError(
                f"per_column takes (column, method) or (column, method, bins), the method one of {', '.join(known)}, "
                f"or (column, {BY_HAND}, cut point, …); got {', '.join(one)}"
            )
        if len(how) > 1 and not 2 <= int(how[1]) <= MOST_BINS:
            raise ValueError(f"per_column: the bins of '{name}' must be from 2 to {MOST_BINS:,}; got {how[1]}")
    _check_once("per_column", treatments)


def _check_conditions(conditions: Lists) -> None:
    for one in conditions:
        check_condition(one)


def _check_policies(policies: Lists) -> None:
    for one in policies:
        if len(one) != 2 or one[1] not in OF_COLUMNS:
            known = ", ".join(OF_COLUMNS)
            raise ValueError(f"missing_in takes (column, policy), the policy one of {known}; got {', '.join(one)}")
    _check_once("missing_in", policies)


def _check_names(names: Lists) -> None:
    for one in names:
        if len(one) != 2 or not all(part.strip() for part in one):
            raise ValueError(f"renamed takes (column, new name); got {', '.join(one) or 'nothing'}")
    _check_once("renamed", names)
    _check_once("renamed", [one[::-1] for one in names])


def _check_orders(orders: Lists) -> None:
    for one in orders:
        if len(one) < 2 or len(set(one[1:])) < len(one) - 1:
            raise ValueError(f"states takes (column, first state, …), each state once; got {', '.join(one)[:80]}")
    _check_once("states", orders)


def _check_rare(rare: Lists) -> None:
    for one in rare:
        if len(one) != 2 or not _is_whole(one[1]) or int(one[1]) < 2:
            raise ValueError(f"rare takes (column, rows), a whole number of 2 or more; got {', '.join(one)}")
    _check_once("rare", rare)


def _check_once(field: str, lists: Lists) -> None:
    twice = repeated(one[0] for one in lists)
    if twice is not None:
        raise ValueError(f"{field} names '{twice}' twice; name each column once")


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _kind(check: Callable[[Lists], None], meant: str) -> tuple[BeforeValidator, Kind]:
    return BeforeValidator(partial(_lists, check)), Kind("treatments", meant)


Treatments = Annotated[Lists, *_kind(_check_treatments, 'a list of treatments, such as [["age", "width", "4"]]')]
Repairs = Annotated[Lists, *_kind(check_steps, 'a list of repairs, such as [["missing", "age", "99"]]')]
Conditions = Annotated[Lists, *_kind(_check_conditions, 'a list of conditions, such as [["age", "at_least", "18"]]')]
Policies = Annotated[Lists, *_kind(_check_policies, 'a list of columns with a policy, such as [["age", "own_state"]]')]
NewNames = Annotated[Lists, *_kind(_check_names, 'a list of columns with a new name, such as [["q1", "age"]]')]
Orders = Annotated[
    Lists, *_kind(_check_orders, 'a list of columns with their states, such as [["size", "small", "large"]]')
]
Rare = Annotated[Lists, *_kind(_check_rare, 'a list of columns with a number of rows, such as [["region", "5"]]')]
