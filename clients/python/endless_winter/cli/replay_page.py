"""A game as a page that one can watch: one file that holds everything and asks nobody."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from google.protobuf.json_format import MessageToDict

from endless_winter.cli import web_modules
from endless_winter.cli.replay_steps import Names, open_steps, seen_steps, steps_json
from endless_winter.sdk import Catalog
from endless_winter.terminal.seats import names_of
from endless_winter.v1 import catalog_pb2
from endless_winter.views import Words, catalog_of
from endless_winter.views.categories import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from endless_winter.cli.replay_steps import Json
    from endless_winter.content import Pack
    from endless_winter.v1 import game_pb2, replay_pb2

_TABLES: Final = ("tables", "geometry")  # of the catalogue, besides the lists of items


class Links(NamedTuple):
    """What the page leads to, as addresses relative to it; empty: there is none."""

    record: str = ""
    home: str = ""


def page_of_record(
    file: replay_pb2.ReplayFile, pack: Pack, links: Links, review: Json | None = None
) -> str:
    """The page of an ended game, with everybody's eyes; `review` as `ew replay review` has it."""
    known = file.game.content_hash == pack.digest
    catalog = _catalog(pack) if known else Catalog(catalog_pb2.Catalog())
    names = Names()
    steps = list(steps_json(open_steps(file, pack), catalog, file.game.seats, names))
    eyes: list[str | int] = ["open", "spectator", *_players(file.game)]
    return _page(file.game, eyes, steps, names, catalog, links, review)


def page_of_frames(
    game: game_pb2.GameInfo,
    frames: Iterable[replay_pb2.ReplayFrame],
    seat: int | None,
    pack: Pack,
    review: Json | None = None,
) -> str:
    """The page of a game as a seat or, without one, a spectator has seen it so far."""
    known = game.content_hash == pack.digest
    catalog = _catalog(pack) if known else Catalog(catalog_pb2.Catalog())
    names = Names()
    steps = list(steps_json(seen_steps(frames, seat), catalog, game.seats, names))
    return _page(
        game, ["spectator" if seat is None else seat], steps, names, catalog, Links(), review
    )


def _players(game: game_pb2.GameInfo) -> Iterator[int]:
    return (seat.seat for seat in game.seats)


@cache
def _catalog(pack: Pack) -> Catalog:
    return Catalog.of(catalog_of(Words(pack)))


def _page(
    game: game_pb2.GameInfo,
    eyes: list[str | int],
    steps: list[Json],
    names: Names,
    catalog: Catalog,
    links: Links,
    review: Json | None,
) -> str:
    data: Json = {
        "game": _game(game),
        "eyes": eyes,
        "links": links._asdict(),
        "categories": {f"SCORE_CATEGORY_{name.upper()}": label for name, label in LABELS.items()},
        "catalog": _used(catalog.raw, steps),
        "fields": names.table(),
        "steps": steps,
    }
    if review is not None:
        data["review"] = review["seats"]
    style, script = _style(), _script()
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    title = game.config.title or game.game_id
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{escape(title)} - replay</title><style>{style}</style></head>\n"
        '<body><div id="app"><p class="wait">This page needs JavaScript, which it brings along: '
        "allow it for this file.</p></div>\n"
        f'<script type="application/json" id="replay">{_json(data)}</script>\n'
        f'<script type="module">{script}</script></body></html>\n'
    )


def _game(game: game_pb2.GameInfo) -> Json:
    names = names_of(game.seats, None, len(game.seats))
    found: Json = {
        "id": game.game_id,
        "title": game.config.title,
        "names": list(names),
        "rules": game.rules_version,
        "content": game.content_hash,
        "seed": game.seed_reveal.seed.hex(),
        "ended": game.HasField("ended_unix_ms"),
        "began": game.started_unix_ms,
    }
    if game.HasField("result"):
        found["result"] = [_plain(MessageToDict(seat)) for seat in game.result.seats]
    return found


def _used(catalog: catalog_pb2.Catalog, steps: list[Json]) -> Json:
    """Of the catalogue, what occurs in the game, without where its values come from."""
    named = set(_strings(steps))
    found: Json = {}
    for field, value in catalog.ListFields():
        if field.name in _TABLES:
            found[field.json_name] = _plain(MessageToDict(value))
        elif field.is_repeated and hasattr(value[0], "item"):
            items = [_plain(MessageToDict(one)) for one in value if one.item.id in named]
            if items:
                found[field.json_name] = items
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if name not in _LEFT_OUT}
    return [_plain(one) for one in value] if isinstance(value, list) else value


_LEFT_OUT: Final = ("provenance", "copies", "adjacentHexes", "timing")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _json(data: Json) -> str:
    """JSON that cannot end the element it stands in, whatever names players gave themselves."""
    plain = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        plain = plain.replace(mark, f"\\u{ord(mark):04x}")
    return plain


@cache
def _style() -> str:
    return web_modules.text("style.css") + web_modules.text("replay.css")


@cache
def _script() -> str:
    return web_modules.joined("replay.js")


def _hash(inline: str) -> str:
    return f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"
