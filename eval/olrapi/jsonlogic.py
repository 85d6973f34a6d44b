"""JsonLogic: the operators that queries over notes are made of, evaluated as JavaScript does."""

from __future__ import annotations

import fnmatch
import operator
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any


class UnknownOperator(Exception):
    """The query uses an operator that there is not."""


def apply(rule: Any, data: Mapping[str, Any]) -> Any:
    """What a rule makes of the data."""
    if isinstance(rule, list):
        return [apply(part, data) for part in rule]
    if not isinstance(rule, dict) or len(rule) != 1:
        return rule
    ((name, written),) = rule.items()
    parts = written if isinstance(written, list) else [written]
    if name in _LAZY:
        return _LAZY[name](parts, data)
    values = [apply(part, data) for part in parts]
    if name == "var":
        return _variable(data, *values)
    if name not in _EAGER:
        raise UnknownOperator(f"Unrecognized operation {name}")
    return _EAGER[name](*values)


def is_true(value: Any) -> bool:
    """Whether JsonLogic takes a value for true; an empty list or object is not."""
    return bool(value)


def _variable(data: Any, name: Any = "", default: Any = None) -> Any:
    if name in ("", None):
        return data
    for step in str(name).split("."):
        if isinstance(data, Mapping) and step in data:
            data = data[step]
        elif isinstance(data, list) and step.isdigit() and int(step) < len(data):
            data = data[int(step)]
        else:
            return default
    return data


def _if(parts: list[Any], data: Mapping[str, Any]) -> Any:
    while len(parts) > 1:
        if is_true(apply(parts[0], data)):
            return apply(parts[1], data)
        parts = parts[2:]
    return apply(parts[0], data) if parts else None


def _until(stop: bool) -> Callable[[list[Any], Mapping[str, Any]], Any]:
    def chain(parts: list[Any], data: Mapping[str, Any]) -> Any:
        value = None
        for part in parts:
            value = apply(part, data)
            if is_true(value) is stop:
                break
        return value

    return chain


def _equal(left: Any, right: Any) -> bool:
    return type(left) is type(right) and left == right


def _in(needle: Any, hay: Any) -> bool:
    if isinstance(hay, list):
        return any(_equal(needle, item) for item in hay)
    return isinstance(hay, str) and isinstance(needle, str) and needle in hay


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    def judge(*values: Any) -> bool:
        return all(type(a) is type(b) and compare(a, b) for a, b in pairwise(values))

    return judge


def _matches(find: Callable[[str, str], Any]) -> Callable[[Any, Any], bool]:
    def judge(pattern: Any, text: Any) -> bool:
        return isinstance(pattern, str) and isinstance(text, str) and bool(find(pattern, text))

    return judge


_LAZY = {"if": _if, "?:": _if, "and": _until(False), "or": _until(True)}
_EAGER: dict[str, Callable[..., Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "===": _equal,
    "!==": lambda left, right: not _equal(left, right),
    ">": _ordered(operator.gt),
    ">=": _ordered(operator.ge),
    "<": _ordered(operator.lt),
    "<=": _ordered(operator.le),
    "!": lambda value=None: not is_true(value),
    "!!": lambda value=None: is_true(value),
    "in": _in,
    "glob": _matches(lambda pattern, text: fnmatch.fnmatchcase(text, pattern)),
    "regexp": _matches(re.search),
}
