"""The Nomad's next step: one due icon, what comes of it now, and carrying that out.

A step is public: it hangs on the open cards and boards alone. What it turns up (a Nomad card, a
Map card, an Animal, the top of the Sacrifice deck) shows when it is carried out.
"""

from endless_winter.rules import agenda, board, events, icons, options
from endless_winter.rules.benefits import perform
from endless_winter.rules.board import MAX_TOOLS, food_room
from endless_winter.rules.building import additional_sites, legal_sites
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import FIRST_OF_MODULES, NOWHERE
from endless_winter.rules.megaliths import BOARD_SITES
from endless_winter.rules.nomad import arrows, roaming
from endless_winter.rules.nomad.actions import ALWAYS, GLACIERS, INSTEAD, PILE_CARD, SETTLE
from endless_winter.rules.nomad.area import area_of, keep, newest_card
from endless_winter.rules.options import option
from endless_winter.rules.sources import STONE, source
from endless_winter.rules.state import Position
from endless_winter.rules.zones import EMPTY, ONE, replaced, with_piece

# The Terrain type.
GLACIER = 1
STONE_POINTS = 2  # NMD-09
COMMON_SET = 4  # NMD-05: of such a type it has enough

_IMPOSSIBLE = 0  # no option: every verb is above 0


class Step:
    """What comes of a due icon: the option, what is really done, how many units that takes.

    `passed` are the icons that came before in line, but cannot be had now (NMD-14).
    """

    __slots__ = ("code", "done", "passed", "units")

    def __init__(self, code: int, done: int, units: int, passed: bytes) -> None:
        self.code: int = code
        self.done: int = done
        self.units: int = units
        self.passed: bytes = passed


def step_for(position: Position, seat: int, due: int, amount: int) -> Step:
    """NMD-14: the icon itself, or what comes instead of it."""
    icon = ALWAYS.get(due, due)
    passed = b""
    while True:
        code = _way(position, seat, icon, amount)
        if code != _IMPOSSIBLE:
            break
        passed += ONE[icon]
        icon = INSTEAD[icon]
    units = 1
    verb = options.verb_of(code)
    if verb == options.NOMAD_NOTHING:
        units = amount
    elif due != icons.FEAST and verb in (options.FOOD, options.TOOLS, options.POINTS):
        units = options.a_of(code)
    return Step(code, icon, units, passed)


def left_over(due: int, amount: int, step: Step) -> int:
    """The amount of an entry of a pool after a step of it."""
    if due == agenda.SCORE_STONES:
        return amount & amount - 1
    if due == agenda.ADDITIONAL or due == icons.FEAST:
        return 0
    return amount - step.units


def _way(position: Position, seat: int, icon: int, amount: int) -> int:
    """How the icon is gained now; 0: it cannot be."""
    player = position.players[seat]
    if icon == icons.IDOL:
        return _idol(position, seat)
    if icon == icons.TOOL:
        room = MAX_TOOLS - player.tools
        return option(options.TOOLS, min(amount, room)) if room else _IMPOSSIBLE
    if icon == icons.FOOD or icon == icons.FEAST:
        room = food_room(player)
        if room <= 0:
            return _IMPOSSIBLE
        return option(options.FOOD, room if icon == icons.FEAST else min(amount, room))
    if icon == icons.POINT:
        return option(options.POINTS, amount)
    if icon == SETTLE:
        return _settle(position, seat)
    if icon == icons.MEGALITH:
        return _megalith(position, seat)
    if icon == agenda.ADDITIONAL:
        return _additional(position, seat, amount)
    if icon == icons.STONE:
        return _stone(position, seat)
    if icon == agenda.SCORE_STONES:
        return option(options.SCORE, player.stones[(amount & -amount).bit_length() - 1])
    if icon >= FIRST_OF_MODULES:
        return _of_module(position, seat, icon, amount)
    return _card_way(position, seat, icon)


def _of_module(position: Position, seat: int, icon: int, amount: int) -> int:
    for index, module in enumerate(position.modules):
        code = module.mandated(position, index, seat, icon, amount)
        if code:
            return code
    return option(options.NOMAD_NOTHING)


def _card_way(position: Position, seat: int, icon: int) -> int:
    """Ways that have to do with cards."""
    area = area_of(position)
    if icon == icons.BURY:
        return option(options.NOMAD_BURY) if area.sacrifice else _IMPOSSIBLE
    if icon == icons.CULTURE:
        return _culture(position)
    if icon == icons.ANIMAL:
        return _animal(position, seat)
    if icon == icons.BEAST:
        return option(options.BEAST) if position.animals else _IMPOSSIBLE
    if icon == PILE_CARD:
        return option(options.NOMAD_PILE if area.deck else options.NOMAD_NOTHING)
    if icon == GLACIERS:
        return option(options.NOMAD_GLACIERS, glaciers_camped(position, seat))
    assert icon == icons.REVEAL
    can = board.can_reveal(position)
    return option(options.REVEAL if can else options.NOMAD_NOTHING)


def _idol(position: Position, seat: int) -> int:
    """NMD-01."""
    player = position.players[seat]
    if player.honor < len(position.tables.honor):
        return option(options.HONOR)
    if player.offering < len(position.tables.offering):
        return option(options.OFFERING)
    return option(options.POINTS, 1)


def _culture(position: Position) -> int:
    """NMD-03."""
    there = [place for place, card in enumerate(position.display) if card != EMPTY]
    if not there:
        return _IMPOSSIBLE
    card = newest_card(position, area_of(position))
    place = there[arrows.pointed(card, [arrows.display_place(place) for place in there])]
    return option(options.NOMAD_CULTURE, position.display[place], place)


def liking(position: Position, seat: int, animal: int) -> int:
    """NMD-05: 0 of a type it has 1 to 3 of, 1 of a new type, 2 of a type it has enough of."""
    number = position.players[seat].animals.count(animal)
    if not number:
        return 1
    return 0 if number < COMMON_SET else 2


def _animal(position: Position, seat: int) -> int:
    """NMD-05: the best liked type, the arrows among its places."""
    there = [place for place, animal in enumerate(position.grounds) if animal != EMPTY]
    if not there:
        return _IMPOSSIBLE
    likings = [liking(position, seat, position.grounds[place]) for place in there]
    best = min(likings)
    there = [place for at, place in enumerate(there) if likings[at] == best]
    card = newest_card(position, area_of(position))
    place = there[arrows.pointed(card, [arrows.grounds_place(place) for place in there])]
    return option(options.NOMAD_ANIMAL, position.grounds[place], place)


def _stone(position: Position, seat: int) -> int:
    """NMD-09: the row from the left is that of Era I, then that of Era II."""
    row = board.stones_on_offer(position, position.players[seat])
    if not row:
        return _IMPOSSIBLE
    right = newest_card(position, area_of(position)).right
    return option(options.STONE, row[-1] if right else row[0])


def _megalith(position: Position, seat: int) -> int:
    """NMD-10: stacked if possible."""
    sites = legal_sites(position, position.players[seat])
    stacked = [site for site in sites if site >= BOARD_SITES]
    return _pointed_site(position, stacked or sites)


def _additional(position: Position, seat: int, grey: int) -> int:
    """MEG-08: without a free space there is no effect at all; without a Megalith, NMD-14."""
    sites = additional_sites(position, grey)
    if not sites:
        return option(options.NOMAD_NOTHING)
    if not position.players[seat].megaliths:
        return _IMPOSSIBLE
    return _pointed_site(position, sites)


def _pointed_site(position: Position, sites: list[int]) -> int:
    if not sites:
        return _IMPOSSIBLE
    card = newest_card(position, area_of(position))
    places = [arrows.site_place(position.sites, site) for site in sites]
    return option(options.MEGALITH, sites[arrows.pointed(card, places)])


def _settle(position: Position, seat: int) -> int:
    """NMD-11 if it can build, else NMD-12."""
    juncture = roaming.building_site(position, seat, area_of(position))
    if juncture < 0:
        return option(options.NOMAD_MAP, roaming.INNER)
    return option(options.NOMAD_BUILD, juncture, int(roaming.needs_token(position, seat)))


def _settling(position: Position, seat: int, juncture: int) -> None:
    for index, module in enumerate(position.modules):
        module.settling(position, index, seat, juncture)


def glaciers_camped(position: Position, seat: int) -> int:
    """NMD-08."""
    hexes = set(position.players[seat].camps)
    return len([hex_ for hex_ in hexes if position.terrain[hex_] == GLACIER])


def carry_out(position: Position, seat: int, code: int) -> None:
    """Do what a step's option says."""
    verb = options.verb_of(code)
    a = options.a_of(code)
    player = position.players[seat]
    if verb == options.NOMAD_BURY:
        area = area_of(position)
        player.buried = with_piece(player.buried, area.sacrifice[0])
        area.sacrifice = area.sacrifice[1:]
        keep(position, area)
        emit(position, events.NOMAD_BURIED, seat)
    elif verb == options.NOMAD_CULTURE:
        area = area_of(position)
        position.display = replaced(position.display, options.b_of(code), EMPTY)
        area.sacrifice = ONE[a] + area.sacrifice
        keep(position, area)
        emit(position, events.NOMAD_CULTURE, seat, a)
    elif verb == options.NOMAD_ANIMAL:
        position.grounds = replaced(position.grounds, options.b_of(code), EMPTY)
        player.animals = with_piece(player.animals, a)
        emit(position, events.ANIMAL_TAKEN, seat, a)
    elif verb == options.NOMAD_PILE:
        area = area_of(position)
        area.pile += area.deck[:1]
        area.deck = area.deck[1:]
        keep(position, area)
        emit(position, events.NOMAD_PILED, seat)
    elif verb == options.NOMAD_GLACIERS:
        board.score(position, player, a, events.BY_NOMAD)
    elif verb == options.NOMAD_BUILD:
        _settling(position, seat, a)
        roaming.build(position, seat, a, bool(options.b_of(code)))
    elif verb == options.NOMAD_MAP:
        _settling(position, seat, NOWHERE)
        roaming.roam(position, seat, a)
    elif verb == options.SCORE:
        position.cause = source(STONE, a)
        board.score(position, player, STONE_POINTS, events.BY_STONE)
    elif verb != options.NOMAD_NOTHING:
        perform(position, player, code)
