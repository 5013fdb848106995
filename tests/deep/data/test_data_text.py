from __future__ import annotations

import csv
import doctest
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deep.data import TokenDataset, make_dataset, official_split
from deep.data import words as words_module
from deep.data.sets import news
from deep.data.sets.news import ag_news, ag_news_texts, sentiment140, sentiment140_texts
from deep.data.words import PADDING, UNKNOWN, build_vocabulary, encode, words

NEWS = [
    ("3", "Wall St. Bears", 'claw back\\into the black, "again"'),
    ("1", "Wall", "of the bears"),
    ("4", "New", "bears"),
]
TWEETS = [
    ("0", "ann", "is upset that he can't update"),
    ("4", "bob", "@ann I'm happy café"),
    ("4", "ann", "upset no more"),
]


def write_csv(path, rows, encoding="utf-8"):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)


def write_news(root, train=NEWS, test=NEWS[:2]):
    write_csv(root / "ag_news" / "train.csv", train)
    write_csv(root / "ag_news" / "test.csv", test)


def write_tweets(root, tweets=TWEETS):
    rows = [(polarity, "1", "Mon Apr 06", "NO_QUERY", user, text) for polarity, user, text in tweets]
    write_csv(root / "sentiment140" / "training.1600000.processed.noemoticon.csv", rows, "latin-1")


def test_the_example_of_the_tokenizer_is_true():
    assert doctest.testmod(words_module) == (0, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("... !? --", []),
        ("snake_case don''t 'quoted'", ["snake", "case", "don", "t", "quoted"]),
        ("It\N{RIGHT SINGLE QUOTATION MARK}s ÉTÉ", ["it's", "été"]),
        ("a\nb\tc", ["a", "b", "c"]),
    ],
)
def test_what_a_word_is(text, expected):
    assert words(text) == expected


@given(st.text())
def test_words_are_stable(text):
    """Reading the words of the words gives the words again; none is empty or holds a space."""
    found = words(text)
    assert all(word and not word.isspace() for word in found)
    assert words(" ".join(found)) == [w for word in found for w in words(word)]


def test_the_vocabulary_is_ordered_by_count_then_alphabet():
    texts = ["b b a a c", "d c b"]
    assert build_vocabulary(texts) == (PADDING, UNKNOWN, "b", "a", "c")
    assert build_vocabulary(texts, min_count=1) == (PADDING, UNKNOWN, "b", "a", "c", "d")
    assert build_vocabulary(texts, max_size=4, min_count=1) == (PADDING, UNKNOWN, "b", "a")
    assert build_vocabulary([]) == (PADDING, UNKNOWN)


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join), max_size=6), st.integers(1, 3))
def test_the_vocabulary_holds_what_is_frequent_and_no_more(texts, min_count):
    counts = Counter(" ".join(texts).split())
    assert set(build_vocabulary(texts, min_count=min_count)[2:]) == {w for w, n in counts.items() if n >= min_count}


def test_texts_are_cut_and_padded():
    vocabulary = (PADDING, UNKNOWN, "b", "a")
    tokens = encode(["a b a b", "b x", "", "?"], vocabulary, 3)
    assert tokens.tolist() == [[3, 2, 3], [2, 1, 0], [1, 0, 0], [1, 0, 0]]
    assert tokens.dtype == torch.int64


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: build_vocabulary([], max_size=2), r"max_size=2\): must be >= 3"),
        (lambda: build_vocabulary([], min_count=0), r"min_count=0\): must be >= 1"),
        (lambda: encode(["a"], (PADDING, UNKNOWN), 0), r"length=0\): must be >= 1"),
        (lambda: encode(["a"], ("a", "b", "c"), 3), r"vocabulary=\('a', 'b'\)…\): expected '<pad>', '<unk>' first"),
    ],
)
def test_errors_of_the_word_rules(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_ag_news_becomes_word_ids(tmp_path):
    write_news(tmp_path)
    train, test = ag_news_texts(tmp_path, verify=False)
    assert train.texts[0] == 'Wall St. Bears claw back into the black, "again"'
    assert train.labels == (2, 0, 3)
    assert (test.labels, test.users) == ((2, 0), ())
    parts = official_split("ag-news", tmp_path, kind=TokenDataset, verify=False)
    # bears 3, the 2, wall 2; all other words occur once.
    assert parts.train.vocabulary == (PADDING, UNKNOWN, "bears", "the", "wall")
    assert parts.test.vocabulary == parts.train.vocabulary
    assert parts.train.tokens[1, :5].tolist() == [4, 1, 3, 2, 0]
    assert (parts.train.length, parts.train.n_classes, parts.train.groups) == (64, 4, None)
    assert ag_news(tmp_path, verify=False, length=2).train.tokens.tolist() == [[4, 1], [4, 1], [1, 2]]


def test_test_words_never_enter_the_vocabulary(tmp_path):
    write_news(tmp_path, test=[("1", "unseen unseen", "unseen")])
    parts = ag_news(tmp_path, verify=False)
    assert "unseen" not in parts.train.vocabulary
    assert parts.test.tokens[0, :4].tolist() == [1, 1, 1, 0]


def test_a_header_is_skipped(tmp_path):
    write_news(tmp_path, train=[("Class Index", "Title", "Description"), *NEWS])
    assert len(ag_news_texts(tmp_path, verify=False)[0].texts) == 3


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*NEWS, ("5", "a", "b")], r"train.csv, line 4: class '5'; expected 1, 2, 3 or 4"),
        ([*NEWS, ("1", "a")], r"train.csv, line 4: 2 columns; expected 3"),
        ([], r"train.csv: 0 texts; expected at least one"),
    ],
)
def test_damaged_news_name_file_and_line(tmp_path, rows, message):
    write_news(tmp_path, train=rows)
    with pytest.raises(ValueError, match=message):
        ag_news(tmp_path, verify=False)


@pytest.mark.parametrize("content", [b'"1","a","b"\n"2","cut of', b'"1","a","\xff\xfe"\n'])
def test_a_truncated_csv_names_itself(tmp_path, content):
    write_news(tmp_path)
    (tmp_path / "ag_news" / "test.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"test.csv, line \d: truncated, or no utf-8 CSV"):
        ag_news(tmp_path, verify=False)


def test_counts_are_asked_for(tmp_path):
    write_news(tmp_path)
    write_tweets(tmp_path)
    with pytest.raises(ValueError, match=r"train.csv: 3 texts; expected 120,000. verify=False"):
        ag_news(tmp_path)
    with pytest.raises(ValueError, match=r"csv: 3 texts; expected 1,600,000"):
        sentiment140(tmp_path)


def test_tweets_know_their_user(tmp_path):
    write_tweets(tmp_path, [*TWEETS, ("0", "ann", "third")])
    everything = sentiment140_texts(tmp_path, verify=False)
    assert everything.users == ("ann", "bob", "ann", "ann")
    assert everything.texts[1].endswith("café")
    part = sentiment140(tmp_path, verify=False, min_tweets=1).train
    assert part.labels.tolist() == [0, 1, 1, 0]
    assert (part.groups.kind, part.groups.names) == ("user", ("ann", "bob"))
    assert part.groups.index.tolist() == [0, 1, 0, 0]
    assert part.length == 25
    busy = sentiment140(tmp_path, verify=False, min_tweets=2).train
    assert (len(busy), busy.groups.names) == (3, ("ann",))
    assert "happy" not in busy.vocabulary
    with pytest.raises(ValueError, match=r"min_tweets=4\): the most a user has is 3"):
        sentiment140(tmp_path, verify=False, min_tweets=4)
    with pytest.raises(ValueError, match=r"min_tweets=40"):
        make_dataset("sentiment140", tmp_path, kind=TokenDataset, verify=False)


def test_damaged_tweets_name_file_and_line(tmp_path):
    write_tweets(tmp_path, [*TWEETS, ("2", "eve", "neutral")])
    with pytest.raises(ValueError, match=r"noemoticon.csv, line 4: polarity '2'; expected 0 or 4"):
        news.sentiment140_texts(tmp_path, verify=False)
