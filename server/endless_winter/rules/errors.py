"""What can go wrong when the core is asked for something: one precise type each.

Every one of these is raised before anything is changed, so the game is as it was.
"""


class RulesError(Exception):
    """The base of every error of the rules core."""


class IllegalOption(RulesError):
    """The option is not one of the pending decision's options."""


class WrongSeat(RulesError):
    """The pending decision belongs to another seat."""


class GameOver(RulesError):
    """The game has its result; nothing is pending."""


class BadConfig(RulesError):
    """The configuration, or the seed, is not one that a game can be made of."""


class BadPosition(RulesError):
    """A written position is malformed, or breaks a count or a limit of the game."""


class BadText(RulesError):
    """A text is not the canonical form of an option."""
