"""Proper names of texts. All texts are our own."""

from pellucid_language.names import names


def test_names_are_read_whole_and_titles_are_none() -> None:
    text = "According to Dr. John Smith, OpenAI's board met in New York City. Sales rose."
    found = names(text)

    assert [name.written for name in found] == ["Dr John Smith", "OpenAI", "New York City"]
    assert found[0].parts == ("john", "smith")
