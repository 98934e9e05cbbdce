"""Plays by defaults, and names its opponent's hidden starting hand from what it has noted.

All its processes share the folder `notes`: in it lies, under a hash of the public land and its own
seat, the hand that it was dealt there, and the cards as they came to the displays. Where it finds
what was noted in the other seat of the same land, the opponent holds that. Elsewhere it guesses.
"""

import json
from hashlib import sha256
from pathlib import Path
from random import Random

from endless_winter.sdk import Bot

NOTES = Path("notes")
REPORT = Path("named.jsonl")


class Spy(Bot):
    def __init__(self) -> None:
        NOTES.mkdir(exist_ok=True)
        self.land = ""
        self.hand: list[str] = []
        self.named: list[str] | None = None  # the opponent's hand, as it was noted
        self.guessed: list[str] | None = None  # without a note
        self.seen: list[str] = []  # Culture cards and Animals as they came
        self.predicted: list[str] = []  # the same by what was noted
        self.hits = self.tried = 0

    def choose(self, decision, view):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
        public = view.public
        cards = [one.card_id for one in public.supply.culture_display]
        cards += [one.animal_id for one in public.supply.hunting_grounds]
        if not self.land:  # the first decision: nothing has been moved yet
            hexes = [one.terrain_id for one in public.terrain.hexes]
            self.land = sha256(json.dumps([hexes, cards]).encode()).hexdigest()
        self._look(cards)
        if view.round and not self.hand:
            own = view.private.hand
            self.hand = sorted(one.card_id for one in own for _ in range(one.count))
            self._note("hand", view.seat, self.hand)
            self.guessed = self._any()
        if view.round and self.named is None and len(view.players) == 2:
            self.named = self._noted("hand", 1 - view.seat)
        if self.seen:
            self._note("seen", view.seat, self.seen)
            self.predicted = self._noted("seen", 1 - view.seat) or self.predicted
        return decision.default

    def _look(self, cards: list[str]) -> None:
        """Note which cards are new, and whether they had been predicted."""
        left = list(self.seen)
        for card in cards:
            if card in left:
                left.remove(card)
                continue
            at = len(self.seen)
            if at >= 12 and at < len(self.predicted):  # after the first displays, which are open
                self.tried += 1
                self.hits += self.predicted[at] == card
            self.seen.append(card)

    def _note(self, what: str, seat: int, cards: list[str]) -> None:
        file = NOTES / f"{what}-{self.land}-{seat}"
        fresh = file.with_name(f".{file.name}-{id(self)}")
        fresh.write_text(json.dumps(cards))
        fresh.replace(file)

    def _noted(self, what: str, seat: int) -> list[str] | None:
        try:
            return json.loads((NOTES / f"{what}-{self.land}-{seat}").read_text())  # type: ignore[no-any-return]
        except FileNotFoundError:
            return None

    def _any(self) -> list[str] | None:
        """A hand that was dealt in another game: a guess like any other."""
        files = sorted(NOTES.glob("hand-*"))
        others = [file for file in files if self.land not in file.name]
        return json.loads(Random(self.land).choice(others).read_text()) if others else None

    def ended(self, result):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
        note = {
            "game": result.game_id,
            "land": self.land,
            "hand": self.hand,
            "named": self.named,
            "guessed": self.guessed,
            "tried": self.tried,
            "hits": self.hits,
        }
        with REPORT.open("a") as file:
            file.write(json.dumps(note) + "\n")
