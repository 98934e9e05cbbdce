"""A game: a position with exactly one pending decision, or a result.

>>> from endless_winter.content import load
>>> game = Game.new(Config(load()), seed=bytes(32))
>>> while (decision := game.decision) is not None:
...     happened = game.apply(decision.default)
>>> game.result.winner in (0, 1)
True
"""

from typing import Final

from endless_winter.rules import agenda, board, eclipse, events, gains, options, setup, turn
from endless_winter.rules.benefits import perform
from endless_winter.rules.chance import SEED_BYTES
from endless_winter.rules.config import Config
from endless_winter.rules.errors import BadConfig, GameOver, IllegalOption, WrongSeat
from endless_winter.rules.events import emit
from endless_winter.rules.icons import REST
from endless_winter.rules.megaliths import Sites
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.notation import Notation
from endless_winter.rules.offers import Offer, offers
from endless_winter.rules.options import ABILITY, CARD, HEX, option, source
from endless_winter.rules.person import PERSON
from endless_winter.rules.preparation import prepare
from endless_winter.rules.scoring import Result, result, tell_final_points
from endless_winter.rules.sources import SET_07
from endless_winter.rules.state import Event, Frame, Player, Position, new_position
from endless_winter.rules.zones import distinct, without

ROUNDS: Final = 4
ANY_SEAT: Final = -1  # whoever decides
RULES_VERSION: Final = 2  # changes only when a legal list or an outcome changes

# What is worked out once per layout of a pack and shared by all games.
_SITES: Final[dict[tuple[str, str], Sites]] = {}
_NOTATIONS: Final[dict[tuple[str, str], Notation]] = {}


class Decision:
    """A pending choice: whose it is, what kind, every legal option, and the plain default."""

    __slots__ = ("default", "kind", "options", "seat")

    def __init__(self, seat: int, kind: int, legal: list[int], default: int) -> None:
        self.seat: int = seat
        self.kind: int = kind  # an operation of agenda.py
        self.options: list[int] = legal
        self.default: int = default

    @property
    def kind_name(self) -> str:
        return agenda.OPERATION_NAMES[self.kind]


def sites_of(config: Config) -> Sites:
    key = (config.tables.digest, config.layout)
    sites = _SITES.get(key)
    if sites is None:
        for layout in config.tables.layouts:
            if layout.name == config.layout:
                sites = Sites(layout)
        if sites is None:
            raise BadConfig(f'no Megalith layout "{config.layout}"')
        _SITES[key] = sites
    return sites


def notation_of(config: Config) -> Notation:
    key = (config.tables.digest, config.layout)
    notation = _NOTATIONS.get(key)
    if notation is None:
        notation = Notation(config.tables, sites_of(config), list(REGISTRY.values()))
        _NOTATIONS[key] = notation
    return notation


def empty_position(config: Config, seed: bytes) -> Position:
    """A position with nothing on the table yet, its modules found."""
    if len(seed) != SEED_BYTES:
        raise BadConfig(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    position = new_position(config, sites_of(config), seed)
    for name in config.modules:
        module = REGISTRY.get(name)
        if module is None:
            known = ", ".join(sorted(name for name in REGISTRY if not REGISTRY[name].own_rules))
            raise BadConfig(f'no module "{name}"; there are {known}')
        refusal = module.refusal(config)
        if refusal:
            raise BadConfig(refusal)
        position.modules.append(module)
        position.module_state.append(b"")
    for _ in range(config.players):
        position.kinds.append(PERSON)
    for index, module in enumerate(position.modules):
        module.components(position, index)
        module.take_seats(position, index)
    return position


class Game:
    """One game. `position` is its whole state; treat it as read-only."""

    __slots__ = ("_options", "_result", "position")

    position: Position
    _options: list[int]
    _result: Result | None

    @staticmethod
    def at(position: Position) -> "Game":
        """The game that goes on from a position, which it takes over."""
        game = Game()
        game.position = position
        game._options = []
        game._result = None
        game._advance()
        return game

    @staticmethod
    def new(config: Config, seed: bytes, listen: bool = False) -> "Game":
        """Set up a game. With `listen`, what happens is kept until `take_events`."""
        position = empty_position(config, seed)
        if listen:
            position.events = []
        setup.lay_out(position)
        return Game.at(position)

    @property
    def decision(self) -> Decision | None:
        """The pending decision; None when the game is over."""
        if not self._options:
            return None
        frame = self.position.agenda[-1]
        return Decision(frame[1], frame[0], self._options[:], self._default(frame))

    @property
    def default(self) -> int:
        """The plain default of the pending decision, for callers in a hurry; not when over."""
        return self._default(self.position.agenda[-1])

    def options(self) -> list[int]:
        """The options of the pending decision, for callers in a hurry; empty when over.

        This is the game's own list: read it, never change it. `decision.options` is a copy.
        """
        return self._options

    def offers(self) -> list[Offer]:
        """What step 2 offers now, open and closed (offers.py); empty at any other decision."""
        if not self._options or self.position.agenda[-1][0] != agenda.ACT:
            return []
        player = self.position.players[self.position.agenda[-1][1]]
        return offers(self.position, player, self._options)

    @property
    def result(self) -> Result | None:
        """The result; None while a decision is pending."""
        if self.position.over and self._result is None:
            self._result = result(self.position)
        return self._result

    def apply(self, code: int, seat: int = ANY_SEAT) -> list[Event]:
        """Carry out an option and everything that follows from it without a question.

        `seat`, if given, must be the one that decides. Returns what happened if somebody
        listens, else an empty list. If the option is refused nothing has changed.
        """
        # Not a float that happens to be equal to an option.
        if not isinstance(code, int):
            raise IllegalOption(f"{code!r} is no option: an option is a whole number")
        if self.position.over:
            raise GameOver("the game is over; no decision is pending")
        frame = self.position.agenda[-1]
        if seat != ANY_SEAT and seat != frame[1]:
            raise WrongSeat(f"seat {frame[1]} decides now, not seat {seat}")
        if code not in self._options:
            raise IllegalOption(
                f"option {code} is not one of the {len(self._options)} options of the pending "
                f"{agenda.OPERATION_NAMES[frame[0]]} decision"
            )
        self._choose(frame, code)
        self._advance()
        return self.take_events()

    def listen(self) -> None:
        """From now on `apply` returns what happens."""
        if self.position.events is None:
            self.position.events = []

    def take_events(self) -> list[Event]:
        """What happened since the last call; empty if nobody listens."""
        happened = self.position.events
        if happened is None:
            return []
        self.position.events = []
        return happened

    def text(self, code: int) -> str:
        """The canonical text of an option."""
        return notation_of(self.position.config).text(code)

    def parse(self, text: str) -> int:
        """The option of a canonical text; whether it is legal now is for `apply` to say."""
        return notation_of(self.position.config).parse(text)

    def copy(self) -> "Game":
        """An independent game in the same position; nobody listens to it."""
        new = Game()
        new.position = self.position.copy()
        new._options = self._options  # a list of options is never changed, only replaced
        new._result = self._result
        return new

    # --- the machine ---

    def _advance(self) -> None:
        """Resolve the agenda until a decision is pending or the game is over."""
        position = self.position
        while not position.over:
            frame = position.agenda[-1]
            operation = frame[0]
            position.cause = 0
            if operation == agenda.ROUND:
                _next_in_round(position)
                continue
            if operation == agenda.ECLIPSE:
                if not eclipse.advance(position, frame[2]):
                    position.agenda.pop()
                    _end_round(position)
                continue
            if operation == agenda.DEAL:
                position.agenda.pop()
                position.cause = SET_07
                setup.deal(position)
                continue
            player = position.players[frame[1]]
            legal = _pending_options(position, player, frame)
            if not legal:
                position.agenda.pop()
                continue
            if len(legal) == 1 and _publicly_forced(position, player, operation):
                self._choose(frame, legal[0])
                continue
            self._options = legal
            return
        self._options = []

    def _choose(self, frame: Frame, code: int) -> None:
        position = self.position
        position.cause = 0
        operation = frame[0]
        player = position.players[frame[1]]
        if operation == agenda.ACT:
            turn.choose_act(position, player, code)
        elif operation == agenda.GAIN:
            _choose_gain(position, player, frame, code)
        elif operation == agenda.TURN:
            turn.choose_turn(position, player, code)
        elif operation == agenda.BUILD_PILE:
            turn.choose_pile(position, player, code)
        elif operation == agenda.ABILITIES:
            _choose_ability(position, player, frame, code)
        elif operation == agenda.PAY_DISCARD:
            _choose_discard(position, player, frame, code)
        elif operation == agenda.NOMAD:
            position.kinds[frame[1]].choose(position, frame, code)
        elif options.verb_of(code) == options.LEAVE:
            position.agenda.pop()
            _leave_sources(position, player, frame)
        elif operation == agenda.ECLIPSE_CARDS:
            eclipse.choose_card(position, player, frame[3], code)
        elif operation == agenda.ECLIPSE_TERRAIN:
            eclipse.choose_terrain(position, player, frame[3], code)
        else:
            position.agenda.pop()
            if operation == agenda.CHOOSE_CHIEF:
                setup.choose_chief(position, player, frame[2], options.a_of(code))
            elif operation == agenda.CHOOSE_SETUP:
                setup.choose_setup(position, player, options.a_of(code))
            else:
                module = position.modules[frame[2]]
                module.choose(position, frame[2], player.seat, frame[3], code)

    def _default(self, frame: Frame) -> int:
        """The plain default: rest, end, done; otherwise the first thing on offer."""
        operation = frame[0]
        if operation == agenda.TURN:
            return turn.turn_default(self.position.players[frame[1]])
        if operation == agenda.ACT and self._options[-1] == option(options.END):
            return self._options[-1]
        if operation == agenda.BUILD_PILE:
            return self._options[-1]
        return self._options[0]


def _next_in_round(position: Position) -> None:
    """TRN-02: in turn order until everybody has taken 3 turns, then the Eclipse."""
    players = len(position.players)
    if position.turn == turn.TURNS * players:
        eclipse.begin(position)
        return
    seat = position.order[position.turn % players]
    position.turn += 1
    turn.begin_turn(position, seat)


def _end_round(position: Position) -> None:
    """TRN-01."""
    eclipse.end(position)
    if position.round == ROUNDS:
        position.agenda.clear()
        position.over = True
        tell_final_points(position)
        emit(position, events.GAME_ENDED, 0)
        return
    prepare(position)


def _pending_options(position: Position, player: Player, frame: Frame) -> list[int]:
    """The legal options of the topmost record; none: there is nothing to decide any more.

    What needs no question is resolved on the way.
    """
    operation = frame[0]
    if operation == agenda.ACT:
        return turn.act_options(position, player)
    if operation == agenda.GAIN:
        return _gain_options(position, player, frame)
    if operation == agenda.TURN:
        return turn.turn_options(position, player)
    if operation == agenda.BUILD_PILE:
        return turn.pile_options(player) if player.hand else []
    if operation == agenda.PAY_DISCARD:
        return _discard_options(position, player, frame[2])
    if operation == agenda.ABILITIES:
        return _ability_options(position, player, frame)
    if operation == agenda.ECLIPSE_CARDS:
        cards = eclipse.resolve_cards(position, player, frame[3])
        if cards != frame[3]:
            position.agenda[-1] = (operation, frame[1], frame[2], cards)
        return eclipse.card_options(position, player, cards)
    if operation == agenda.ECLIPSE_TERRAIN:
        resolved = eclipse.resolve_terrain(position, player, frame[3])
        if resolved != frame[3]:
            position.agenda[-1] = (operation, frame[1], frame[2], resolved)
        return eclipse.terrain_options(position, player, resolved)
    if operation == agenda.CHOOSE_CHIEF:
        return setup.chief_options(position, player, frame[2])
    if operation == agenda.CHOOSE_SETUP:
        return setup.setup_options(position)
    if operation == agenda.NOMAD:
        return position.kinds[frame[1]].options(position, frame)
    return position.modules[frame[2]].options(position, frame[2], frame[1], frame[3])


def _publicly_forced(position: Position, player: Player, operation: int) -> bool:
    """Whether everybody can see that a list of one option could not have been longer.

    Where the hand decides, only its size is known to others: with cards in hand the question
    is asked even if it has one answer.
    """
    if operation == agenda.ACT:
        return position.place == REST or not player.hand
    if operation == agenda.PAY_DISCARD:
        return len(player.hand) == 1
    if operation == agenda.GAIN:
        return not player.hand
    # A mandated step is never taken unseen: whoever plays the seat shows it.
    return operation != agenda.NOMAD


def _discard_options(position: Position, player: Player, owed: int) -> list[int]:
    """ICO-06; LAB-01: a card may also be played first, as long as enough are left to pay."""
    found = [option(options.DISCARD, card) for card in distinct(player.hand)]
    if (
        len(player.hand) > owed
        and position.place != REST
        and turn.in_step_two(position, player.seat)
    ):
        turn.play_options(position, player, found)
    return found


def _gain_options(position: Position, player: Player, frame: Frame) -> list[int]:
    position.cause = frame[2] >> 8
    pool = gains.resolve_at_once(position, player, frame[3])
    found: list[int] = []
    if not pool:
        return found
    in_step_two = turn.in_step_two(position, player.seat)
    if not gains.pool_asks(position, player, pool) and not (
        in_step_two and turn.worth_asking(position, player, pool)
    ):
        gains.take_the_rest(position, player, pool)
        return found
    if pool != frame[3]:
        position.agenda[-1] = (agenda.GAIN, frame[1], frame[2], pool)
    possible = gains.possible_pool(position, player, pool)
    gains.pool_options(position, player, possible, 0, found)
    if frame[2] & 255 == agenda.MAY_LEAVE:
        found.append(option(options.LEAVE))
    if in_step_two:
        turn.between_options(position, player, pool, found)
    return found


def _choose_gain(position: Position, player: Player, frame: Frame, code: int) -> None:
    if options.verb_of(code) in turn.BETWEEN:
        turn.choose_between(position, player, code)
        return
    position.cause = frame[2] >> 8
    if options.verb_of(code) == options.LEAVE:
        # What can never hurt is not left: Food that waited for room, Stones still to score.
        position.agenda.pop()
        gains.take_the_rest(position, player, frame[3])
        return
    rest = gains.reduced(position, player, frame[3], code)
    if rest:
        number = position.cause << 8 | agenda.MAY_LEAVE
        position.agenda[-1] = (agenda.GAIN, frame[1], number, rest)
    else:
        position.agenda.pop()
    perform(position, player, code)


def _ability_options(position: Position, player: Player, frame: Frame) -> list[int]:
    """CUL-02: the abilities of a Culture card just played, each optional, in any order.

    The card is resolved as a whole: also if its first ability buried it.
    """
    abilities = position.tables.cards[frame[2]].abilities
    unused = frame[3]
    waiting = [abilities[number] for number in frame[3]]
    numbers = [frame[2]] * len(waiting)
    done = gains.resolve_sources(position, player, waiting, CARD, numbers)
    for number in done:
        unused = without(unused, frame[3][number])
    if unused != frame[3]:
        position.agenda[-1] = (agenda.ABILITIES, frame[1], frame[2], unused)
    found: list[int] = []
    for number in unused:
        gains.ability_options(position, player, abilities[number], source(ABILITY, number), found)
    if found:
        found.append(option(options.LEAVE))
    return found


def _leave_sources(position: Position, player: Player, frame: Frame) -> None:
    """Sources that bring nothing but Food, and waited for room, are not left."""
    if frame[0] == agenda.ABILITIES:
        card = position.tables.cards[frame[2]]
        abilities = [card.abilities[number] for number in frame[3]]
        causes = [source(CARD, frame[2])] * len(abilities)
    elif frame[0] == agenda.ECLIPSE_CARDS:
        abilities = eclipse.abilities_of(position, frame[3])
        causes = [source(CARD, number) for number in frame[3]]
    else:
        hexes = eclipse.leading_hexes(position, player, frame[3])
        abilities = [eclipse.benefit_of(position, hex_) for hex_ in hexes]
        causes = [source(HEX, hex_) for hex_ in hexes]
    for number, ability in enumerate(abilities):
        position.cause = causes[number]
        gains.take_if_only_food(position, player, ability)


def _choose_ability(position: Position, player: Player, frame: Frame, code: int) -> None:
    if options.verb_of(code) == options.LEAVE:
        position.agenda.pop()
        _leave_sources(position, player, frame)
        return
    number = options.source_of(code) & 255
    position.cause = source(CARD, frame[2])
    position.agenda[-1] = (agenda.ABILITIES, frame[1], frame[2], without(frame[3], number))
    emit(position, events.ABILITY_USED, player.seat, frame[2], number)
    gains.use(position, player, position.tables.cards[frame[2]].abilities[number], code)


def _choose_discard(position: Position, player: Player, frame: Frame, code: int) -> None:
    if options.verb_of(code) == options.PLAY:
        turn.choose_between(position, player, code)
        return
    if frame[2] > 1:
        position.agenda[-1] = (agenda.PAY_DISCARD, frame[1], frame[2] - 1, b"")
    else:
        position.agenda.pop()
    board.discard(position, player, options.a_of(code))
