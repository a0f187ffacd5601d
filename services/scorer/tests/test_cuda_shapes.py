"""The shapes of batches that the GPU backend records."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_scorer.adapters.cuda_shapes import Shape, Shapes

LONGEST = 256
SHAPES = Shapes(longest=LONGEST, most_tokens=65_536)


@given(longest=st.integers(1, LONGEST), share=st.floats(0, 1), most=st.integers(1, 1 << 17))
def test_every_batch_that_is_allowed_finds_a_shape_that_was_recorded(
    longest: int, share: float, most: int
) -> None:
    shapes = Shapes(longest=LONGEST, most_tokens=most)
    texts = max(1, round(share * shapes.most_texts(longest)))
    found = shapes.holding(texts, longest)
    assert found in set(shapes)
    assert found.texts >= texts
    assert found.tokens >= longest
    assert found.texts * found.tokens <= max(most, 8 * LONGEST)


def test_the_smallest_that_holds_it_is_taken() -> None:
    assert SHAPES.holding(31, 64) == Shape(32, 64)
    assert SHAPES.holding(33, 65) == Shape(64, 96)
    assert SHAPES.holding(1, LONGEST) == Shape(8, LONGEST)


def test_the_largest_is_recorded_first() -> None:
    sizes = [shape.texts * shape.tokens for shape in SHAPES]
    assert sizes == sorted(sizes, reverse=True)


def test_what_is_too_large_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="512 texts of 256 tokens: at most 256"):
        SHAPES.holding(512, LONGEST)
    with pytest.raises(ValueError, match="a text of 300 tokens: the model reads 256"):
        SHAPES.holding(1, 300)
