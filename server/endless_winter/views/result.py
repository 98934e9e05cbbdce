"""The end of a game: scores by category, places, and how each seat's part ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.v1 import result_pb2 as v

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.rules import Game
    from endless_winter.rules.scoring import Score


class Ending(NamedTuple):
    """What the table around the game knows of a seat: why its part ended, and how it behaved."""

    reason: v.EndReason.ValueType = v.END_REASON_NORMAL
    timeouts: int = 0
    wrong_answers: int = 0
    forfeited_seq: int | None = None


NORMAL: Final = Ending()


def result_of(
    game: Game, *, endings: Sequence[Ending] = (), decisions: int = 0
) -> v.GameResult | None:
    """The result of a game that was played to final scoring; None while it is not over.

    `endings` by seat; none given: all played to the end. Forfeited seats rank after all others,
    the one that was forfeited first at the very end.
    """
    scored = game.result
    if scored is None:
        return None
    known = list(endings) or [NORMAL] * len(scored.scores)
    ranking = sorted(scored.ranking, key=lambda seat: -_forfeited(known[seat]))
    order = game.position.order
    playing = [s.total for s in scored.scores if known[s.seat].forfeited_seq is None]
    return v.GameResult(
        outcome=v.GAME_OUTCOME_COMPLETED,
        seats=[
            v.SeatResult(
                seat=score.seat,
                reason=known[score.seat].reason,
                place=ranking.index(score.seat) + 1,
                score=score.total,
                categories=_categories(score),
                tie_break_order=order.index(score.seat) + 1,
                tie_broken=(
                    known[score.seat].forfeited_seq is None and playing.count(score.total) > 1
                ),
                timeouts=known[score.seat].timeouts,
                wrong_answers=known[score.seat].wrong_answers,
                forfeited_seq=known[score.seat].forfeited_seq,
            )
            for score in scored.scores
        ],
        rounds_completed=game.position.round,
        decisions=decisions,
    )


_NEVER: Final = 1 << 64


def _forfeited(ending: Ending) -> int:
    return _NEVER if ending.forfeited_seq is None else ending.forfeited_seq


def _categories(score: Score) -> list[v.CategoryScore]:
    return [
        v.CategoryScore(category=v.ScoreCategory.ValueType(category), points=points)
        for category, points in enumerate(score.points)
        if points
    ]
