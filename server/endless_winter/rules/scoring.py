"""Points: Sacred Stones in each Eclipse phase, and the final scoring."""

from endless_winter.rules.building import OWN
from endless_winter.rules.events import (
    BY_HONOR,
    BY_MEGALITH,
    BY_STONE,
    CATEGORY_NAMES,
    FINAL_ANIMALS,
    FINAL_CARDS,
    FINAL_HONOR,
    FINAL_OFFERING,
    POINTS,
    emit,
)
from endless_winter.rules.idols import honor_ranking
from endless_winter.rules.megaliths import BOARD_SITES, SPACES, TILES
from endless_winter.rules.points import by_category
from endless_winter.rules.sources import FIN_01
from endless_winter.rules.state import Player, Position
from endless_winter.rules.tables import (
    STN_BURIED,
    STN_IDOL_SPACES,
    STN_LAND_TYPES,
    STN_MEGALITH_TILES,
    STN_MEGALITHS_ON_BOARD,
    STN_STACKED,
    STN_TIPPED_OF,
    STN_TIPPED_TYPES,
    STN_VILLAGES_TOUCHING,
    STN_VILLAGES_TOUCHING_ANY,
    Stone,
)
from endless_winter.rules.terrain import HEXES, JUNCTURES


def stone_points(position: Position, player: Player, stone: Stone) -> int:
    """STN-01 .. STN-09."""
    counted = stone_count(position, player, stone)
    if stone.scale:
        return stone.scale[min(counted, len(stone.scale) - 1)]
    return counted // stone.per * stone.each


def stone_count(position: Position, player: Player, stone: Stone) -> int:
    """How much of what the tile shows the player has."""
    kind = stone.kind
    count = 0
    if kind == STN_VILLAGES_TOUCHING:
        count = _villages_touching(position, player, stone.param)
    elif kind == STN_LAND_TYPES:
        count = _land_types(position, player)
    elif kind == STN_MEGALITHS_ON_BOARD:
        count = position.megaliths[:BOARD_SITES].count(OWN + player.seat)
    elif kind == STN_MEGALITH_TILES:
        for slot in range(TILES):
            if OWN + player.seat in position.megaliths[slot * SPACES : (slot + 1) * SPACES]:
                count += 1
    elif kind == STN_BURIED:
        count = len(player.buried)
    elif kind == STN_STACKED:
        count = position.megaliths[BOARD_SITES:].count(OWN + player.seat)
    elif kind == STN_IDOL_SPACES:
        count = player.offering + player.honor
    elif kind == STN_TIPPED_TYPES:
        count = len(set(player.tipped))
    elif kind == STN_TIPPED_OF:
        for animal in player.tipped:
            if stone.param & 1 << animal:
                count += 1
    elif kind == STN_VILLAGES_TOUCHING_ANY:
        count = villages_touching_any(position, player, stone.param)
    return count


def _villages_touching(position: Position, player: Player, terrain: int) -> int:
    count = 0
    for juncture in player.villages:
        hexes = JUNCTURES[juncture]
        if (
            position.terrain[hexes[0]] == terrain
            or position.terrain[hexes[1]] == terrain
            or position.terrain[hexes[2]] == terrain
        ):
            count += 1
    return count


def villages_touching_any(position: Position, player: Player, terrains: int) -> int:
    """Own Villages beside at least one hex of a type in the bit mask."""
    count = 0
    for juncture in player.villages:
        for hex_ in JUNCTURES[juncture]:
            if terrains & 1 << position.terrain[hex_]:
                count += 1
                break
    return count


def _land_types(position: Position, player: Player) -> int:
    lands: set[int] = set()
    for hex_ in player.camps:
        if hex_ < HEXES and position.tables.terrains[position.terrain[hex_]].land:
            lands.add(position.terrain[hex_])
    return len(lands)


def offering_points(position: Position, player: Player) -> int:
    """FIN-01."""
    if not player.offering:
        return 0
    ratio = position.tables.offering[player.offering - 1].ratio
    return (player.food + player.tools) // ratio


def buried_points(position: Position, player: Player) -> int:
    """FIN-02."""
    ranking = honor_ranking(position)
    if player.seat not in ranking:
        return 0
    charts = position.tables.honor_charts
    chart = charts[min(ranking.index(player.seat), len(charts) - 1)]
    return chart[min(len(player.buried), len(chart) - 1)]


def card_points(position: Position, player: Player) -> int:
    """FIN-03. Above the board and in the Eclipse pile there is nothing when the game is over."""
    cards = position.tables.cards
    total = 0
    zones = player.hand + player.deck + player.discard + player.buried
    for card in zones + player.above + player.pile:
        total += cards[card].points
    return total


def animal_points(position: Position, player: Player) -> int:
    """FIN-04: the best way to add the wild Animals to the sets of the others."""
    animals = position.tables.animals
    counts = [0] * len(animals)
    wild = 0
    for animal in player.animals:
        if animals[animal].wild:
            wild += 1
        else:
            counts[animal] += 1
    best = [0] * (wild + 1)  # best[w]: most points with at most w wild ones, types so far
    for animal in range(len(animals)):
        number = counts[animal]
        if not number:
            continue
        sets = animals[animal].sets
        for spare in range(wild, -1, -1):
            most = 0
            for joined in range(spare + 1):
                size = min(number + joined, len(sets))
                most = max(most, best[spare - joined] + sets[size - 1])
            best[spare] = most
    return best[wild]


class Score:
    """One seat's points by category, and how it came out."""

    __slots__ = ("place", "points", "seat", "total")

    def __init__(self, seat: int, points: list[int]) -> None:
        self.seat: int = seat
        self.points: list[int] = points  # by the number of the category (events.py)
        self.total: int = sum(points)
        self.place: int = 0  # 1 for the winner

    @property
    def megaliths(self) -> int:
        return self.points[BY_MEGALITH]

    @property
    def honor_track(self) -> int:
        return self.points[BY_HONOR]

    @property
    def stones(self) -> int:
        return self.points[BY_STONE]

    @property
    def offering(self) -> int:
        return self.points[FINAL_OFFERING]

    @property
    def honor(self) -> int:
        return self.points[FINAL_HONOR]

    @property
    def cards(self) -> int:
        return self.points[FINAL_CARDS]

    @property
    def animals(self) -> int:
        return self.points[FINAL_ANIMALS]

    def by_name(self) -> dict[str, int]:
        """The categories that brought points, by their names."""
        return {
            CATEGORY_NAMES[category]: points
            for category, points in enumerate(self.points)
            if points
        }


class Result:
    """The end of a game: scores by seat, seats from first to last, whether a tie was broken."""

    __slots__ = ("ranking", "scores", "tie_broken")

    def __init__(self, scores: list[Score], ranking: list[int], tie_broken: bool) -> None:
        self.scores: list[Score] = scores
        self.ranking: list[int] = ranking
        self.tie_broken: bool = tie_broken

    @property
    def winner(self) -> int:
        return self.ranking[0]


def final_points(position: Position, player: Player) -> list[int]:
    """FIN-01 .. FIN-04, as if the game were scored now."""
    return [
        offering_points(position, player),
        buried_points(position, player),
        card_points(position, player),
        position.kinds[player.seat].animal_points(position, player.seat),
    ]


def final_scores(position: Position) -> list[Score]:
    """What each seat would have if the game were scored now."""
    found: list[Score] = []
    for player in position.players:
        points = by_category(player.points)
        points[FINAL_OFFERING : FINAL_ANIMALS + 1] = final_points(position, player)
        found.append(Score(player.seat, points))
    return found


def tell_final_points(position: Position) -> None:
    """Final scoring, line by line; the score markers stay where they are."""
    if position.events is None:
        return
    for player in position.players:
        for number, points in enumerate(final_points(position, player)):
            if points:
                position.cause = FIN_01 + number
                emit(position, POINTS, player.seat, points, FINAL_OFFERING + number)


def result(position: Position) -> Result:
    """FIN-05: most points; a tie goes to whoever is ahead in the last turn order."""
    scores = final_scores(position)
    # The sort is stable, so turn order decides among equals.
    ranking = sorted(position.order, key=lambda seat: -scores[seat].total)
    for place, seat in enumerate(ranking):
        scores[seat].place = place + 1
    tie_broken = len({score.total for score in scores}) < len(scores)
    return Result(scores, ranking, tie_broken)
