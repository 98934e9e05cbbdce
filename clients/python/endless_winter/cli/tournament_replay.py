"""The replay of a game as a page: its result, and what happened, step by step."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from endless_winter.engine.replay.rewind import OMNISCIENT, Rewind
from endless_winter.terminal.event_text import DETAIL, HEADING, frame_lines
from endless_winter.v1 import replay_pb2, result_pb2
from endless_winter.views.categories import category_label, category_name

if TYPE_CHECKING:
    from endless_winter.sdk import Catalog

_STYLE = """
:root { color-scheme: light dark; --soft: light-dark(#66758a, #93a1b3); --line: light-dark(#dfe5ec, #2c3846); }
body { font: 14px/1.45 system-ui, sans-serif; max-width: 1000px; margin: 32px auto; padding: 0 20px; }
h1 { font-size: 20px; margin: 0 0 4px; } h2 { font-size: 15px; margin: 26px 0 6px; }
p { color: var(--soft); margin: 4px 0; overflow-wrap: anywhere; } a { color: #3d7dca; }
table { border-collapse: collapse; margin: 14px 0; } td, th { padding: 4px 18px 4px 0; text-align: left;
  border-bottom: 1px solid var(--line); } th { color: var(--soft); font-weight: 600; }
div { font: 12.5px/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
  padding-left: 2em; text-indent: -2em; } .d { color: var(--soft); padding-left: 18em; }
@media (max-width: 600px) { body { margin: 16px auto; padding: 0 12px; } .d { padding-left: 4em; }
  td, th { padding-right: 9px; vertical-align: top; } }
"""  # noqa: E501 # a style sheet


def page(file: replay_pb2.ReplayFile, catalog: Catalog, *, record: str) -> str:
    """The page of a game; `record` is the file beside it that can be checked."""
    game = file.game
    rewind = Rewind(None, None, OMNISCIENT)
    frames = (
        replay_pb2.ReplayFrame.FromString(rewind.frame(entry, views=False))
        for entry in file.entries
    )
    kinds = {HEADING: "h2", DETAIL: 'div class="d"'}
    lines = []
    for style, text in frame_lines(frames, catalog):
        tag = kinds.get(style, "div")
        shown = text.strip("= ")  # lines are set in by their style
        lines.append(f"<{tag}>{escape(shown)}</{tag.split()[0]}>")
    body = "\n".join(lines)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(game.game_id)}</title><style>{_STYLE}</style></head>\n<body>"
        f'<p><a href="../report.html">the tournament</a></p><h1>Game {escape(game.game_id)}</h1>'
        f"<p>rules {escape(game.rules_version)}, content {escape(game.content_hash[:12])}, "
        f"seed {game.seed_reveal.seed.hex()}</p>"
        f'<p>Check it: <a href="{escape(record)}">{escape(record)}</a>, '
        f"<code>ew replay verify {escape(record)}</code></p>{_result(file)}{body}</body></html>\n"
    )


def _result(file: replay_pb2.ReplayFile) -> str:
    rows = []
    for seat in file.game.result.seats:
        name = file.game.seats[seat.seat].display_name if seat.seat < len(file.game.seats) else ""
        reason = result_pb2.EndReason.Name(seat.reason).removeprefix("END_REASON_").lower()
        points = ", ".join(
            f"{category_label(category_name(one.category))} {one.points}"
            for one in sorted(seat.categories, key=lambda one: -one.points)
        )
        cells = (str(seat.place), name, str(seat.score), points, reason.replace("_", " "))
        rows.append(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
    heads = "".join(f"<th>{head}</th>" for head in ("place", "bot", "points", "from", "end"))
    return f"<table><tr>{heads}</tr>{''.join(rows)}</table>"
