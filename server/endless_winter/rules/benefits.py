"""The benefits one by one: whether an icon could bring anything, every way to take it, taking it.

Each icon of the vocabulary has its lister, each option its doer; gains.py puts them together
into pools.
"""

from collections.abc import Callable
from typing import Final

from endless_winter.rules import agenda, board, events, icons, options
from endless_winter.rules.board import MAX_TOOLS, food_room
from endless_winter.rules.building import additional_sites, legal_sites, place_megalith
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.idols import advance_honor, advance_offering, can_advance_honor
from endless_winter.rules.options import option
from endless_winter.rules.scoring import stone_points
from endless_winter.rules.sources import STONE, category_of, source
from endless_winter.rules.state import Player, Position
from endless_winter.rules.terrain import ADJACENT
from endless_winter.rules.zones import EMPTY, distinct


def entry_possible(position: Position, player: Player, icon: int, amount: int) -> bool:
    """Whether anything could come of this entry of a pool now.

    Only what everybody may know decides here, so that a question left out tells nothing.
    """
    if icon == icons.TOOL:
        return player.tools < MAX_TOOLS or food_room(player) > 0
    if icon == icons.FOOD or icon == icons.FEAST:
        return food_room(player) > 0
    if icon == icons.BURY:
        if player.hand or player.discard or player.above:
            return True
        return bool(revealed_pile(position, player))
    if icon == icons.CAMP:
        return len(player.camps) < board.CAMPS
    if icon == icons.MOVE:
        return bool(player.camps) or by_module(position, player, icon, amount)
    if icon == icons.VILLAGE:
        sites = board.village_sites(position, player)
        return bool(sites) or by_module(position, player, icon, amount)
    if icon == icons.ANIMAL:
        return board.grounds_count(position) > 0 or not position.animals
    if icon == icons.REVEAL:
        return board.can_reveal(position)
    if icon == icons.TIP:
        return bool(player.animals)
    if icon == icons.STONE:
        return bool(board.stones_on_offer(position, player))
    if icon == agenda.ADDITIONAL:
        return bool(additional_sites(position, amount))
    return icon < FIRST_OF_MODULES or by_module(position, player, icon, amount)


def by_module(position: Position, player: Player, icon: int, amount: int) -> bool:
    for index, module in enumerate(position.modules):
        if module.icon_possible(position, index, player.seat, icon, amount):
            return True
    return False


def score_stone(position: Position, player: Player, stone: int) -> None:
    """ECL-04."""
    points = stone_points(position, player, position.tables.stones[stone])
    cause = position.cause
    position.cause = source(STONE, stone)
    board.score(position, player, points, events.BY_STONE)
    position.cause = cause


def _lesser(position: Position, player: Player, icon: int, source: int, found: list[int]) -> None:
    """GLD-03: whatever is below the icon in the hierarchy, as far as it brings anything."""
    if icon > icons.DRAW and (player.deck or player.discard):
        found.append(option(options.AS, icon, options.AS_DRAW, source))
    if icon > icons.IDOL:
        found.append(option(options.AS, icon, options.AS_OFFERING, source))
        if can_advance_honor(position, player):
            found.append(option(options.AS, icon, options.AS_HONOR, source))
    if player.tools < MAX_TOOLS:
        found.append(option(options.AS, icon, options.AS_TOOL, source))
    if food_room(player) > 0:
        found.append(option(options.AS, icon, options.AS_FOOD, source))


def entry_options(
    position: Position, player: Player, icon: int, amount: int, source: int, found: list[int]
) -> None:
    """Every way to take one unit of an entry (all units of Food, Tools, points and Labor)."""
    if icon < FIRST_OF_MODULES:
        _LIST[icon](position, player, amount, source, found)
        if icon not in _WITH_MODULES:
            return
    for index, module in enumerate(position.modules):
        module.icon_options(position, index, player.seat, icon, amount, source, found)


# Icons of the base game that a module may have more ways to take.
_WITH_MODULES: Final = (icons.VILLAGE, icons.CAMP, icons.MOVE)


def _list_food(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    found.append(option(options.FOOD, amount, 0, source))


def _list_tools(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    """A split of the amount into Tools and Food.

    Food beyond its limit only beside all the Tools that fit, since it would be lost.
    """
    most = min(amount, MAX_TOOLS - player.tools)
    room = food_room(player)
    for tools in range(most, -1, -1):
        if tools == most or amount - tools <= room:
            found.append(option(options.TOOLS, tools, amount - tools, source))


def _list_idol(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    found.append(option(options.OFFERING, 0, 0, source))
    if can_advance_honor(position, player):
        found.append(option(options.HONOR, 0, 0, source))
    _lesser(position, player, icons.IDOL, source, found)


def _list_draw(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    """GLD-02: with deck and discard pile empty only lesser benefits are left."""
    if player.deck or player.discard:
        found.append(option(options.DRAW, 0, 0, source))
    _lesser(position, player, icons.DRAW, source, found)


def _list_megalith(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    """MEG-09: without a Megalith or a legal site only lesser benefits are left."""
    for site in legal_sites(position, player):
        found.append(option(options.MEGALITH, site, 0, source))
    _lesser(position, player, icons.MEGALITH, source, found)


def _list_additional(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    """MEG-08: a Megalith beside the grey site `amount`."""
    if player.megaliths:
        for site in additional_sites(position, amount):
            found.append(option(options.MEGALITH, site, 0, source))
    _lesser(position, player, icons.MEGALITH, source, found)


def _list_bury(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for card in distinct(player.hand):
        found.append(option(options.BURY, card, options.FROM_HAND, source))
    for card in distinct(player.discard):
        found.append(option(options.BURY, card, options.FROM_DISCARD, source))
    for card in distinct(player.above):
        found.append(option(options.BURY, card, options.FROM_ABOVE, source))
    for card in distinct(revealed_pile(position, player)):
        found.append(option(options.BURY, card, options.FROM_PILE, source))


def revealed_pile(position: Position, player: Player) -> bytes:
    """INI-06: in the Eclipse phase the own pile lies open above the board."""
    in_eclipse = len(position.agenda) > 1 and position.agenda[1][0] == agenda.ECLIPSE
    return player.pile if in_eclipse else b""


def _list_camp(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    found.append(option(options.CAMP, 0, 0, source))


def _list_move(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for start in distinct(player.camps):
        for end in ADJACENT[start]:
            found.append(option(options.MOVE, start, end, source))


def _list_village(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for juncture in board.village_sites(position, player):
        found.append(option(options.VILLAGE, juncture, 0, source))


def _list_tribe(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for card in position.tribe_cards:
        found.append(option(options.TRIBE, card, 0, source))


def _list_recruit(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for card in position.tribe_cards:
        found.append(option(options.RECRUIT, card, 0, source))


def _list_culture(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for card in position.display:
        if card != EMPTY:
            found.append(option(options.TAKE, card, 0, source))


def _list_animal(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for animal, place in board.huntable(position):
        found.append(option(options.ANIMAL, animal, place, source))


def _list_beast(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    found.append(option(options.BEAST, 0, 0, source))


def _list_reveal(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    found.append(option(options.REVEAL, 0, 0, source))


def _list_tip(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for animal in distinct(player.animals):
        found.append(option(options.TIP, animal, 0, source))


def _list_stone(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for stone in board.stones_on_offer(position, player):
        found.append(option(options.STONE, stone, 0, source))


def _list_feast(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    found.append(option(options.FEAST, 0, 0, source))


def _list_scores(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    for slot in range(len(player.stones)):
        if amount & 1 << slot:
            found.append(option(options.SCORE, player.stones[slot], 0, source))


def _list_points(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    found.append(option(options.POINTS, amount, 0, source))


def _list_labor(
    position: Position, player: Player, amount: int, source: int, found: list[int]
) -> None:
    found.append(option(options.LABOR, amount, 0, source))


_Lister = Callable[[Position, Player, int, int, list[int]], None]
_LIST: Final[dict[int, _Lister]] = {
    icons.FOOD: _list_food,
    icons.TOOL: _list_tools,
    icons.IDOL: _list_idol,
    icons.DRAW: _list_draw,
    icons.MEGALITH: _list_megalith,
    icons.BURY: _list_bury,
    icons.VILLAGE: _list_village,
    icons.CAMP: _list_camp,
    icons.MOVE: _list_move,
    icons.TRIBE: _list_tribe,
    icons.RECRUIT: _list_recruit,
    icons.CULTURE: _list_culture,
    icons.ANIMAL: _list_animal,
    icons.BEAST: _list_beast,
    icons.REVEAL: _list_reveal,
    icons.TIP: _list_tip,
    icons.STONE: _list_stone,
    icons.FEAST: _list_feast,
    icons.POINT: _list_points,
    icons.LABOR: _list_labor,
    agenda.SCORE_STONES: _list_scores,
    agenda.ADDITIONAL: _list_additional,
}


def perform(position: Position, player: Player, code: int) -> None:
    """Carry out an option that takes a benefit."""
    verb = options.verb_of(code)
    if verb < FIRST_OF_MODULES:
        _DO[verb](position, player, options.a_of(code), options.b_of(code))
        return
    for index, module in enumerate(position.modules):
        if module.perform(position, index, player.seat, code):
            return


def _do_lesser(position: Position, player: Player, given_up: int, form: int) -> None:
    if form == options.AS_FOOD:
        board.gain_food(position, player, 1)
    elif form == options.AS_TOOL:
        board.gain_tools(position, player, 1)
    elif form == options.AS_OFFERING:
        advance_offering(position, player)
    elif form == options.AS_HONOR:
        advance_honor(position, player)
    else:
        board.draw(position, player, 1)


def _do_food(position: Position, player: Player, amount: int, _: int) -> None:
    board.gain_food(position, player, amount)


def _do_tools(position: Position, player: Player, tools: int, food: int) -> None:
    board.gain_tools(position, player, tools)
    board.gain_food(position, player, food)


def _do_offering(position: Position, player: Player, _: int, __: int) -> None:
    advance_offering(position, player)


def _do_honor(position: Position, player: Player, _: int, __: int) -> None:
    advance_honor(position, player)


def _do_draw(position: Position, player: Player, _: int, __: int) -> None:
    board.draw(position, player, 1)


def _do_megalith(position: Position, player: Player, site: int, _: int) -> None:
    place_megalith(position, player, site)


def _do_bury(position: Position, player: Player, card: int, zone: int) -> None:
    board.bury(position, player, card, zone)


def _do_camp(position: Position, player: Player, _: int, __: int) -> None:
    board.place_camp(position, player, board.camp_home(position))


def _do_move(position: Position, player: Player, start: int, end: int) -> None:
    board.move_camp(position, player, start, end)


def _do_village(position: Position, player: Player, juncture: int, _: int) -> None:
    board.place_village(position, player, juncture)


def _do_tribe(position: Position, player: Player, card: int, _: int) -> None:
    board.take_tribe(position, player, card, False)


def _do_recruit(position: Position, player: Player, card: int, _: int) -> None:
    board.take_tribe(position, player, card, True)


def _do_culture(position: Position, player: Player, card: int, _: int) -> None:
    board.take_culture(position, player, card)


def _do_animal(position: Position, player: Player, animal: int, place: int) -> None:
    board.take_animal(position, player, animal, place)


def _do_beast(position: Position, player: Player, _: int, __: int) -> None:
    board.take_beast(position, player)


def _do_reveal(position: Position, player: Player, _: int, __: int) -> None:
    board.reveal(position, 1)


def _do_tip(position: Position, player: Player, animal: int, _: int) -> None:
    board.tip(position, player, animal)


def _do_stone(position: Position, player: Player, stone: int, _: int) -> None:
    board.take_stone(position, player, stone)


def _do_feast(position: Position, player: Player, _: int, __: int) -> None:
    board.gain_food(position, player, food_room(player))


def _do_score(position: Position, player: Player, stone: int, _: int) -> None:
    score_stone(position, player, stone)


def _do_points(position: Position, player: Player, amount: int, _: int) -> None:
    board.score(position, player, amount, category_of(position, position.cause))


def _do_labor(position: Position, player: Player, halves: int, _: int) -> None:
    position.labor += halves
    emit(position, events.LABOR_GAINED, player.seat, halves)


_Doer = Callable[[Position, Player, int, int], None]
_DO: Final[dict[int, _Doer]] = {
    options.AS: _do_lesser,
    options.FOOD: _do_food,
    options.TOOLS: _do_tools,
    options.OFFERING: _do_offering,
    options.HONOR: _do_honor,
    options.DRAW: _do_draw,
    options.MEGALITH: _do_megalith,
    options.BURY: _do_bury,
    options.CAMP: _do_camp,
    options.MOVE: _do_move,
    options.VILLAGE: _do_village,
    options.TRIBE: _do_tribe,
    options.RECRUIT: _do_recruit,
    options.TAKE: _do_culture,
    options.ANIMAL: _do_animal,
    options.BEAST: _do_beast,
    options.REVEAL: _do_reveal,
    options.TIP: _do_tip,
    options.STONE: _do_stone,
    options.FEAST: _do_feast,
    options.SCORE: _do_score,
    options.POINTS: _do_points,
    options.LABOR: _do_labor,
}
