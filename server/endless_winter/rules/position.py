"""The canonical JSON form of a position: for tests, bug reports, puzzles and the log's snapshots.

`write` gives plain JSON values (dicts, lists, strings, ints, bools) with the pack's own names;
`read` turns them back and checks that such a table could exist. Writing what was read gives the
same values again.
"""

from typing import Final

from endless_winter.rules import agenda
from endless_winter.rules.building import NEUTRAL, OWN
from endless_winter.rules.checks import complaint
from endless_winter.rules.config import NOMAD, Config, ModuleRules, NomadRules
from endless_winter.rules.errors import BadConfig, BadPosition
from endless_winter.rules.events import CATEGORY_NAMES, FINAL_ANIMALS, FINAL_OFFERING
from endless_winter.rules.game import Game, empty_position
from endless_winter.rules.icons import ICON_NAMES, WHERE_NAMES
from endless_winter.rules.modules import MODULE_ICON_NAMES, REGISTRY
from endless_winter.rules.nomad.records import read_record, write_record
from endless_winter.rules.points import MOST_POINTS, by_category, with_points
from endless_winter.rules.reading import (
    Json,
    Reader,
    items_of,
    number_of,
    object_of,
    piece_of,
    pieces_of,
)
from endless_winter.rules.source_text import SourceTexts
from endless_winter.rules.state import Frame, Player, Position
from endless_winter.rules.tables import Tables
from endless_winter.rules.terrain import OUTSIDE
from endless_winter.rules.zones import EMPTY

FORMAT: Final = "endless-winter-position-2"

_POOL_NAMES: Final[dict[int, str]] = {
    agenda.SCORE_STONES: "score_stones",
    agenda.ADDITIONAL: "additional",
} | MODULE_ICON_NAMES


class Names:
    """Ids of one content pack, to and from their names."""

    def __init__(self, tables: Tables) -> None:
        self.cards: list[str] = [card.name for card in tables.cards]
        self.animals: list[str] = [animal.name for animal in tables.animals]
        self.chiefs: list[str] = [chief.name for chief in tables.chiefs]
        self.setups: list[str] = [card.name for card in tables.setups]
        self.stones: list[str] = [stone.name for stone in tables.stones]
        self.terrains: list[str] = [terrain.name for terrain in tables.terrains]
        self.nomad_cards: list[str] = [card.name for card in tables.nomad_cards]


def write(position: Position) -> Json:
    """The canonical JSON values of a position."""
    names = Names(position.tables)
    texts = SourceTexts(position.tables, position.sites)
    config = position.config
    return {
        "format": FORMAT,
        "content": config.tables.digest,
        "config": {
            "players": config.players,
            "setup_draft": config.setup_draft,
            "chief_draft": config.chief_draft,
            "layout": config.layout,
            "modules": list(config.modules),
            # Only of modules that have some, so that all other games are written as ever.
            **{name: rules.written() for name, rules in config.rules.items()},
        },
        "seed": position.seed.hex(),
        "over": position.over,
        "round": position.round,
        "turn": position.turn,
        "order": list(position.order),
        "terrain": _named(names.terrains, position.terrain),
        "megalith_tiles": list(position.tiles),
        "megaliths": _write_megaliths(position),
        "stones": [_named(names.stones, stones) for stones in position.stones],
        "tribes": list(position.tribes),
        "culture": [_named(names.cards, deck) for deck in position.culture],
        "display": _named(names.cards, position.display),
        "animals": _named(names.animals, position.animals),
        "grounds": _named(names.animals, position.grounds),
        "honor_queue": list(position.honor_queue),
        "first_figures": list(position.first),
        "chief_offer": list(position.chiefs),
        "setup_offer": _named(names.setups, position.setups),
        # Only of modules that have something on the table by now.
        "module_state": {
            module.name: module.write_state(position, index)
            for index, module in enumerate(position.modules)
            if position.module_state[index]
        },
        "turn_state": {
            "place": WHERE_NAMES[position.place] if position.place else "",
            "section": position.section,
            "bottom_open": position.bottom_open,
            "labor_halves": position.labor,
            "chief_ready": [number for number in range(8) if position.chief_ready & 1 << number],
            "cultures_played": position.cultures_played,
            "ready": _write_ready(names, position.ready),
            "taken": [
                names.cards[card]
                for deck, card in enumerate(position.tribe_cards)
                if position.taken & 1 << deck
            ],
            "fresh": _named(names.cards, position.fresh),
        },
        "players": [_write_player(names, player) for player in position.players],
        "agenda": [_write_frame(names, texts, frame) for frame in position.agenda],
    }


def _named(names: list[str], pieces: bytes) -> list[str]:
    return ["" if piece == EMPTY else names[piece] for piece in pieces]


def _write_megaliths(position: Position) -> list[Json]:
    sites = position.sites
    return [
        {
            "x": sites.x[site],
            "y": sites.y[site],
            "level": sites.level[site],
            "owner": "neutral" if owner == NEUTRAL else f"seat {owner - OWN}",
        }
        for site, owner in enumerate(position.megaliths)
        if owner
    ]


def _write_ready(names: Names, ready: bytes) -> list[list[object]]:
    return [[names.cards[ready[at]], ready[at + 1]] for at in range(0, len(ready), 2)]


def _write_player(names: Names, player: Player) -> Json:
    return {
        "chief": "" if player.chief == EMPTY else names.chiefs[player.chief],
        "setup": "" if player.setup == EMPTY else names.setups[player.setup],
        "food": player.food,
        "tools": player.tools,
        "camps": list(player.camps),
        "villages": list(player.villages),
        "megaliths": player.megaliths,
        "stones": _named(names.stones, player.stones),
        "offering": player.offering,
        "honor": player.honor,
        "figures": [WHERE_NAMES[place] if place else "" for place in player.figures],
        "hand": _named(names.cards, player.hand),
        "deck": _named(names.cards, player.deck),
        "discard": _named(names.cards, player.discard),
        "above": _named(names.cards, player.above),
        "pile": _named(names.cards, player.pile),
        "buried": _named(names.cards, player.buried),
        "animals": _named(names.animals, player.animals),
        "tipped": _named(names.animals, player.tipped),
        "shuffles": player.shuffles,
        "points": {
            CATEGORY_NAMES[category]: points
            for category, points in enumerate(by_category(player.points))
            if points
        },
    }


def _write_frame(names: Names, texts: SourceTexts, frame: Frame) -> Json:
    operation, seat, number, pieces = frame
    written: Json = {"do": agenda.OPERATION_NAMES[operation], "seat": seat}
    if operation == agenda.GAIN:
        written["source"] = texts.text(number >> 8)
        written["must"] = number & 255 == agenda.MUST_TAKE
        written["pool"] = [
            [_POOL_NAMES.get(pieces[at]) or ICON_NAMES[pieces[at]], pieces[at + 1]]
            for at in range(0, len(pieces), 2)
        ]
    elif operation == agenda.ABILITIES:
        written["card"] = names.cards[number]
        written["unused"] = list(pieces)
    elif operation == agenda.ECLIPSE_CARDS:
        written["cards"] = _named(names.cards, pieces)
    elif operation == agenda.ECLIPSE_TERRAIN:
        written["resolved"] = list(pieces)
    elif operation == agenda.NOMAD:
        written.update(write_record(names.nomad_cards, texts, number, pieces))
    elif operation in (
        agenda.PAY_DISCARD,
        agenda.ECLIPSE,
        agenda.CHOOSE_CHIEF,
        agenda.MODULE,
    ):
        written["number"] = number
        if pieces:
            written["pieces"] = list(pieces)
    return written


def read(values: object, tables: Tables) -> Position:
    """A position from its JSON values; BadPosition says what is wrong with them."""
    reader = Reader(object_of(values, "position"), "")
    if reader.value("format") != FORMAT:
        raise BadPosition(f'format: "{FORMAT}" expected')
    if reader.value("content") != tables.digest:
        raise BadPosition(
            f"content: the position was made with pack {reader.value('content')}, "
            f"this one is {tables.digest}"
        )
    names = Names(tables)
    try:
        position = empty_position(_read_config(reader.sub("config"), tables), b"\0" * 32)
    except BadConfig as error:
        raise BadPosition(f"config: {error}") from None
    position.seed = reader.hexadecimal("seed")
    position.over = reader.truth("over")
    position.round = reader.number("round")
    position.turn = reader.number("turn")
    position.order = reader.numbers("order")
    position.terrain = reader.pieces("terrain", names.terrains)
    position.tiles = reader.numbers("megalith_tiles")
    _read_megaliths(reader, position)
    position.stones = [
        pieces_of(items_of(stones, "stones"), "stones", names.stones, False)
        for stones in reader.items("stones")
    ]
    position.tribes = reader.numbers("tribes")
    position.culture = [
        pieces_of(items_of(deck, "culture"), "culture", names.cards, False)
        for deck in reader.items("culture")
    ]
    position.display = reader.pieces("display", names.cards, True)
    position.animals = reader.pieces("animals", names.animals)
    position.grounds = reader.pieces("grounds", names.animals, True)
    position.honor_queue = reader.numbers("honor_queue")
    position.first = reader.numbers("first_figures")
    position.chiefs = reader.numbers("chief_offer")
    position.setups = reader.pieces("setup_offer", names.setups)
    _read_modules(reader.sub("module_state"), position)
    _read_turn(reader.sub("turn_state"), names, position)
    players = reader.items("players")
    if len(players) != position.config.players:
        raise BadPosition(f"players: {position.config.players} expected, {len(players)} given")
    for seat, player in enumerate(position.players):
        path = f"players[{seat}]"
        _read_player(Reader(object_of(players[seat], path), path + "."), names, player)
    texts = SourceTexts(tables, position.sites)
    for at, frame in enumerate(reader.items("agenda")):
        path = f"agenda[{at}]"
        one = Reader(object_of(frame, path), path + ".")
        position.agenda.append(_read_frame(one, names, texts))
    reader.finish()
    wrong = complaint(position)
    if wrong:
        raise BadPosition(wrong)
    return position


def load(values: object, tables: Tables) -> Game:
    """A game that goes on from a written position."""
    position = read(values, tables)
    try:
        return Game.at(position)
    except (IndexError, KeyError, ValueError, AssertionError) as error:
        raise BadPosition(f"agenda: it does not fit the table ({error!r})") from None


def _read_config(reader: Reader, tables: Tables) -> Config:
    names = reader.texts("modules")
    found: dict[str, ModuleRules] = {}
    for name, module in REGISTRY.items():
        if module.own_rules and name in reader.values:
            own = reader.sub(name)
            found[name] = module.read_rules(own)
            own.finish()
            if name not in names:
                raise BadPosition(f"config.{name}: it brings the module {name} along")
    drafts = (reader.truth("setup_draft"), reader.truth("chief_draft"))
    nomad = found.pop(NOMAD, None)
    asked = names
    if isinstance(nomad, NomadRules):
        # What a solo game brings along is written, but not asked for.
        if drafts != (True, True):
            raise BadPosition("config: a solo game has both drafts")
        asked = [name for name in names if name != NOMAD]
        drafts = (False, False)
    config = Config(
        tables,
        players=reader.number("players"),
        setup_draft=drafts[0],
        chief_draft=drafts[1],
        layout=reader.text("layout"),
        modules=tuple(found.get(name, name) for name in asked),
        nomad=nomad if isinstance(nomad, NomadRules) else None,
    )
    if list(config.modules) != names:
        raise BadPosition(f"config.modules: {', '.join(config.modules)} expected, in this order")
    reader.finish()
    return config


def _read_modules(reader: Reader, position: Position) -> None:
    for index, module in enumerate(position.modules):
        if module.name in reader.values:
            own = reader.sub(module.name)
            position.module_state[index] = module.read_state(position, index, own)
            own.finish()
    reader.finish()


def _read_megaliths(reader: Reader, position: Position) -> None:
    owners = bytearray(len(position.sites.x))
    for at, item in enumerate(reader.items("megaliths")):
        path = f"megaliths[{at}]"
        one = Reader(object_of(item, path), path + ".")
        site = position.sites.index.get((one.number("x"), one.number("y"), one.number("level")))
        if site is None:
            raise BadPosition(f"{path}: no such place in layout {position.config.layout}")
        if owners[site]:
            raise BadPosition(f"{path}: two Megaliths on one place")
        known = ["neutral"] + [f"seat {seat}" for seat in range(position.config.players)]
        owners[site] = NEUTRAL + piece_of(one.value("owner"), path + ".owner", known, False)
        one.finish()
    position.megaliths = bytes(owners)


def _read_turn(reader: Reader, names: Names, position: Position) -> None:
    place = reader.piece("place", list(WHERE_NAMES))
    position.place = 0 if place == EMPTY else place
    position.section = reader.number("section", 2)
    position.bottom_open = reader.truth("bottom_open")
    position.labor = reader.number("labor_halves", 10**6)
    position.chief_ready = 0
    for number in reader.numbers("chief_ready", 7):
        position.chief_ready |= 1 << number
    position.cultures_played = reader.number("cultures_played")
    ready = b""
    for item in reader.items("ready"):
        pair = items_of(item, "turn_state.ready")
        if len(pair) != 2:
            raise BadPosition("turn_state.ready: pairs of card and ability expected")
        card = piece_of(pair[0], "turn_state.ready", names.cards, False)
        abilities = len(position.tables.cards[card].abilities)
        ready += bytes((card, number_of(pair[1], "turn_state.ready", abilities - 1)))
    position.ready = ready
    position.taken = 0
    tribes = [names.cards[card] for card in position.tribe_cards]
    for deck in reader.pieces("taken", tribes):
        position.taken |= 1 << deck
    position.fresh = reader.pieces("fresh", names.cards)
    reader.finish()


def _read_player(reader: Reader, names: Names, player: Player) -> None:
    player.chief = reader.piece("chief", names.chiefs)
    player.setup = reader.piece("setup", names.setups)
    player.food = reader.number("food")
    player.tools = reader.number("tools")
    player.camps = reader.numbers("camps", OUTSIDE)
    player.villages = reader.numbers("villages", 23)
    player.megaliths = reader.number("megaliths")
    player.stones = reader.pieces("stones", names.stones)
    player.offering = reader.number("offering")
    player.honor = reader.number("honor")
    places = reader.pieces("figures", list(WHERE_NAMES), True)
    player.figures = bytes(0 if place == EMPTY else place for place in places)
    player.hand = reader.pieces("hand", names.cards)
    player.deck = reader.pieces("deck", names.cards)
    player.discard = reader.pieces("discard", names.cards)
    player.above = reader.pieces("above", names.cards)
    player.pile = reader.pieces("pile", names.cards)
    player.buried = reader.pieces("buried", names.cards)
    player.animals = reader.pieces("animals", names.animals)
    player.tipped = reader.pieces("tipped", names.animals)
    player.shuffles = reader.number("shuffles", 10**6)
    _read_points(reader.sub("points"), player)
    reader.finish()
    # Zones without an order are kept sorted, however they were written.
    player.camps = bytes(sorted(player.camps))
    player.villages = bytes(sorted(player.villages))
    player.hand = bytes(sorted(player.hand))
    player.discard = bytes(sorted(player.discard))
    player.above = bytes(sorted(player.above))
    player.pile = bytes(sorted(player.pile))
    player.buried = bytes(sorted(player.buried))
    player.animals = bytes(sorted(player.animals))
    player.tipped = bytes(sorted(player.tipped))


def _read_points(reader: Reader, player: Player) -> None:
    for category, name in CATEGORY_NAMES.items():
        if name in reader.values and not FINAL_OFFERING <= category <= FINAL_ANIMALS:
            points = reader.number(name, MOST_POINTS)
            player.points = with_points(player.points, category, points)
            player.score += points
    reader.finish()


def _read_frame(reader: Reader, names: Names, texts: SourceTexts) -> Frame:
    operation = piece_of(
        reader.value("do"), reader.path + "do", list(agenda.OPERATION_NAMES), False
    )
    seat = reader.number("seat", 3)
    number = 0
    pieces = b""
    if operation == agenda.GAIN:
        number = agenda.MUST_TAKE if reader.truth("must") else agenda.MAY_LEAVE
        number |= texts.parse(reader.text("source"), reader.path + "source") << 8
        for item in reader.items("pool"):
            pieces += _read_entry(items_of(item, reader.path + "pool"), reader.path + "pool")
    elif operation == agenda.ABILITIES:
        number = piece_of(reader.value("card"), reader.path + "card", names.cards, False)
        pieces = reader.numbers("unused")
    elif operation == agenda.ECLIPSE_CARDS:
        pieces = reader.pieces("cards", names.cards)
    elif operation == agenda.ECLIPSE_TERRAIN:
        pieces = reader.numbers("resolved", 18)
    elif operation == agenda.NOMAD:
        number, pieces = read_record(reader, names.nomad_cards, texts)
    elif "number" in reader.values:
        number = reader.number("number")
        if operation == agenda.MODULE and "pieces" in reader.values:
            pieces = reader.numbers("pieces", 255)
    reader.finish()
    return (operation, seat, number, pieces)


def _read_entry(pair: list[object], path: str) -> bytes:
    if len(pair) != 2:
        raise BadPosition(f"{path}: pairs of icon and amount expected")
    for icon, name in _POOL_NAMES.items():
        if pair[0] == name:
            return bytes((icon, number_of(pair[1], path, 31)))
    icon = piece_of(pair[0], path, list(ICON_NAMES), False)
    amount = number_of(pair[1], path, 99)
    if not amount:
        raise BadPosition(f"{path}: an amount of 0; leave the icon out")
    return bytes((icon, amount))
