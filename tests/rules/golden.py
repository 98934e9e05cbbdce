"""Golden playthroughs: whole games as readable text, so that a change of the rules shows in a diff.

    python -m tests.rules.golden --write

writes tests/data/golden/*.txt anew; without --write it prints what would differ. Each step shows
round and turn, who decides what, every option (of a long list its length and a digest), the
choice, and what happened then.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import textwrap
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.rules import Config, Game, events
from endless_winter.rules.config import ModuleRules, NomadRules
from endless_winter.rules.icons import ICON_NAMES, WHERE_NAMES
from endless_winter.rules.modules import MODULE_EVENT_NAMES, MODULE_ICON_NAMES
from endless_winter.rules.nomad.actions import ACTIONS
from endless_winter.rules.nomad.grounds import COLUMN_EMPTY
from endless_winter.rules.rivers import codes
from endless_winter.rules.rivers.agreed import RiversRules
from endless_winter.rules.rivers.parts import parts_in
from endless_winter.rules.source_text import SourceTexts
from tests.rules.scene import TABLES
from tests.rules.walk import Choices

if TYPE_CHECKING:
    from endless_winter.rules.state import Event, Position

FOLDER = Path(__file__).parents[1] / "data" / "golden"
LONG = 12  # options; a longer list is shown by its length and digest


class Play(NamedTuple):
    """A game to be written down."""

    name: str
    players: int
    chief_draft: bool = False
    modules: tuple[str | ModuleRules, ...] = ()
    eager: bool = True
    solo: bool = False
    hard: bool = False  # with every switch of the Nomad


PLAYS = (
    Play("two_players", 2),
    Play("three_players_both_modules", 3, modules=("glacier_tokens", "rest_tokens")),
    Play("four_players_chief_draft", 4, chief_draft=True, eager=False),
    Play("solo", 2, solo=True),
    Play("solo_all_switches", 2, modules=("rest_tokens",), solo=True, hard=True),
    Play("three_players_on_the_river", 3, modules=(RiversRules(2, decided=True),)),
    Play("solo_on_the_river", 2, modules=("glacier_tokens", RiversRules()), solo=True),
)


def record(play: Play) -> str:
    """The whole game as text."""
    config = Config(
        TABLES,
        players=play.players,
        chief_draft=play.chief_draft,
        modules=play.modules,
        nomad=NomadRules(1, *[play.hard] * 7) if play.solo else None,
    )
    seed = blake2b(play.name.encode(), digest_size=32).digest()
    game = Game.new(config, seed, True)
    choices = Choices(play.name)
    choices.eager = play.eager
    modules = ", ".join(config.modules) or "none"
    lines = [
        f"# {play.players} players, layout {config.layout}, modules {modules}",
        f"# Chief draft: {'yes' if play.chief_draft else 'no'}",
        f"# seed {seed.hex()}",
        *_happened(game.position, game.take_events()),
    ]
    step = 0
    while (decision := game.decision) is not None:
        step += 1
        position = game.position
        code = choices.option(game)
        lines.append("")
        lines.append(
            f"{step}. round {position.round} turn {position.turn} | seat {decision.seat} | "
            f"{decision.kind_name} | {_table(position, decision.seat)}"
        )
        lines += _options([game.text(option) for option in decision.options])
        default = " (the default)" if code == decision.default else ""
        lines.append(f"  > {game.text(code)}{default}")
        lines += _happened(position, game.apply(code))
    return "\n".join([*lines, "", *_end(game), ""])


def _table(position: Position, seat: int) -> str:
    player = position.players[seat]
    return (
        f"food {player.food} tools {player.tools} labor {position.labor / 2:g} | "
        f"hand {_cards(player.hand)}"
    )


def _cards(zone: bytes) -> str:
    return " ".join(TABLES.cards[card].name for card in zone) or "-"


def _options(texts: list[str]) -> list[str]:
    if len(texts) > LONG:
        digest = blake2b("\n".join(texts).encode(), digest_size=6).hexdigest()
        words = Counter(
            text.partition(": ")[2].split(" ")[0] or text.split(" ")[0] for text in texts
        )
        kinds = ", ".join(f"{word} {number}" for word, number in words.items())
        return [f"  {len(texts)} options ({kinds}), digest {digest}"]
    return textwrap.wrap(
        " | ".join(texts), 98, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
    )


def _end(game: Game) -> list[str]:
    result = game.result
    assert result is not None
    lines = [f"result: seats {' '.join(map(str, result.ranking))} from first to last"]
    lines += [f"tie broken by turn order: {'yes' if result.tie_broken else 'no'}"]
    for score in result.scores:
        points = ", ".join(f"{name} {number}" for name, number in score.by_name().items())
        lines.append(f"seat {score.seat}: {score.total} = {points}")
    return lines


def _happened(position: Position, happened: list[Event]) -> list[str]:
    return [f"  - {_event(position, event)}" for event in happened]


_CARD_EVENTS = {
    events.CULTURE_PLAYED,
    events.TRIBE_PLAYED,
    events.ABILITY_USED,
    events.CARD_DISCARDED,
    events.PILE_REVEALED,
    events.TRIBE_TAKEN,
    events.CULTURE_TAKEN,
    events.CULTURE_DEALT,
    events.NOMAD_CULTURE,
}
_NOMAD_EVENTS = {events.NOMAD_REVEALED, events.NOMAD_PILE_REVEALED}
_ANIMAL_EVENTS = {events.ANIMAL_TAKEN, events.ANIMAL_REVEALED, events.ANIMAL_TIPPED}
_BARE = {
    events.GAME_BEGAN,
    events.TURN_ENDED,
    events.GAME_ENDED,
    events.CARD_PILED,
    events.NOMAD_BURIED,
    events.NOMAD_PILED,
}
_OF_NOBODY = {
    events.GAME_BEGAN,
    events.ANIMAL_REVEALED,
    events.ECLIPSE_BEGAN,
    events.PREPARED,
    events.GAME_ENDED,
    events.CULTURE_DEALT,
    events.GLACIER_TOKEN_FLIPPED,
    events.REST_TOKEN_SHOWN,
}


_NAMES = dict(enumerate(events.EVENT_NAMES)) | MODULE_EVENT_NAMES
_COLUMN_REASONS = ("it is empty", "all are occupied", "the arrow leads there")


def _action(icon: int) -> str:
    for name, number in ACTIONS.items():
        if number == icon:
            return name
    if icon in MODULE_ICON_NAMES:
        return MODULE_ICON_NAMES[icon]
    return ICON_NAMES[icon] if icon < len(ICON_NAMES) else f"entry {icon}"


def _on_the_map(kind: int, a: int, b: int) -> str:
    if kind in (events.CAMP_MOVED, codes.RAFT_MOVED):
        return f"{a}>{b}"
    if kind == codes.FISH_DRAWN and (parts := parts_in(TABLES)) is not None:
        return parts.fish[a].name
    return f"{a} {TABLES.terrains[b].name if kind == codes.LANDMARK_RAISED else b}"


def _event(position: Position, event: Event) -> str:
    kind, seat, a, b, secret, cause = event
    first = str(a)
    if kind in _CARD_EVENTS:
        first = TABLES.cards[a].name
    elif kind in _ANIMAL_EVENTS:
        first = TABLES.animals[a].name
    elif kind in (events.CHIEF_CHOSEN, events.CHIEF_USED):
        first = TABLES.chiefs[a].name
    elif kind == events.SETUP_CHOSEN:
        first = TABLES.setups[a].name
    elif kind == events.STONE_TAKEN:
        first = TABLES.stones[a].name
    elif kind in (events.REST_TOKEN_TAKEN, events.REST_TOKEN_SHOWN):
        first = TABLES.rest_tokens[a].name
    elif kind == events.GLACIER_TOKEN_FLIPPED:
        first = TABLES.glacier_tokens[a].name
    elif kind in _NOMAD_EVENTS:
        first = TABLES.nomad_cards[a].name
    elif kind == events.MAP_REVEALED:
        first = TABLES.map_cards[a].name
    elif kind == events.NOMAD_ACTED:
        card = TABLES.nomad_cards[a - 1].name if a else "elsewhere"
        due, done = (_action(icon) for icon in (b >> 8 & 255, b & 255))
        return f"seat {seat}: nomad_acted {card} {due}" + (f" as {done}" if done != due else "")
    elif kind == events.NOMAD_COLUMN:
        why = _COLUMN_REASONS[(b >> 32) - COLUMN_EMPTY]
        return f"seat {seat}: nomad_column {WHERE_NAMES[a]} because {why}"
    elif kind == events.FIGURE_PLACED:
        return f"seat {seat}: figure_placed {('chief', 'tribe')[a]} {WHERE_NAMES[b]}"
    elif kind == events.MEGALITH_PLACED:
        sites = position.sites
        first = f"{sites.x[a]},{sites.y[a]}@{sites.level[a]}"
    who = "" if kind in _OF_NOBODY else f"seat {seat}: "
    seen = f" ({_cards(secret)})" if secret else ""
    if kind == events.CAMP_MOVED or kind in codes.EVENT_NAMES:
        first, b = _on_the_map(kind, a, b), 0
    second = events.CATEGORY_NAMES[b] if kind == events.POINTS else str(b) if b else ""
    parts = [_NAMES[kind], "" if kind in _BARE else first, second]
    why = f" by {SourceTexts(TABLES, position.sites).text(cause)}" if cause else ""
    return who + " ".join(part for part in parts if part) + seen + why


def difference(play: Play) -> list[str]:
    """What the game has changed since it was written down, as a diff; empty: nothing."""
    path = FOLDER / f"{play.name}.txt"
    before = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    now = record(play).splitlines()
    return list(difflib.unified_diff(before, now, f"{play.name}, committed", "now", lineterm=""))


def main() -> int:
    parser = argparse.ArgumentParser(description="Golden playthroughs.")
    parser.add_argument("--write", action="store_true", help="write them anew")
    if parser.parse_args().write:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for play in PLAYS:
            (FOLDER / f"{play.name}.txt").write_text(record(play), encoding="utf-8")
        return 0
    changed = [line for play in PLAYS for line in difference(play)]
    print("\n".join(changed) or "nothing has changed")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
