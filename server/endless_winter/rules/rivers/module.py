"""Rivers & Rafts at the named points of the base game."""

from typing import Final

from endless_winter.rules import actions, board, icons, options, sources, turn
from endless_winter.rules.actions import Action, affordable, pay
from endless_winter.rules.config import Config
from endless_winter.rules.hooks import NOWHERE, Ground, Module
from endless_winter.rules.offers import Offer, obstacles
from endless_winter.rules.options import option
from endless_winter.rules.reading import Json, Reader
from endless_winter.rules.rivers import bases, codes, fish, landmarks, layout, rafts
from endless_winter.rules.rivers.agreed import RIVERS, RiversRules, read_rules, rules_in
from endless_winter.rules.rivers.area import DELTA, HEADWATERS, SEATS, hex_at, raft_hex, raft_of
from endless_winter.rules.rivers.checks import complaint, record_complaint, set_up_complaint
from endless_winter.rules.rivers.parts import parts_in
from endless_winter.rules.rivers.written import read_state, write_state
from endless_winter.rules.state import Player, Position
from endless_winter.rules.tables import Tables
from endless_winter.rules.terrain import JUNCTURES, OUTSIDE
from endless_winter.rules.zones import EMPTY, ONE

# RAF-08: for as much Labor as moving a Camp.
SAILING: Final = Action(codes.SAIL, icons.MIGRATE, actions.TOP, labor=actions.TRAVEL.labor)


class Rivers(Module):
    name = RIVERS
    own_terrain = True
    own_rules = True

    def icon_names(self) -> dict[int, str]:
        return codes.ICON_NAMES

    def printed_icons(self) -> tuple[int, ...]:
        return (codes.FISH_ICON,)

    def event_names(self) -> dict[int, str]:
        return codes.EVENT_NAMES

    def category_names(self) -> dict[int, str]:
        return codes.CATEGORY_NAMES

    def source_kinds(self) -> dict[int, tuple[str, int]]:
        return codes.SOURCE_KINDS

    def source_names(self, tables: Tables) -> dict[int, list[str]]:
        parts = parts_in(tables)
        if parts is None:
            return {}
        return {
            codes.FISH_TOKEN: [one.name for one in parts.fish],
            codes.LANDMARK_HEX: [one.name for one in parts.landmarks],
            codes.RAFT_PIECE: [str(seat) for seat in range(SEATS)],
        }

    def words(self) -> dict[int, tuple[str, tuple[int, ...]]]:
        return codes.WORDS

    # --- set-up ---

    def read_rules(self, reader: Reader) -> RiversRules:
        return read_rules(reader)

    def refusal(self, config: Config) -> str:
        rules = rules_in(config)
        if rules is None:
            return "Rivers & Rafts is not switched on as a module, but by its own rules"
        parts = parts_in(config.tables)
        if parts is None:
            return "the content pack has no Rivers & Rafts"
        known = [landmark.name for landmark in parts.landmarks]
        for name in rules.named:
            if name not in known:
                return f'no Landmark "{name}"; the pack has {", ".join(known)}'
        return ""

    def decks_made(self, position: Position, index: int) -> None:
        layout.lay_out(position, index)
        fish.mix(position, index, fish.all_fish(position), b"")

    def laid_out(self, position: Position, index: int) -> None:
        landmarks.put_on_agenda(position, index)

    def set_up(self, position: Position, index: int) -> None:
        bases.put_on_agenda(position, index)

    def options(self, position: Position, index: int, seat: int, pieces: bytes) -> list[int]:
        if pieces[0] == codes.RAISE_LANDMARK:
            return landmarks.raise_options(position, pieces[1])
        return bases.attach_options(position, index)

    def choose(self, position: Position, index: int, seat: int, pieces: bytes, code: int) -> None:
        if pieces[0] == codes.RAISE_LANDMARK:
            landmarks.put(position, seat, options.a_of(code), options.b_of(code))
        else:
            bases.attach(position, index, seat, code)

    # --- Camps, Villages, Influence ---

    def camp_home(self, position: Position, index: int) -> int:
        return OUTSIDE

    def add_influence(self, position: Position, index: int, seat: int, found: list[int]) -> None:
        """RAF-09: 1 on the Raft's hex."""
        hex_ = raft_hex(position, index, seat)
        if hex_ != EMPTY:
            found[hex_] += 1

    def stands_in(self, position: Position, index: int, seat: int) -> bytes:
        """SRF-01: the Raft moves first, so where it will be counts."""
        hex_ = hex_at(position, index, raft_of(position, index, seat) + 1)
        return b"" if hex_ == EMPTY else ONE[hex_]

    def settling(self, position: Position, index: int, seat: int, juncture: int) -> None:
        """SRF-01: one place downriver; home again if it stands in for a Camp of the Village."""
        place = raft_of(position, index, seat)
        rafts.move(position, index, seat, min(place + 1, DELTA))
        hex_ = raft_hex(position, index, seat)
        if juncture == NOWHERE or hex_ in position.players[seat].camps:
            return
        if hex_ in JUNCTURES[juncture]:
            rafts.move(position, index, seat, HEADWATERS)

    def grounds(
        self,
        position: Position,
        index: int,
        seat: int,
        where: int,
        due: int,
        amount: int,
        code: int,
    ) -> list[Ground]:
        """SRF-01, SRF-02."""
        verb = options.verb_of(code)
        if verb == codes.FISH:
            return [(codes.FISH_OF_HEX, 0, 0)]
        if verb == codes.LANDMARK:
            return [(codes.FLAT_POINTS, options.a_of(code), landmarks.NOMADS_POINTS)]
        if verb != options.NOMAD_BUILD and verb != options.NOMAD_MAP:
            return []
        place = raft_of(position, index, seat) + 1
        if place > DELTA:
            return [(codes.RAFT_AT_DELTA, 0, 0)]
        hex_ = hex_at(position, index, place)
        found: list[Ground] = [(codes.RAFT_FIRST, hex_, 0)]
        needed = verb == options.NOMAD_BUILD and hex_ not in position.players[seat].camps
        if needed and hex_ in JUNCTURES[options.a_of(code)]:
            found.append((codes.RAFT_AS_CAMP, hex_, 0))
        return found

    # --- gaining benefits ---

    def icon_possible(
        self, position: Position, index: int, seat: int, icon: int, amount: int
    ) -> bool:
        if icon == icons.VILLAGE:
            return bool(rafts.village_sites(position, index, position.players[seat]))
        return icon == icons.MOVE or icon in codes.ICON_NAMES

    def icon_options(
        self,
        position: Position,
        index: int,
        seat: int,
        icon: int,
        amount: int,
        source: int,
        found: list[int],
    ) -> None:
        player = position.players[seat]
        if icon == icons.MOVE:
            _list_steps(position, index, player, options.MOVE, source, found)
            self.other_moves(position, index, seat, source, found)
        elif icon == icons.CAMP:
            if raft_hex(position, index, seat) != EMPTY:
                found.append(option(codes.CAMP_AT_RAFT, 0, 0, source))
        elif icon == icons.VILLAGE:
            for juncture in rafts.village_sites(position, index, player):
                found.append(option(codes.VILLAGE_WITH_RAFT, juncture, 0, source))
        elif icon == codes.FISH_ICON:
            # A hex that gives two gives them one after the other (MAM-02), a card at once (RAF-13).
            by_hex = source >> 8 == options.HEX
            found.append(option(codes.FISH, 1 if by_hex else amount, 0, source))
        elif icon in codes.ICON_NAMES:
            found.append(self.mandated(position, index, seat, icon, amount) | source << 32)

    def other_moves(
        self, position: Position, index: int, seat: int, source: int, found: list[int]
    ) -> None:
        rafts.list_moves(position, index, seat, codes.RAFT, source, found)

    def icon_waits(self, icon: int) -> bool:
        """Points can wait for a Camp that is still to move; a Fish is a question."""
        return icon != codes.FISH_ICON and icon in codes.ICON_NAMES

    def take_waiting(
        self, position: Position, index: int, seat: int, icon: int, amount: int
    ) -> None:
        for _ in range(amount):
            landmarks.score(position, index, seat, icon)

    def mandated(self, position: Position, index: int, seat: int, icon: int, amount: int) -> int:
        if icon == codes.FISH_ICON:
            return option(codes.FISH, 1)
        if icon in codes.ICON_NAMES:
            return option(codes.LANDMARK, landmarks.terrain_of(position, icon))
        return 0

    def takes(self, position: Position, index: int, code: int) -> tuple[int, int]:
        verb = options.verb_of(code)
        if verb == codes.LANDMARK:
            return (landmarks.icon_of(position, options.a_of(code)), 1)
        if verb == codes.FISH:
            return (codes.FISH_ICON, options.a_of(code))
        icon = codes.TAKES.get(verb, 0)
        return (icon, 1 if icon else 0)

    def perform(self, position: Position, index: int, seat: int, code: int) -> bool:
        verb = options.verb_of(code)
        player = position.players[seat]
        if verb == codes.RAFT:
            rafts.move(position, index, seat, options.b_of(code))
        elif verb == codes.CAMP_AT_RAFT:
            board.place_camp(position, player, raft_hex(position, index, seat))
        elif verb == codes.VILLAGE_WITH_RAFT:
            rafts.place_village(position, index, player, options.a_of(code))
        elif verb == codes.FISH:
            fish.draw(position, index, seat, options.a_of(code))
        elif verb == codes.LANDMARK:
            icon = landmarks.icon_of(position, options.a_of(code))
            landmarks.score(position, index, seat, icon)
        else:
            return False
        return True

    # --- Migrate, and the end of an Eclipse turn and of a round ---

    def act_options(self, position: Position, index: int, seat: int, found: list[int]) -> None:
        """RAF-07 .. RAF-09 in the column, beside what the base game lists."""
        if position.place != icons.MIGRATE or position.section != turn.TOP:
            return
        player = position.players[seat]
        if affordable(position, player, actions.TRAVEL):
            _list_steps(position, index, player, options.TRAVEL, 0, found)
        if affordable(position, player, SAILING):
            rafts.list_moves(position, index, seat, codes.SAIL, 0, found)
        on_hex = raft_hex(position, index, seat) != EMPTY
        camp_left = len(player.camps) < board.CAMPS
        if on_hex and camp_left and affordable(position, player, actions.PITCH):
            found.append(option(codes.PITCH_AT_RAFT))
        if on_hex and affordable(position, player, actions.SETTLE):
            for juncture in rafts.village_sites(position, index, player):
                found.append(option(codes.SETTLE_WITH_RAFT, juncture))

    def act_offers(self, position: Position, index: int, seat: int, found: list[Offer]) -> None:
        if position.place != icons.MIGRATE:
            return
        for offer in found:
            # The same action with the Raft's help.
            if offer.verb == options.PITCH:
                offer.verbs += (codes.PITCH_AT_RAFT,)
            elif offer.verb == options.SETTLE:
                offer.verbs += (codes.SETTLE_WITH_RAFT,)
        why = obstacles(position, position.players[seat], SAILING)
        found.append(Offer(codes.SAIL, SAILING.section, SAILING.cost(), why))

    def act(self, position: Position, index: int, seat: int, code: int) -> bool:
        verb = options.verb_of(code)
        player = position.players[seat]
        if verb == codes.SAIL:
            pay(position, player, SAILING)
            rafts.move(position, index, seat, options.b_of(code))
        elif verb == codes.PITCH_AT_RAFT:
            pay(position, player, actions.PITCH)
            board.place_camp(position, player, raft_hex(position, index, seat))
        elif verb == codes.SETTLE_WITH_RAFT:
            position.section = turn.MIDDLE_DONE
            position.cause = sources.section(position.place, sources.MIDDLE)
            pay(position, player, actions.SETTLE)
            rafts.place_village(position, index, player, options.a_of(code))
        else:
            return False
        return True

    def eclipse_turn_ended(self, position: Position, index: int, seat: int) -> None:
        rafts.score(position, index, seat)

    def prepared(self, position: Position, index: int) -> None:
        rafts.all_home(position, index)

    def write_state(self, position: Position, index: int) -> Json:
        return write_state(position, index)

    def read_state(self, position: Position, index: int, reader: Reader) -> bytes:
        return read_state(position, reader)

    def check_record(self, position: Position, index: int, seat: int, pieces: bytes) -> str:
        return record_complaint(position, pieces)

    def check_set_up(self, position: Position, index: int) -> str:
        return set_up_complaint(position, index)

    def check(self, position: Position, index: int) -> str:
        return complaint(position, index)


def _list_steps(
    position: Position, index: int, player: Player, verb: int, source: int, found: list[int]
) -> None:
    """A Camp's step from its Starting Base; those from hexes are the base game's."""
    if OUTSIDE in player.camps:
        for end in bases.steps(position, index, player.seat):
            found.append(option(verb, OUTSIDE, end, source))


RIVERS_MODULE: Final = Rivers()
