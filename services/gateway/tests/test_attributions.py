"""How a sentence reads with another publisher, or without the one that it names wrongly."""

import pytest

from pellucid_gateway.verification.attributions import find_attributions, renamed, without


@pytest.mark.parametrize(
    ("text", "name", "left", "right"),
    [
        (
            "It opened on 1 May, as The Herald confirmed on 3 May.",
            "The Herald",
            "It opened on 1 May.",
            "It opened on 1 May, as the Post confirmed on 3 May.",
        ),
        (
            "As Reuters reported, it opened.",
            "Reuters",
            "It opened.",
            "As the Post reported, it opened.",
        ),
        (
            "Er kam, wie die Zeit berichtet, zu spät.",
            "die Zeit",
            "Er kam, zu spät.",
            "Er kam, wie the Post berichtet, zu spät.",
        ),
        (
            "The sources report that it opened.",
            "The sources",
            "It opened.",
            "the Post report that it opened.",
        ),
        (
            "공사비는 새솔 일보에 따르면 13억이다.",
            "새솔 일보",
            "공사비는 13억이다.",
            "공사비는 the Post에 따르면 13억이다.",
        ),
    ],
)
def test_a_naming_goes_whole_or_is_replaced_whole(
    text: str, name: str, left: str, right: str
) -> None:
    (found,) = find_attributions(text)

    assert found.name == name
    assert without(text, found) == left
    assert renamed(text, found, "the Post") == right


@pytest.mark.parametrize(
    "text",
    [
        "None of the sources reports a crash.",
        "Two of the search results say so.",
        "Neither of the web results says more.",
        "Quill 4.2 릴리스 안내에 따르면 지원된다.",
    ],
)
def test_some_of_the_sources_and_other_texts_are_no_publisher(text: str) -> None:
    assert find_attributions(text) == ()
