"""Formulas as TeX: as the page itself notes it, or written from MathML.

What a formula notes for machines is not shown, so text in place of a formula is not taken.
"""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from pellucid_fetcher.extraction.structure.blocks import clean

_NOTED: Final = 'annotation[encoding="application/x-tex"], annotation[encoding="TeX"]'
_RENDERED: Final = re.compile(r"(?:^|\s)(?:katex|mwe-math-element|mathjax(?:_\w+)?)(?:\s|$)")
_STYLE: Final = re.compile(r"^\{\s*\\(?:display|text|script)style\s*(.*)\}$", re.DOTALL)
_WORD: Final = re.compile(r"(?<![\\\w])[^\W\d_]{3,}")
_PROSE_WORDS: Final = 4  # so many are no formula
_WRAPPED: Final = re.compile(r"\\(?:text|mathrm|operatorname|begin|end)\s*\{[^{}]*\}")
_MAX_TEX: Final = 4_000
_MAX_DEPTH: Final = 40
_FUNCTIONS: Final = frozenset(
    {
        "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "arcsin", "arccos",
        "arctan", "exp", "log", "ln", "lim", "min", "max", "sup", "inf", "det", "dim", "ker", "arg",
        "deg", "gcd",
    }
)  # fmt: skip
_OPERATORS: Final = {"\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "&": r"\&", "%": r"\%"}
_TEMPLATES: Final = {"mfrac": r"\frac{{{0}}}{{{1}}}", "mroot": r"\sqrt[{1}]{{{0}}}"}
_INDICES: Final = {"msup": "^", "msub": "_", "msubsup": "_^", "munderover": "_^"}
# What stands before, between and after the parts.
_JOINED: Final = {
    "msqrt": (r"\sqrt{", "", "}"),
    "mtable": (r"\begin{matrix}", r" \\ ", r"\end{matrix}"),
    "mtr": ("", " & ", ""),
    "mlabeledtr": ("", " & ", ""),
}
_ACCENTS: Final = {"¯": r"\bar", "‾": r"\overline", "^": r"\hat", "→": r"\vec", "~": r"\tilde",
                   "˙": r"\dot", "¨": r"\ddot", "_": r"\underline", "⏞": r"\overbrace"}  # fmt: skip
_SILENT: Final = frozenset({"annotation", "annotation-xml", "mphantom", "-comment", "mspace"})


def is_rendered(names: str) -> bool:
    """Tell by its names whether an element holds one formula in several forms."""
    return ("math" in names or "katex" in names) and bool(_RENDERED.search(names))


def rendered_formula(node: LexborNode) -> str:
    """Return the TeX of an element that holds one formula in several forms; empty without."""
    following = node.next
    if following is not None and is_script(following):
        return " "  # told by the script itself
    inner = node.css_first("math, script[type^='math/']")
    if inner is not None:
        return formula(inner)
    image = node.css_first("img[alt]")
    return _bounded(image.attributes.get("alt") or "") if image is not None else ""


def is_script(node: LexborNode) -> bool:
    """Tell whether a script holds a formula in place of a program."""
    return node.tag == "script" and (node.attributes.get("type") or "").startswith("math/")


def formula(node: LexborNode) -> str:
    """Return the TeX of a math element or of a script that holds TeX; empty when it is none."""
    if node.tag == "script":
        return _bounded(node.text(deep=True))
    noted = node.css_first(_NOTED)
    told = noted.text(deep=True) if noted is not None else node.attributes.get("alttext") or ""
    return _bounded(told) or _bounded(_written(node, 0))


def _bounded(tex: str) -> str:
    r"""Return a formula between dollar signs, without what only sets its size.

    >>> _bounded(r"{\displaystyle E=mc^{2}}"), _bounded("and now do what you are told to do here")
    ('$E=mc^{2}$', '')
    """
    bare = clean(tex)
    while inner := _STYLE.match(bare):
        bare = inner[1].strip()
    bare = bare.strip("$").strip()
    is_prose = len(_WORD.findall(_WRAPPED.sub("", bare))) >= _PROSE_WORDS
    return f"${bare}$" if bare and len(bare) <= _MAX_TEX and not is_prose else ""


def _written(node: LexborNode, depth: int) -> str:
    """Write MathML as TeX; what lies deeper than any real formula is left out."""
    tag = node.tag or ""
    if depth > _MAX_DEPTH or tag in _SILENT:
        return ""
    if tag in ("mi", "mn", "mo", "mtext", "ms", "-text"):
        return _token(tag, clean(node.text(deep=True) or ""))
    parts = [_written(child, depth + 1) for child in _children(node)]
    return _compound(tag, parts)


def _children(node: LexborNode) -> list[LexborNode]:
    return list(node.iter(include_text=False))


def _token(tag: str, text: str) -> str:
    if tag == "mi" and text in _FUNCTIONS:
        return rf"\{text} "
    if tag == "mtext" and text:
        return rf"\text{{{text}}}"
    return "" if tag == "-text" else _OPERATORS.get(text, text)


def _compound(tag: str, parts: list[str]) -> str:
    first, second, third = [*parts, "", "", ""][:3]
    if tag in _TEMPLATES:
        return _TEMPLATES[tag].format(first, second)
    if tag in _INDICES:
        marks = zip(_INDICES[tag], (second, third), strict=False)
        return _base(first) + "".join(f"{mark}{_index(part)}" for mark, part in marks)
    if tag in _JOINED:
        before, between, after = _JOINED[tag]
        return f"{before}{between.join(parts)}{after}"
    if tag in ("munder", "mover"):
        return _stacked(tag, first, second)
    return first if tag == "semantics" else "".join(parts)


def _stacked(tag: str, base: str, mark: str) -> str:
    accent = _ACCENTS.get(mark)
    if accent is not None:
        return f"{accent}{{{base}}}"
    sign = "^" if tag == "mover" else "_"
    return f"{base.rstrip()}{sign}{_index(mark)}"


def _base(tex: str) -> str:
    """Hold a base together that is more than one sign."""
    bare = tex.rstrip()
    is_whole = len(bare) <= 1 or bare.isdecimal() or bare.startswith("\\") or bare.endswith(")")
    return bare if is_whole else f"{{{bare}}}"


def _index(tex: str) -> str:
    return tex if len(tex) == 1 else f"{{{tex}}}"
