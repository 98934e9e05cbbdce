"""The reasons for the Nomad's steps, derived a second time: from a written position and the rules.

Nothing here calls the core's procedure of the Nomad or its grounds. The open table is read from
the JSON of a position, what is printed from the pack, and the procedure is written down again from
docs/rules.md (SOL, NMD, XPT, SRF, MAM). `Derivation` follows a game step by step, since only its
course tells where a benefit comes from: after "megalith 3,1" it is what that space shows.

What is derived are sentences: the rule that decides, and words that the reason must have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.rules.megaliths import Sites
    from endless_winter.rules.tables import NomadCard, Tables

Values = dict[str, Any]


class Said(NamedTuple):
    """A sentence: its rule, and what must stand in it."""

    rule: str
    words: tuple[str, ...]


# The hexes as docs/positions.md draws them.
_ROWS = ((17, 18, 7), (16, 6, 1, 8), (15, 5, 0, 2, 9), (14, 4, 3, 10), (13, 12, 11))
HEX_AT = {
    hex_: (5 - len(row) + 2 * at, y) for y, row in enumerate(_ROWS) for at, hex_ in enumerate(row)
}


def _touch(one: int, other: int) -> bool:
    (x, y), (other_x, other_y) = HEX_AT[one], HEX_AT[other]
    return abs(x - other_x) + abs(y - other_y) == 2 and abs(y - other_y) < 2


JUNCTURES = [
    (a, b, c)
    for a in range(19)
    for b in range(a + 1, 19)
    for c in range(b + 1, 19)
    if _touch(a, b) and _touch(a, c) and _touch(b, c)
]
COLUMNS = ("initiate", "develop", "migrate", "hunt")

# NMD-13, NMD-14: what the Nomad never gains, and what comes instead of what it cannot gain now.
NEVER = {
    "draw": "bury",
    "tribe": "tool",
    "recruit": "tool",
    "tip": "food",
    "camp": "settle",
    "move": "settle",
    "village": "settle",
}
INSTEAD = {
    "stone": "megalith",
    "megalith": "bury",
    "additional": "bury",
    "culture": "bury",
    "bury": "tool",
    "tool": "food",
    "animal": "food",
    "beast": "food",
    "feast": "idol",
    "food": "idol",
}
# How a due icon is spoken of: one, several.
SPOKEN = {
    "food": ("1 Food", "{} Food"),
    "tool": ("1 Tool", "{} Tools"),
    "idol": ("1 Idol", "{} Idols"),
    "point": ("1 point", "{} points"),
    "draw": ("draw a card", "draw {} cards"),
    "bury": ("bury a card", "bury {} cards"),
    "megalith": ("place a Megalith", "place {} Megaliths"),
    "additional": ("an additional Megalith", ""),
    "stone": ("take a Sacred Stone", "take {} Sacred Stones"),
    "culture": ("a Culture card", "{} Culture cards"),
    "animal": ("an Animal from the Grounds", "{} Animals from the Grounds"),
    "beast": ("the top Animal of the deck", "the top {} Animals of the deck"),
    "reveal": ("reveal an Animal", "reveal {} Animals"),
    "tip": ("tip an Animal", "tip {} Animals"),
    "tribe": ("a Tribe card into hand", "{} Tribe cards into hand"),
    "recruit": ("a Tribe card to the discard pile", "{} Tribe cards to the discard pile"),
    "camp": ("place a Camp", "place {} Camps"),
    "move": ("1 Camp move", "{} Camp moves"),
    "village": ("place a Village", "place {} Villages"),
    "settle": ("build a Village or relocate Camps", "{} times build a Village or relocate Camps"),
    "pile": ("a card for the Eclipse pile", "{} cards for the Eclipse pile"),
    "glaciers": ("points for Camps on Glaciers", "points for Camps on Glaciers, {} times"),
    "feast": ("Food up to the limit", "Food up to the limit"),
    "fish": ("1 Fish", "{} Fish"),
    "volcano": ("score the Volcano", "score the Volcano {} times"),
    "butte": ("score the Butte", "score the Butte {} times"),
    "arch": ("score the Arch", "score the Arch {} times"),
    "monolith": ("score the Monolith", "score the Monolith {} times"),
    "tree": ("score the Tree", "score the Tree {} times"),
}
LANDMARKS = ("volcano", "butte", "arch", "monolith", "tree")
NOUNS = {
    "megalith": "a Megalith",
    "bury": "a Bury",
    "tool": "a Tool",
    "food": "Food",
    "idol": "an Idol",
    "settle": "build a Village or relocate Camps",
}


class Table:
    """A written position and what is printed, as a watcher at the table reads them."""

    def __init__(self, values: Values, tables: Tables, sites: Sites) -> None:
        self.values = values
        self.tables = tables
        self.sites = sites
        self.nomad = values["config"]["nomad"]["seat"]
        self.me: Values = values["players"][self.nomad]
        self.modules: Values = values["module_state"]
        self.area: Values = self.modules["nomad"]

    @property
    def top(self) -> Values:
        found: Values = self.values["agenda"][-1]
        return found

    def card(self, name: str) -> NomadCard:
        return next(card for card in self.tables.nomad_cards if card.name == name)

    @property
    def newest(self) -> NomadCard:
        return self.card(self.area["stack"][-1])

    @property
    def arrows(self) -> tuple[str, str]:
        card = self.newest
        return ("right" if card.right else "left", "down" if card.down else "up")

    # --- SOL-08 ---

    def taken(self, column: str) -> bool:
        return any(column in player["figures"] for player in self.values["players"])

    # --- NMD-09 ---

    @property
    def price(self) -> tuple[int, int]:
        space = self.tables.stone_spaces[len(self.me["stones"])]
        return (space.food, space.tools)

    def stones(self) -> int:
        """How many are available in this round."""
        first, second = self.values["stones"]
        return len(first) + (len(second) if self.values["round"] > 2 else 0)

    # --- MEG ---

    def megaliths(self) -> dict[tuple[int, int, int], str]:
        return {
            (one["x"], one["y"], one["level"]): one["owner"] for one in self.values["megaliths"]
        }

    def spaces(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Each space of the board: the number of its tile, and its number on the tile."""
        return {
            (self.sites.x[site], self.sites.y[site]): (
                self.values["megalith_tiles"][site // 8],
                site % 8,
            )
            for site in range(32)
        }

    @property
    def neutral_next(self) -> bool:
        return bool(self.me["megaliths"] > 8)

    def stack_places(self) -> list[tuple[int, int, int]]:
        built = self.megaliths()
        found = []
        for x, y, level in built:
            block = [(x + dx, y + dy, level) for dx in (0, 1) for dy in (0, 1)]
            if (x, y, level + 1) not in built and all(place in built for place in block):
                found.append((x, y, level + 1))
        return found

    def board_places(self) -> list[tuple[int, int]]:
        built = self.megaliths()
        found = []
        for (x, y), (tile, space) in self.spaces().items():
            if (x, y, 0) in built:
                continue
            if self.tables.megalith_tiles[tile][space].grey:
                if self.neutral_next:
                    found.append((x, y))
            elif any((x + dx, y + dy, 0) in built for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))):
                found.append((x, y))
        return found

    def megalith_places(self) -> int:
        if not self.me["megaliths"]:
            return 0
        stacks = [] if self.neutral_next else self.stack_places()
        return len(stacks) or len(self.board_places())

    def pointed_spaces(self, grey: tuple[int, int]) -> int:
        """Free spaces that the arrows of a starting space show."""
        tile, number = self.spaces()[grey]
        arrows = self.tables.megalith_tiles[tile][number].arrows
        built = self.megaliths()
        return len(
            [
                place
                for place, (on, space) in self.spaces().items()
                if on == tile and space in arrows and (*place, 0) not in built
            ]
        )

    # --- NMD-11, SRF-01 ---

    def raft_place(self) -> int | None:
        rivers = self.modules.get("rivers")
        return None if rivers is None else int(rivers["rafts"][self.nomad])

    def raft_goes_to(self) -> int | None:
        """The hex that the Raft comes to when something is built or relocated."""
        place = self.raft_place()
        if place is None or place >= 5:
            return None
        hex_: int = self.modules["rivers"]["river"][place]
        return hex_

    def free(self, juncture: int) -> bool:
        if 0 in JUNCTURES[juncture] and self.values["terrain"][0] == "base":
            return False
        taken = [self.area["token"], self.modules.get("mammoth", {}).get("juncture", "")]
        for player in self.values["players"]:
            taken += player["villages"]
        return juncture not in taken

    def building_sites(self) -> list[int]:
        stands = {*self.me["camps"], self.raft_goes_to()}
        return [
            number
            for number, hexes in enumerate(JUNCTURES)
            if set(hexes) <= stands and self.free(number)
        ]

    # --- NMD-05 ---

    def animal_group(self) -> tuple[int, list[str]]:
        """Which of the three groups is there, and its Animals by place."""
        there = [animal for animal in self.values["grounds"] if animal]
        groups: list[list[str]] = [[], [], []]
        for animal in there:
            number = self.me["animals"].count(animal)
            groups[1 if not number else 0 if number <= 3 else 2].append(animal)
        best = next(number for number, group in enumerate(groups) if group)
        return best, groups[best]

    # --- NMD-14 ---

    def why_not(self, icon: str) -> str:
        """Why something cannot be had now; empty: it can."""
        if icon == "stone":
            if len(self.me["stones"]) == 3:
                return "It has 3 Sacred Stones"
            food, tools = self.price
            if self.me["food"] < food or self.me["tools"] < tools:
                return "cannot pay"
            return "" if self.stones() else "No Sacred Stone is available"
        if icon in ("megalith", "additional"):
            if not self.me["megaliths"]:
                return "no Megalith left"
            return "" if icon == "additional" or self.megalith_places() else "No place is open"
        lacks = {
            "bury": (not self.area["sacrifice"], "Sacrifice deck is empty"),
            "tool": (self.me["tools"] == 5, "It has 5 Tools"),
            "food": (self.me["food"] == 10, "Food is at the limit"),
            "feast": (self.me["food"] == 10, "Food is at the limit"),
            "culture": (not any(self.values["display"]), "display is empty"),
            "animal": (not any(self.values["grounds"]), "Hunting Grounds are empty"),
            "beast": (not self.values["animals"], "Animal deck is empty"),
        }
        lacking, words = lacks.get(icon, (False, ""))
        return words if lacking else ""


class Derivation:
    """Follows one game; `expected` is asked before each step of the Nomad."""

    def __init__(self, tables: Tables, sites: Sites) -> None:
        self.tables = tables
        self.sites = sites
        self.before: Values | None = None  # the position before the last choice
        self.text = ""  # what was chosen there, without its source
        self.given: list[Said | None] = []  # by the depth of the agenda: where a gain comes from

    def expected(self, values: Values) -> list[Said]:
        table = Table(values, self.tables, self.sites)
        top = table.top
        if top["step"] == "reveal":
            return [Said("SOL-07", ("new card",))]
        if top["step"] == "column":
            return [_column(table)]
        if top["step"] == "map":
            return [Said("NMD-11", ("Sequence A", "3 outer Camps"))]
        if top["step"] == "actions":
            card, icon, amount = top["actions"][0]
            giver = Said("SOL-09", (table.card(card).title,))
        else:
            icon, amount = top["pool"][0]
            given = self.given[-1]
            assert given is not None, top
            giver = given
        return _due(table, giver, icon, amount)

    # --- where a benefit comes from ---

    def follow(self, values: Values, text: str) -> None:
        """`text` is the option about to be chosen, by whomever."""
        self.before = values
        self.text = text.rpartition(": ")[2]

    def arrived(self, values: Values) -> None:
        """The position after that choice."""
        agenda = values["agenda"]
        kept = 0 if self.before is None else self._kept(values)
        self.given = self.given[:kept]
        for depth in range(kept, len(agenda)):
            record = agenda[depth]
            gain = record["do"] == "nomad" and record["step"] == "gain"
            self.given.append(self._giver(values, depth) if gain else None)

    def _kept(self, values: Values) -> int:
        """How many records of the agenda are those that were there before."""
        assert self.before is not None
        old, new = self.before["agenda"], values["agenda"]
        most = len(old) - (1 if _used_up(old[-1], self.text) else 0)
        kept = 0
        while kept < min(most, len(new)) and _same_record(old[kept], new[kept]):
            kept += 1
        return kept

    def _giver(self, values: Values, depth: int) -> Said:
        """What gave a benefit that is new: the Eclipse turn, or else the last step."""
        agenda = values["agenda"]
        above = agenda[depth - 1]
        old = [] if self.before is None else self.before["agenda"]
        same = depth - 1 < len(old) and old[depth - 1] == above
        if above.get("step") == "terrain" and not same:
            before = old[depth - 1]["resolved"] if _is_terrain(old, depth - 1) else []
            (hex_,) = set(above["resolved"]) - set(before)
            return Said("NMD-15", (f"Hex {hex_} (",))
        if above["do"] == "eclipse" and not same:
            place, part = above["number"] >> 3, above["number"] & 7
            if part == 1:
                return Said("NMD-15", (f"Place {place + 1} in the turn order",))
            assert part == 4
            return Said("NMD-15", ("Its board",))
        return self._step_gives(values)

    def _step_gives(self, values: Values) -> Said:
        table = Table(values, self.tables, self.sites)
        verb, _, rest = self.text.partition(" ")
        if verb == "nomad-column":
            return Said("XPT-04", (f"bottom action of {rest.title()}",))
        if verb == "offering":
            return Said("NMD-01", (f"Space {table.me['offering']} of the Offering track",))
        if verb == "stone":
            return Said("NMD-09", (f"Sacred Stone number {len(table.me['stones'])}",))
        if verb == "megalith":
            grey = values["agenda"][-1]["pool"][0][0] == "additional"
            return Said("MEG-08" if grey else "NMD-10", (f"The Megalith space {rest}:",))
        if verb == "nomad-build":
            juncture = rest.partition(" ")[0]
            return Said("XPT-06", (f"Glacier tokens beside its Village on juncture {juncture}:",))
        assert verb == "fish", self.text
        assert self.before is not None
        (fish,) = _drawn(self.before["module_state"]["rivers"], values["module_state"]["rivers"])
        parts: Any = self.tables.module_parts["rivers"]
        title = next(one.title for one in parts.fish if one.name == fish)
        return Said("SRF-02", (f"The Fish {title}:",))


def _is_terrain(agenda: list[Values], depth: int) -> bool:
    return depth < len(agenda) and agenda[depth].get("step") == "terrain"


def _same_record(old: Values, new: Values) -> bool:
    """Whether a record goes on; what it still holds may be less."""
    if old["do"] == "eclipse" or old.get("step") == "terrain":
        return old == new
    return (old["do"], old["seat"], old.get("step")) == (new["do"], new["seat"], new.get("step"))


def _used_up(record: Values, text: str) -> bool:
    """Whether the chosen step takes the last unit of the topmost record."""
    if record["do"] != "nomad" or record["step"] != "gain":
        return record["do"] == "nomad" and record["step"] in ("reveal", "map")
    if len(record["pool"]) > 1:
        return False
    icon, amount = record["pool"][0]
    if icon == "score_stones":
        return bool(amount & amount - 1 == 0)
    if icon in ("additional", "feast") or text == "nomad-nothing":
        return True
    verb, _, rest = text.partition(" ")
    taken = int(rest.split(" ")[0]) if verb in ("food", "tools", "points") else 1
    return bool(taken == amount)


def _drawn(before: Values, after: Values) -> Iterable[str]:
    """The Fish that was drawn: newly discarded, or the one that sent all of them back."""
    new = list(after["fish_discarded"])
    old = before["fish_discarded"] if before["fish_pool"] else []  # else they were mixed first
    for fish in old:
        if fish in new:
            new.remove(fish)
    return new or before["fish_pool"][:1]


# --- the sentences ---


def _column(table: Table) -> Said:
    card = table.newest
    named = COLUMNS[card.column - 1]
    free = [column for column in COLUMNS if not table.taken(column)]
    if named in free:
        return Said("SOL-08", (card.title, named.title(), "which is empty"))
    if not free:
        return Said("SOL-08", (card.title, named.title(), "all columns are taken"))
    way = COLUMNS if card.right else COLUMNS[::-1]
    start = way.index(named)
    found = next(column for column in way[start:] + way[:start] if column in free)
    words = (f"{named.title()}, which is taken", f"points {table.arrows[0]}", found.title())
    return Said("SOL-08", (card.title, *words))


def _due(table: Table, giver: Said, icon: str, amount: int) -> list[Said]:
    if icon == "score_stones":
        number = amount.bit_count()
        said = [Said(giver.rule, (*giver.words, f"2 points for each of {number} Sacred Stone"))]
    else:
        one, several = SPOKEN[icon]
        many = amount > 1 and icon != "additional"
        words = several.format(amount) if many else one
        said = [Said(giver.rule, (*giver.words, f"{words} due"))]
    twice = ""
    hex_ = re.match(r"Hex (\d+) \(", giver.words[0])
    if hex_:
        kind = table.values["terrain"][int(hex_[1])]
        terrain = next(one for one in table.tables.terrains if one.name == kind)
        if amount > _amounts(terrain.benefit)[icon]:
            twice = hex_[1]
        said.append(Said("NMD-15", ("order", *table.arrows)))
    done = NEVER.get(icon, icon)
    if done != icon:
        rule = "NMD-13" if done == "settle" else "NMD-14"
        said.append(Said(rule, (f"For the Nomad that is: {NOUNS[done]}",)))
    void = done == "additional" and not table.pointed_spaces(_grey(table, amount))
    while not void and (why := table.why_not(done)):
        after = INSTEAD[done]
        said.append(Said("NMD-14", (why, f"so instead: {NOUNS[after]}")))
        done = after
    return said + _way(table, done, amount) + _of_modules(table, done, twice)


def _amounts(pool: bytes) -> dict[str, int]:
    from endless_winter.rules.icons import ICON_NAMES  # names of printed icons
    from endless_winter.rules.modules import MODULE_ICON_NAMES

    return {
        MODULE_ICON_NAMES.get(pool[at]) or ICON_NAMES[pool[at]]: pool[at + 1]
        for at in range(0, len(pool), 2)
    }


def _grey(table: Table, site: int) -> tuple[int, int]:
    return (table.sites.x[site], table.sites.y[site])


def _pointed(table: Table, candidates: int, *, large: bool = False) -> list[Said]:
    if candidates < 2:
        return []
    arrows = table.arrows[:1] if large else table.arrows
    return [Said("SOL-10", (f"Of {candidates} ", table.newest.title, *arrows))]


def _way(table: Table, done: str, amount: int) -> list[Said]:
    me = table.me
    if done == "idol":
        if me["honor"] < len(table.tables.honor):
            return [Said("NMD-01", ("up the Honor track",))]
        if me["offering"] < len(table.tables.offering):
            return [Said("NMD-01", ("Honor is at its top", "Offering track"))]
        return [Said("NMD-01", ("Both tracks", "1 point"))]
    if done in ("food", "tool"):
        room = 10 - me["food"] if done == "food" else 5 - me["tools"]
        one, several = SPOKEN[done]
        words = one if room == 1 else several.format(room)
        return [Said("NMD-02", (f"room for {words} only",))] if room < amount else []
    if done == "feast":
        return [Said("ICO-05", (f"{10 - me['food']} Food",))]
    if done == "point":
        return []
    if done == "settle":
        sites = table.building_sites()
        if not sites:
            return [Said("NMD-12", ("Sequence B", "no free juncture", "2 inner"))]
        token = len(me["villages"]) == 3
        what = "its token goes there" if token else "a Village goes there"
        return [Said("NMD-11", ("Sequence A", what)), *_pointed(table, len(sites))]
    if done == "megalith":
        if table.neutral_next:
            found = [Said("MEG-03", ("neutral",))]
        elif table.stack_places():
            found = [Said("NMD-10", ("stacked where that is possible",))]
        else:
            found = [Said("NMD-10", ("nothing to stack on",))]
        return found + _pointed(table, table.megalith_places())
    if done == "additional":
        spaces = table.pointed_spaces(_grey(table, amount))
        if not spaces:
            return [Said("MEG-08", ("Both spaces", "taken", "no effect"))]
        return [Said("MEG-08", ("starting space points to",)), *_pointed(table, spaces)]
    if done == "score_stones":
        first = next(at for at in range(3) if amount >> at & 1)
        name = me["stones"][first]
        title = next(stone.title for stone in table.tables.stones if stone.name == name)
        return [Said("NMD-09", (title, "worth 2"))]
    return _card_way(table, done)


def _card_way(table: Table, done: str) -> list[Said]:
    if done == "stone":
        food, tools = table.price
        words = [f"{food} Food"] * bool(food) + [f"{tools} Tool"] * bool(tools)
        return [Said("NMD-09", tuple(words)), *_pointed(table, table.stones(), large=True)]
    if done == "bury":
        return [Said("NMD-04", ("top of the Sacrifice deck",))]
    if done == "culture":
        cards = [card for card in table.values["display"] if card]
        return [Said("NMD-03", ("onto the Sacrifice deck",)), *_pointed(table, len(cards))]
    if done == "animal":
        group, animals = table.animal_group()
        matched = (("1 to 3 comes first",), ("none of", "that it lacks"), ("4 or more",))[group]
        return [Said("NMD-05", matched), *_pointed(table, len(animals))]
    if done == "beast":
        return [Said("NMD-06", ("top of the Animal deck",))]
    if done == "reveal":
        if not table.values["animals"]:
            return [Said("NMD-06", ("deck is empty", "nothing happens"))]
        if "" not in table.values["grounds"]:
            return [Said("NMD-06", ("No place is free", "nothing happens"))]
        return [Said("NMD-06", ("first free place",))]
    if done == "pile":
        if not table.area["deck"]:
            return [Said("NMD-07", ("no card left", "nothing happens"))]
        return [Said("NMD-07", ("face down",))]
    if done == "glaciers":
        hexes = [
            hex_ for hex_ in set(table.me["camps"]) if table.values["terrain"][hex_] == "glacier"
        ]
        return [Said("NMD-08", (f": {len(hexes)}",))]
    assert done == "fish" or done in LANDMARKS, done
    return []  # it is the module's


def _of_modules(table: Table, done: str, twice: str) -> list[Said]:
    said: list[Said] = []
    for module in table.values["config"]["modules"]:
        if module == "rivers":
            if done == "fish":
                said.append(Said("SRF-02", ("draws Fish",)))
            elif done in LANDMARKS:
                said.append(Said("SRF-02", ("5 points",)))
            elif done == "settle":
                said += _raft(table)
        elif module == "mammoth":
            if twice:
                said.append(Said("MAM-02", ("Mammoth", f"hex {twice}", "twice")))
            if done == "settle" and not table.building_sites():
                said.append(Said("MAM-03", ("Mammoth", "across the centre")))
    return said


def _raft(table: Table) -> list[Said]:
    place = table.raft_place()
    assert place is not None
    if place == 6:
        return [Said("SRF-01", ("Raft stays at the Delta",))]
    hex_ = table.raft_goes_to()
    if hex_ is None:
        return [Said("SRF-01", ("Raft goes 1 downriver", "the Delta"))]
    said = [Said("SRF-01", ("Raft goes 1 downriver", f"hex {hex_}"))]
    sites = table.building_sites()
    if sites and hex_ not in table.me["camps"]:
        # By the arrows: the juncture furthest that way, in the middle of its three hexes.
        card = table.newest

        def place_of(number: int) -> tuple[int, int]:
            x = sum(HEX_AT[one][0] for one in JUNCTURES[number])
            y = sum(HEX_AT[one][1] for one in JUNCTURES[number])
            return (x if card.right else -x, y if card.down else -y)

        if hex_ in JUNCTURES[max(sites, key=place_of)]:
            said.append(Said("SRF-01", (f"On hex {hex_}", "Raft is the Camp")))
    return said
