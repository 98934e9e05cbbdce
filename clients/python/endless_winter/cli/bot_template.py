"""my_bot: a bot for Endless Winter.

Play it, here and now, on a server that is started for it:

    ew match my_bot.py random --games 20
    ew match my_bot.py heuristic --explain

Ask whether it does everything that a server expects of a bot:

    ew bot check "ew bot run my_bot.py"

Enter it in a tournament: write these lines into cup.toml beside it, then: ew tournament cup.toml

    title = "My first cup"
    format = "round_robin"
    blocks = 5

    [[entrant]]
    name = "my_bot"
    bot = "my_bot.py"

    [[entrant]]
    name = "heuristic"

Let it wait at a server for games against it:

    ew bot run my_bot.py --server 127.0.0.1:50051

What decisions, options and views hold: docs/sdk.md. How to look ahead: docs/search.md.
"""

from endless_winter.sdk import Bot, Decision, Option, Result, Table, View

# How much it likes a word in the text of an option ("place tribe initiate", "hunt woolly_rhino"),
# whatever the position: the first thing to improve. A word that is not here counts 0.
LIKED = {
    # where the figures go, and what a turn is for
    "initiate": 3,
    "rite": 3,
    "bottom": 3,
    "lead": 2,
    "stone": 2,
    "hunt": 1,
    # benefits
    "honor": 3,
    "bury": 3,
    "recruit": 2,
    # the plain cards are the first to be played for Labor, and to be given away
    "tribesman": 4,
    "tribeswoman": 4,
    # rather the end of the turn than what costs more than it brings
    "end": 2,
    "eat": -1,
    "travel": -1,
    "use": -1,
    "tip": -1,
}


class MyBot(Bot):
    """Takes the option that it likes best. Each game and seat gets an instance of its own."""

    def started(self, table: Table) -> None:
        """A game begins: the place for what is to be remembered."""
        self.seat = table.seat
        self.why = ""

    def choose(self, decision: Decision, view: View) -> Option:
        """One of `decision.options`; `view` is the position as this seat may see it."""
        best = max(decision.options, key=lambda option: self.worth(option, view))
        self.why = f"{best.text}: worth {self.worth(best, view)}, in {decision.kind_name}"
        return best

    def worth(self, option: Option, view: View) -> int:
        """How good an option is; equals are taken as they come."""
        points = sum(LIKED.get(word, 0) for word in option.text.split())
        if view.round == 4 and "recruit" in option.text:
            points -= 4  # the game ends: a card that is recruited now is never played
        return points

    def explain(self) -> str:
        """What --explain shows."""
        return self.why

    def ended(self, result: Result) -> None:
        """The game is over: the place for what is to be learnt from it."""
