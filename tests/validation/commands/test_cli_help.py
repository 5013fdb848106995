"""Help as a newcomer reads it: commands and options under headings, one short sentence each, the nearest command."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner, Result

from validation.cli import main
from validation.commands.grouped import GroupedCommand, nearest_command, option_sections

HOUSE_WORDS = re.compile(
    r"\b(played|plays?|told|tells?|asked|asks|anew|looked at|looks at|beside|lies?|stands?|stood)\b"
)


def ended(*words: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, list(words))


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        yield name, command


def options(command: click.Command) -> list[click.Option]:
    context = click.Context(command, help_option_names=["-h", "--help"])
    return [p for p in command.get_params(context) if isinstance(p, click.Option)]


def test_commands_are_under_headings_at_80_columns() -> None:
    text = ended("--help").stdout
    headings = ["Check claims:", "Run rules:", "Compare results:", "Reproduce published results:"]
    places = [text.index(heading) for heading in headings]
    assert places == sorted(places)
    assert text.index("Check claims:") < text.index("  check ") < text.index("Run rules:") < text.index("  run ")
    for name, _ in commands():
        assert len(re.findall(rf"^  {name} ", text, flags=re.MULTILINE)) == 1, name
    assert max(map(len, text.splitlines())) <= 80


def test_run_shows_its_options_under_headings() -> None:
    text = ended("run", "--help").stdout
    order = [
        "Run:",
        "--rule ",
        "Data and clients:",
        "--partition",
        "Model and local training:",
        "--local-lr",
        "Server:",
    ]
    order += ["--server-lr", "Evaluation:", "Randomness:", "--data-seed", "Speed and precision:", "--dtype"]
    places = [text.index(f"\n{words}" if words.endswith(":") else words) for words in order]
    assert places == sorted(places)
    assert max(map(len, text.splitlines())) <= 80


def test_every_option_is_under_one_heading_and_every_heading_names_options() -> None:
    everywhere = {option.name for _, command in commands() for option in options(command)}
    grouped = [command for _, command in commands() if isinstance(command, GroupedCommand)]
    assert len(grouped) >= 5
    for command in grouped:
        mine = options(command)
        sections = option_sections(mine, command.headings)
        shown = [option.name for _, members in sections for option in members]
        assert sorted(map(str, shown)) == sorted(str(option.name) for option in mine)
        title, others = sections[-1]
        # click keeps the first help option it makes for a command, with or without the names that a group hands on.
        assert (title, [option.opts[-1] for option in others]) == ("Other options", ["--help"])
        named = [name for names in command.headings.values() for name in names]
        assert len(named) == len(set(named))
        assert set(named) <= everywhere


def test_help_is_a_short_sentence_an_option_without_words_of_our_own() -> None:
    for name, command in commands():
        assert HOUSE_WORDS.findall(command.help or "") == [], name
        for option in options(command):
            text = (option.help or "").partition("[default")[0].strip()
            assert text, f"{name} {option.opts[0]} has no help"
            assert len(text) <= 110, f"{name} {option.opts[0]}"
            assert text.endswith((".", "…")), f"{name} {option.opts[0]}"
            assert len(re.findall(r"\. [A-Z]", text)) == 0, f"{name} {option.opts[0]}: more than a sentence"
            assert HOUSE_WORDS.findall(text) == [], f"{name} {option.opts[0]}"


@pytest.mark.parametrize(
    ("word", "meant"), [("chek", "check"), ("Check", "check"), ("reprot", "report"), ("simulat", "simulate")]
)
def test_a_word_near_a_command_is_answered_with_it(word: str, meant: str) -> None:
    said = ended(word)
    assert said.exit_code == 2
    assert f"No such command '{word}'. Did you mean '{meant}'?" in said.stderr


def test_a_word_near_no_command_gets_no_guess() -> None:
    assert "Did you mean" not in ended("xylophone").stderr
    assert nearest_command("xylophone", ["check", "run"]) == ""
