"""Which of the tagged words make up the queries."""

from pellucid_decision.understanding.limits import word_count
from pellucid_decision.understanding.query_assembly import Constants, decode, written
from pellucid_decision.understanding.words import Piece, words_of


def queries(*texts: str, constants: Constants = Constants(), **shares: float) -> list[str]:  # noqa: B008 - frozen
    """Decode texts whose words have the given probability in the first query, the others 0.01.

    A word of a second query has a number above 1: 1.9 is .9 in the second.
    """
    pieces = []
    for number, text in enumerate(texts):
        for word, share in shares.items():
            place = text.find(word)
            if place >= 0:
                tags = (share, 0.0, 0.0) if share <= 1 else (0.0, share - 1, 0.0)
                pieces.append(Piece(number, place, place + len(word), tags))
    return [written(query) for query in decode(words_of(texts, pieces), constants)]


def test_words_of_the_history_come_first_and_nothing_repeats() -> None:
    texts = ["and the toll for vans, Oslo?", "Driving to Oslo", "Take the Svinesund bridge"]
    tags = {"toll": 0.9, "vans": 0.8, "Oslo": 0.7, "Svinesund": 0.9, "bridge": 0.6}
    assert queries(*texts, **tags) == ["Oslo Svinesund bridge toll vans"]


def test_a_text_may_say_a_word_twice() -> None:
    tags = dict.fromkeys(("The", "Salt", "of", "the", "Quiet", "Earth"), 0.9)
    assert queries("who wrote The Salt of the Quiet Earth?", **tags) == [
        "The Salt of the Quiet Earth"
    ]


def test_words_in_another_order_than_they_were_said_stay_apart() -> None:
    pieces = [Piece(0, 0, 6, (0.9, 0, 0)), Piece(0, 7, 12, (0.9, 0, 0))]
    first, second = words_of(["Quanto Porto"], pieces)
    assert written([second, first]) == "Porto Quanto"


def test_a_name_is_kept_whole_or_left_whole() -> None:
    text = "does Sunniva Tarrant like Nils Berg"
    assert queries(text, Sunniva=0.9, Tarrant=0.1, like=0.4, Nils=0.2, Berg=0.2) == [
        "Sunniva Tarrant like"
    ]


def test_punctuation_parts_names() -> None:
    assert queries("Ask Oslo, Bergen", Oslo=0.9, Bergen=0.1, Ask=0.4) == ["Ask Oslo"]
    tags = {"Oslo": 0.9, "Post": 0.1, "Bergen": 0.4}
    assert queries("Post (Oslo) of Bergen", **tags) == ["Oslo Bergen"]
    assert queries("Post “Oslo Bergen”", **tags) == ["Oslo Bergen"]


def test_a_unit_stays_with_its_number() -> None:
    tags = {"ferry": 0.9, "20": 0.2, "km": 0.6, "car": 0.7}
    assert queries("ferry within 20 km by car", **tags) == ["ferry 20 km car"]


def test_a_single_gap_is_closed_when_its_word_is_not_far_below() -> None:
    near = queries("bowl of soup", bowl=0.9, of=0.2, soup=0.9)
    assert near == ["bowl of soup"]
    assert queries("bowl of soup", bowl=0.9, of=0.03, soup=0.9) == ["bowl soup"]


def test_a_lone_word_is_joined_by_the_next_most_probable() -> None:
    assert queries("please, mango season", mango=0.9, season=0.2, please=0.11) == ["mango season"]
    assert queries("please, mango season", mango=0.9, season=0.05) == ["mango"]


def test_a_second_query_needs_confidence_and_a_new_word() -> None:
    tags = {"Oslo": 0.9, "toll": 0.9}
    assert queries("Oslo toll and ferry", **tags, ferry=1.8) == ["Oslo toll", "ferry"]
    assert queries("Oslo toll and ferry", **tags, ferry=1.4) == ["Oslo toll"]


def test_nothing_is_made_of_nothing() -> None:
    assert queries("good morning", good=0.1, morning=0.19) == []


def test_east_asian_pieces_join_where_they_touch() -> None:
    text = "東京の天気は"
    assert queries(text, 東京=0.9, の=0.01, 天気=0.9) == ["東京 天気"]
    assert queries(text, 東京=0.9, の=0.2, 天気=0.9) == ["東京の天気"]


def test_a_foreign_name_in_katakana_stays_whole() -> None:
    assert queries("アルトマンは誰", アルト=0.9, マン=0.1, 誰=0.8) == ["アルトマン 誰"]


def test_a_slash_joins_again_what_it_parted() -> None:
    tags = {"speed": 0.9, "km": 0.8, "h": 0.8}
    assert queries("speed in km/h", **tags, **{"in": 0.01}) == ["speed km/h"]


def test_an_article_that_lost_its_vowel_goes_when_its_noun_stands_alone() -> None:
    tags = {"l'accès": 0.9, "plage": 0.9, "changement": 0.9, "d'heure": 0.9}
    got = queries("l'accès à la plage, changement d'heure", **tags)
    assert got == ["accès plage changement d'heure"]


def test_what_is_too_long_loses_the_least_probable_words_and_leaves_them_to_another_query() -> None:
    words = "alpha bravo charlie delta echo foxtrot golf hotel"
    tags = {word: 0.9 - number / 100 for number, word in enumerate(words.split())}
    first, second = queries(words, **tags)
    assert first == "alpha bravo charlie delta echo foxtrot"
    assert second == "alpha bravo charlie golf hotel"
    assert word_count(first) <= Constants().most_words


def test_a_single_plain_word_too_many_is_not_worth_a_query() -> None:
    words = "alpha bravo charlie delta echo foxtrot golf"
    tags = {word: 0.9 - number / 100 for number, word in enumerate(words.split())}
    assert queries(words, **tags) == ["alpha bravo charlie delta echo foxtrot"]


def test_pieces_of_a_word_count_by_their_mean() -> None:
    pieces = (Piece(0, 0, 4, (0.9, 0, 0)), Piece(0, 4, 8, (0.1, 0, 0)))
    (word,) = words_of(["unhappy?"], pieces)
    assert (word.surface, word.queries[0]) == ("unhappy", 0.5)


def test_pieces_beyond_the_text_are_left_out() -> None:
    assert words_of(["Oslo"], [Piece(0, 4, 9, (0.9, 0, 0))]) == ()


def test_a_piece_without_a_character_of_its_own_repeats_none() -> None:
    pieces = (Piece(0, 0, 1, (0.8, 0, 0)), Piece(0, 0, 2, (0.9, 0, 0)), Piece(0, 2, 3, (0, 0, 0)))
    words = words_of(["东京的"], pieces)
    assert [(word.surface, word.queries[0]) for word in words] == [("东京", 0.9), ("的", 0)]


def test_korean_words_stay_whole() -> None:
    pieces = (Piece(0, 0, 2, (0.9, 0, 0)), Piece(0, 2, 5, (0.2, 0, 0)), Piece(0, 6, 8, (0.9, 0, 0)))
    assert written(decode(words_of(["스카이라인 루지"], pieces))[0]) == "스카이라인 루지"


def test_no_bracket_of_a_call_is_left_open() -> None:
    assert queries("why does connect() hang", connect=0.9, hang=0.8) == ["connect hang"]
