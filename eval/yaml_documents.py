"""YAML for tests: PyYAML as the judge of what a block means, and documents made at random."""

import math

import yaml
from hypothesis import strategies as st


class Judge(yaml.SafeLoader):
    """SafeLoader, but that keys, dates, times and infinite numbers come back as written."""


def _as_written(loader, node):
    return node.value


def _integer(loader, node):
    return node.value if ":" in node.value else loader.construct_yaml_int(node)


def _float(loader, node):
    if ":" in node.value:
        return node.value
    number = loader.construct_yaml_float(node)
    return number if math.isfinite(number) else node.value


def _map(loader, node):
    made = {}
    yield made
    for key, value in node.value:
        assert key.value not in made
        made[key.value] = loader.construct_object(value, deep=True)


for _name, _constructor in {
    "timestamp": _as_written,
    "int": _integer,
    "float": _float,
    "map": _map,
}.items():
    Judge.add_constructor(f"tag:yaml.org,2002:{_name}", _constructor)


def judged(text):
    """What PyYAML says the frontmatter of a note means, found without the code under test."""
    opening, _, rest = text.removeprefix("\ufeff").partition("\n")
    assert opening.rstrip() == "---"
    inner = []
    for line in rest.splitlines(keepends=True):
        if line.rstrip() == "---":
            return yaml.load("".join(inner), Judge) or {}
        inner.append(line)
    raise AssertionError("the block does not end")


WORDS = st.sampled_from(
    ["x", "Ada", "two words", "é", "12", "yes", "~", "1e3", "010", "2026-01-05", "12:30", "a:b"]
)
PLAIN = st.one_of(WORDS, st.sampled_from(["x - y", "-1", "a, b [c]", "it's", "C#", ":x"]))
QUOTED = st.sampled_from(['"x: y"', "'it''s # x'", '"\\u00e9\\n"', '""', "''", '"---"'])
SCALAR = st.one_of(PLAIN, QUOTED)
FLOW = st.recursive(
    st.one_of(WORDS, QUOTED),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"),
        st.lists(inner, max_size=3).map(
            lambda items: "{" + ", ".join(f"k{n}: {item}" for n, item in enumerate(items)) + "}"
        ),
    ),
    max_leaves=5,
)
COMMENT = st.sampled_from(["", "", " # said", "   # a: b"])
_ROWS = st.lists(
    st.sampled_from(["x", " y", "# z", "", "a: b", "- c", "\tt"]), min_size=1, max_size=4
)


@st.composite
def _block_scalar(draw, margin):
    head = draw(st.sampled_from(["|", ">", "|-", ">+", "|+", ">-"]))
    lines = ["first", *draw(_ROWS)]
    return [f" {head}{draw(COMMENT)}", *(margin + line if line else "" for line in lines)]


@st.composite
def _sequence(draw, margin):
    lines = [draw(COMMENT)]
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(st.sampled_from([[], [], [f"{margin}# between"], [""]]))
        item = draw(st.one_of(SCALAR, FLOW, st.just(""), st.just("k: 1"), st.just("- deep")))
        lines.append(f"{margin}- {item}".rstrip() + draw(COMMENT))
    return lines


@st.composite
def _map_below(draw, margin):
    values = draw(st.lists(st.one_of(SCALAR, FLOW), min_size=1, max_size=3))
    return [
        draw(COMMENT),
        *(f"{margin}m{n}: {value}{draw(COMMENT)}" for n, value in enumerate(values)),
    ]


@st.composite
def _several_lines(draw):
    return draw(
        st.sampled_from(
            [
                [" one", "  two", "", "  three"],
                [' "one', "", '  two"'],
                [" 'one", "", "  two' # said"],
                ["", "  below"],
                [" [one,", "  two, # said", "", "]"],
                [" {a: 1,", "   b: [2,", "   3]}"],
            ]
        )
    )


@st.composite
def values(draw):
    """The lines of a value in any style; the first one goes behind the colon."""
    margin = draw(st.sampled_from(["  ", "    "]))
    return draw(
        st.one_of(
            st.builds(lambda text, comment: [f" {text}{comment}"], SCALAR, COMMENT),
            st.builds(lambda text, comment: [f" {text}{comment}"], FLOW, COMMENT),
            st.sampled_from([[""], [" "], [" # said"]]),
            _block_scalar(margin),
            _sequence(margin),
            _sequence(""),
            _map_below(margin),
            _several_lines(),
        )
    )


KEYS = ["title", "tags", '"quoted"', "two words", "'it''s'", "yes", "2024"]


@st.composite
def notes(draw):
    """A note as (before, [lines of each key], after): joined they are its text."""
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True))
    parts = []
    for key in keys:
        lines = draw(values())
        parts.append([key + ":" + lines[0], *lines[1:]])
    texts = ["".join(line + eol for line in part) for part in parts]
    remark = draw(st.sampled_from(["", f"# remark: x{eol}"]))
    before = draw(st.sampled_from(["", "\ufeff"])) + f"---{eol}" + remark
    end = draw(st.sampled_from(["", f"...{eol}"]))
    body = draw(st.sampled_from(["", f"# T{eol}{eol}title: no{eol}", f"---{eol}x", "mixed\r\nx\n"]))
    return before, texts, f"{end}---{eol}{body}"
