"""Labelled texts in CSV files: AG News and Sentiment140."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deep.base.lazy import torch
from deep.data.files import blamed, find_file, find_folder
from deep.data.parts import Parts
from deep.data.samples import Groups, TokenDataset
from deep.data.words import build_vocabulary, encode

__all__ = ["Texts", "ag_news", "ag_news_texts", "sentiment140", "sentiment140_texts"]

AG_NEWS_BYTES, SENTIMENT140_BYTES = 29_470_338, 238_803_811  # of the larger part


@dataclass(frozen=True)
class Texts:
    """Texts as they are, with labels, and users where known: for a tokenizer other than ours."""

    texts: tuple[str, ...]
    labels: tuple[int, ...]
    users: tuple[str, ...] = ()


def ag_news_texts(root: Path, verify: bool = True) -> tuple[Texts, Texts]:
    """120,000 training and 7,600 test texts in four classes (World, Sports, Business, Sci/Tech = 0 … 3).

    A text is title, a space, description, with the escaped line ends of the files as spaces.

    Source: Zhang et al. 2015; ``ag_news/{train,test}.csv`` (or ``ag_news_csv/``), rows "class","title","description"
    with classes 1 … 4, a header line is skipped. No checksum is published; `verify` compares counts.
    Raises `ValueError` naming file and line for another number of columns or class, and for other counts.
    """
    folder = find_folder(root, ("ag_news", "ag-news", "ag_news_csv"), "ag-news")
    train, test = (
        _ag_news_part(find_file(folder, f"{part}.csv", (), "ag-news"), count if verify else None)
        for part, count in (("train", 120_000), ("test", 7_600))
    )
    return train, test


def ag_news(root: Path, verify: bool = True, length: int = 64, max_words: int = 20_000) -> Parts[TokenDataset]:
    """AG News as word ids of `length` tokens, four classes; vocabulary from the training part (`deep.data.words`).

    Source: fedaware, 5 fine-tunes a model with its own tokenizer (give that `ag_news_texts`). Ours is for models
    trained from scratch; `length` and `max_words` are our choice.
    """
    train, test = ag_news_texts(root, verify)
    vocabulary = build_vocabulary(train.texts, max_words)
    return Parts(*(_tokens(part, vocabulary, length, 4, "ag-news") for part in (train, test)))


def sentiment140_texts(root: Path, verify: bool = True) -> Texts:
    """1,600,000 tweets with a user each: negative (0) or positive (1).

    Source: Go et al. 2009; ``sentiment140/training.1600000.processed.noemoticon.csv`` in Latin-1, rows of polarity
    (0 or 4), id, date, query, user, text. The 498 rows of the manual test file have a third class and are not read.
    Raises `ValueError` naming file and line for another number of columns or polarity, and for other counts.
    """
    folder = find_folder(root, ("sentiment140",), "sentiment140")
    path = find_file(folder, "training.1600000.processed.noemoticon.csv", (), "sentiment140")
    texts, labels, users = [], [], []
    for line, row in _rows(path, "latin-1", 6, 2 * SENTIMENT140_BYTES):
        if row[0] not in ("0", "4"):
            raise ValueError(f"{path}, line {line}: polarity {row[0][:60]!r}; expected 0 or 4")
        labels.append(int(row[0] == "4"))
        users.append(row[4])
        texts.append(row[5])
    _check_count(path, len(texts), 1_600_000 if verify else None)
    return Texts(tuple(texts), tuple(labels), tuple(users))


def sentiment140(
    root: Path, verify: bool = True, length: int = 25, max_words: int = 20_000, min_tweets: int = 40
) -> Parts[TokenDataset]:
    """Tweets as word ids of `length` tokens, two classes, `groups` of kind "user": users with at least `min_tweets`.

    The vocabulary is that of all kept tweets: the data has no official test part to keep out of it.

    Source: efl, A.3: 25 words a tweet. Table 5 counts 1,503 users with 60 tweets on average, and does not say how
    users were chosen; `min_tweets` = 40 is our reading, tokenizer and vocabulary (GloVe there) are ours.
    Raises `ValueError` as `sentiment140_texts` does, and when no user has that many tweets.
    """
    everything = sentiment140_texts(root, verify)
    counts: dict[str, int] = {}
    for user in everything.users:
        counts[user] = counts.get(user, 0) + 1
    kept = [i for i, user in enumerate(everything.users) if counts[user] >= min_tweets]
    if not kept:
        raise ValueError(f"sentiment140(min_tweets={min_tweets}): the most a user has is {max(counts.values())}")
    part = Texts(
        tuple(everything.texts[i] for i in kept),
        tuple(everything.labels[i] for i in kept),
        tuple(everything.users[i] for i in kept),
    )
    return Parts(_tokens(part, build_vocabulary(part.texts, max_words), length, 2, "sentiment140"))


def _ag_news_part(path: Path, count: int | None) -> Texts:
    texts, labels = [], []
    for line, row in _rows(path, "utf-8", 3, 2 * AG_NEWS_BYTES):
        if line == 1 and row[0].strip().lower() in ("class index", "class", "label"):
            continue
        if row[0] not in ("1", "2", "3", "4"):
            raise ValueError(f"{path}, line {line}: class {row[0][:60]!r}; expected 1, 2, 3 or 4")
        labels.append(int(row[0]) - 1)
        texts.append(f"{row[1]} {row[2]}".replace("\\n", " ").replace("\\", " "))
    _check_count(path, len(texts), count)
    return Texts(tuple(texts), tuple(labels))


def _rows(path: Path, encoding: str, n_columns: int, largest: int) -> Iterator[tuple[int, list[str]]]:
    """Rows of a CSV file with the line they end at."""
    with blamed(path), path.open(encoding=encoding, newline="") as file:
        if (size := path.stat().st_size) > largest:
            raise ValueError(f"{size:,} bytes; no file of this data set has more than {largest:,}")
        reader = csv.reader(file, strict=True)
        try:
            for row in reader:
                if len(row) != n_columns:
                    raise ValueError(f"{path}, line {reader.line_num}: {len(row)} columns; expected {n_columns}")
                yield reader.line_num, row
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{path}, line {reader.line_num}: truncated, or no {encoding} CSV: {error}") from error


def _check_count(path: Path, n: int, count: int | None) -> None:
    if n == 0 or (count is not None and n != count):
        expected = f"{count:,}" if count is not None else "at least one"
        raise ValueError(f"{path}: {n:,} texts; expected {expected}. verify=False reads them all the same")


def _tokens(part: Texts, vocabulary: tuple[str, ...], length: int, n_classes: int, name: str) -> TokenDataset:
    names = tuple(sorted(set(part.users)))
    place = {user: i for i, user in enumerate(names)}
    groups = Groups("user", torch.tensor([place[user] for user in part.users]), names) if names else None
    tokens = encode(part.texts, vocabulary, length)
    return TokenDataset(tokens, torch.tensor(part.labels), n_classes, vocabulary, name, groups=groups)
