"""No string of a page or provider is put into a text of ours past the door that escapes it.

The code is read, not run: a value of an untrusted field is followed through local names, loops,
choices, slices and methods of strings. Where it is joined to other text, by an f-string, `+`, `%`,
`join` or `format`, it must have gone through a function on the way, as the escaping ones are.
"""

import ast
import textwrap
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest

import pellucid_gateway

# What pages and providers wrote, as attributes and keys are named here.
UNTRUSTED = frozenset(
    {
        *("title", "snippet", "facts", "publisher", "site_name", "cited_text", "passage"),
        *("description", "author", "heading", "excerpt", "attribution", "summary"),
    }
)
# Methods whose result is as untrusted as the string.
SAME = frozenset(
    {
        *("strip", "lstrip", "rstrip", "replace", "removeprefix", "removesuffix", "title", "lower"),
        *("upper", "capitalize", "casefold", "split", "partition", "rpartition", "splitlines"),
        *("format", "join"),
    }
)
# Texts that no reader of Markdown sees, and one that is escaped when it is whole.
NOT_MARKDOWN = {
    "answering/choice.py:about_the_named": "compared",
    "answering/context.py": "prompt",
    "answering/excerpt_worth.py:_with_about": "compared",
    "answering/korean_list.py:_summary": "escaped when whole",
    "answering/page_model.py:_prompt": "prompt",
    "answering/page_model.py:_with_points": "facts, joined to facts",
    "answering/particulars.py:_subject": "prompt",
    "answering/sufficiency.py": "compared",
    "conflicts/answer_values.py": "compared",
    "domain/findings.py:found_in": "compared",
    "verification/stream.py:__init__": "compared",
    "verification/claim_extraction.py:claims_of": "compared",
    "verification/source_lists.py": "compared",
    "verification/judge.py": "judged",
    "verification/passages.py": "judged",
    "retrieval/labels.py:_attribution": "a field of its own",
    "retrieval/sources.py:_language_of": "read for its language",
    "retrieval/strangers.py:_mentions": "compared",
    "turn/follow_ups.py": "compared",
    "turn/page_follow_ups.py:with_named_page": "asked of the decision service",
    "turn/replay.py:_source": "facts, joined to facts",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Names = AbstractSet[str]


def _is_raw(value: ast.AST, names: Names) -> bool:
    """Whether an expression may have an untrusted string in it that no function has seen."""
    match value:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            is_raw = name in UNTRUSTED
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=name), *_]):
            is_raw = name in UNTRUSTED
        case ast.Name(id=name):
            is_raw = name in names
        case (
            ast.GeneratorExp(elt=each, generators=loops) | ast.ListComp(elt=each, generators=loops)
        ):
            looped = {name for loop in loops if _is_raw(loop.iter, names) for name in _bound(loop)}
            is_raw = _is_raw(each, names | looped)
        case _:
            is_raw = False
    return is_raw or any(_is_raw(part, names) for part in _parts(value))


def _parts(value: ast.AST) -> Sequence[ast.AST]:
    """Expressions of which an expression is made without a function between."""
    match value:
        case ast.Subscript(value=whole) | ast.Starred(value=whole) | ast.NamedExpr(value=whole):
            parts = [whole]
        case ast.BoolOp(values=values) | ast.Tuple(elts=values) | ast.List(elts=values):
            parts = values
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            parts = [one, other]
        case ast.JoinedStr(values=values):
            parts = [each.value for each in values if isinstance(each, ast.FormattedValue)]
        case ast.Call(func=ast.Attribute(value=string, attr=method)) if method in SAME:
            parts = [string, *_given(value)]
        case _:
            parts = []
    return parts


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _bound(loop: ast.comprehension | ast.For | ast.AsyncFor) -> Iterator[str]:
    yield from (node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name))


def _raw_names(function: Function) -> Names:
    """Local names that hold such a string, or several."""
    names: set[str] = set()
    known = -1
    while len(names) > known:
        known = len(names)
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=targets, value=value) if _is_raw(value, names):
                    names |= {t.id for t in targets if isinstance(t, ast.Name)}
                case (
                    ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                    | ast.AugAssign(target=ast.Name(id=name), value=value)
                    | ast.NamedExpr(target=ast.Name(id=name), value=value)
                ) if _is_raw(value, names):
                    names.add(name)
                case ast.For() | ast.AsyncFor() if _is_raw(node.iter, names):
                    names |= set(_bound(node))
    return names


def _joins(node: ast.AST, names: Names) -> bool:
    """Whether a node puts such a string into a text."""
    match node:
        case ast.FormattedValue(value=value):
            return _is_raw(value, names)
        case ast.BinOp(op=ast.Add() | ast.Mod()):
            return _is_raw(node, names)
        case ast.Call(func=ast.Attribute(attr="join" | "format" | "format_map" | "substitute")):
            return any(_is_raw(each, names) for each in _given(node))
    return False


def _past_the_door(code: str) -> Iterator[str]:
    """Yield the functions that put such a string into a text."""
    for function in ast.walk(ast.parse(code)):
        if isinstance(function, Function):
            names = _raw_names(function)
            if any(_joins(node, names) for node in ast.walk(function)):
                yield function.name


def _places() -> set[str]:
    root = Path(pellucid_gateway.__file__).parent
    return {
        f"{path.relative_to(root).as_posix()}:{name}"
        for path in sorted(root.rglob("*.py"))
        for name in _past_the_door(path.read_text("utf-8"))
    }


def test_no_untrusted_string_is_written_past_the_door() -> None:
    places = _places()
    written = {
        place for place in places if not {place, place.partition(":")[0]} & NOT_MARKDOWN.keys()
    }
    assert written == set()
    known = places | {place.partition(":")[0] for place in places}
    assert NOT_MARKDOWN.keys() <= known, "an exception that nothing needs"


@pytest.mark.parametrize(
    "body",
    [
        'return f"**{source.title}**"',
        'return f"**{source.title.strip()[:80]}**"',
        'return "**" + source.title + "**"',
        'return "**%s**" % source.title',
        'return "**{}**".format(source.title)',
        'return "**{name}**".format(name=source.title)',
        'return "\\n".join(source.title for source in source.all)',
        'name = source.site_name or source.domain\nreturn f"by {name}"',
        'name = source.title\nshort = name[:20]\nreturn "- " + short',
        'for title in [source.title]:\n    return f"- {title}"',
        "return f\"- {source['title']}\"",
        "return f\"- {source.get('snippet')}\"",
        'if (said := source.snippet):\n    return f"> {said}"',
        'text = ""\ntext += source.snippet\nreturn f"{text}."',
        'return f"{source.snippet if source.snippet else 1}"',
    ],
)
def test_every_way_past_it_is_seen(body: str) -> None:
    assert list(_past_the_door(f"def said(source):\n{textwrap.indent(body, '    ')}")) == ["said"]


@pytest.mark.parametrize(
    "body",
    [
        'return f"**{escaped(source.title)}**"',
        'return "- " + link(source.title, source.url)',
        'name = escaped(source.title)\nreturn f"by {name}"',
        'return f"{len(source.facts)} facts"',
        'return f"{source.n}"',
        "return source.title",
    ],
)
def test_what_goes_through_it_is_none(body: str) -> None:
    assert list(_past_the_door(f"def said(source):\n{textwrap.indent(body, '    ')}")) == []
