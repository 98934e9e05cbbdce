"""What modules and the Nomad put on the table, and what lies open during set-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.sdk.parts.part import Part
from endless_winter.sdk.parts.printed import NOMAD_ACTIONS, SIDES, SPACES
from endless_winter.v1 import view_public_pb2

if TYPE_CHECKING:
    from endless_winter.sdk.parts.printed import (
        Chief,
        Landmark,
        MapCard,
        NomadCard,
        SetupCard,
        Token,
    )


class RestTokens(Part[view_public_pb2.RestTokenView]):
    """The Rest tokens of a game with them: `view.rest_tokens`."""

    __slots__ = ()

    @property
    def open(self) -> Token | None:
        """The open token on the stack; None: none is open."""
        found = self.raw.open_token_id
        return self._catalog.token(found) if found else None

    @property
    def stack_count(self) -> int:
        """Face-down tokens in the stack."""
        return self.raw.stack_count

    @property
    def seen_at_bottom(self) -> tuple[Token, ...]:
        """Tokens that everybody saw going under the stack, the bottommost first."""
        return tuple([self._catalog.token(one) for one in self.raw.seen_at_bottom])

    @property
    def holder(self) -> int | None:
        """The seat that holds a token in this turn; None: nobody."""
        return self.raw.holder_seat if self.raw.HasField("holder_seat") else None

    @property
    def held(self) -> Token | None:
        """The token that it holds."""
        found = self.raw.held_token_id
        return self._catalog.token(found) if found else None

    @property
    def taken_this_round(self) -> bool:
        """Whether somebody has rested in this round already."""
        return self.raw.taken_this_round

    def __repr__(self) -> str:
        return f"<RestTokens: {self.open!r} open, {self.stack_count} in the stack>"


class RiverTile(Part[view_public_pb2.RiverTilePlaced]):
    """A River tile on the board."""

    __slots__ = ()

    @property
    def id(self) -> str:
        """The id of the tile."""
        return self.raw.tile_id

    @property
    def side(self) -> str:
        """The side that shows: "a" or "b"."""
        return SIDES.get(self.raw.side, "unknown")

    @property
    def hexes(self) -> tuple[int, ...]:
        """The numbers of its three hexes."""
        return tuple(self.raw.hexes)

    def __repr__(self) -> str:
        return f"<RiverTile {self.id} on {self.hexes}>"


class StartingBase(Part[view_public_pb2.StartingBaseView]):
    """A player's Starting Base beside the board."""

    __slots__ = ()

    @property
    def seat(self) -> int:
        """Whose it is."""
        return self.raw.seat

    @property
    def hexes(self) -> tuple[int, int]:
        """The two hexes that it touches."""
        return self.raw.first_hex, self.raw.second_hex

    @property
    def camps(self) -> int:
        """Camps on it."""
        return self.raw.camps

    def __repr__(self) -> str:
        return f"<StartingBase of seat {self.seat} beside {self.hexes}>"


class Rivers(Part[view_public_pb2.RiversView]):
    """Rivers & Rafts: `view.rivers`."""

    __slots__ = ()

    @property
    def river_hexes(self) -> tuple[int, ...]:
        """The River hexes from the Headwaters to the Delta."""
        return tuple(self.raw.river_hexes)

    @property
    def tiles(self) -> tuple[RiverTile, ...]:
        """The River tiles from the Headwaters to the Delta."""
        return tuple([RiverTile(raw, self._catalog) for raw in self.raw.tiles])

    @property
    def rafts(self) -> dict[int, int]:
        """Where each seat's Raft is: 0 the Headwaters, then the River hexes in order."""
        return {raft.seat: raft.river_place for raft in self.raw.rafts}

    @property
    def starting_bases(self) -> tuple[StartingBase, ...]:
        """The Starting Bases, in seat order."""
        return tuple([StartingBase(raw, self._catalog) for raw in self.raw.starting_bases])

    @property
    def fish_pool_count(self) -> int:
        """Fish tokens in the hidden pool."""
        return self.raw.fish_pool_count

    @property
    def fish_discarded(self) -> tuple[Token, ...]:
        """Fish tokens discarded face up, each one."""
        return tuple(
            [
                self._catalog.token(one.token_id)
                for one in self.raw.fish_discarded
                for _ in range(one.count)
            ]
        )

    def __repr__(self) -> str:
        return f"<Rivers: hexes {self.river_hexes}, Rafts {self.rafts}>"


class NomadTask(Part[view_public_pb2.NomadPendingAction]):
    """An action that the Nomad has still to do."""

    __slots__ = ()

    @property
    def card(self) -> NomadCard:
        """The card that shows it."""
        return self._catalog.nomad_card(self.raw.nomad_card_id)

    @property
    def action(self) -> str:
        """The action: "idol", "animal", "megalith", ..."""
        return NOMAD_ACTIONS.get(self.raw.action, "unknown")

    @property
    def amount(self) -> int:
        """How often."""
        return self.raw.amount

    def __repr__(self) -> str:
        return f"<{self.amount} {self.action}>"


class NomadTable(Part[view_public_pb2.NomadView]):
    """The Nomad's cards in a solo game: `view.nomad`; its board is one of `view.players`."""

    __slots__ = ()

    @property
    def seat(self) -> int:
        """Its seat."""
        return self.raw.seat

    @property
    def revealed(self) -> tuple[NomadCard, ...]:
        """Open Nomad cards, the newest last."""
        return tuple([self._catalog.nomad_card(one) for one in self.raw.revealed_card_ids])

    @property
    def deck_count(self) -> int:
        """Face-down Nomad cards."""
        return self.raw.nomad_deck_count

    @property
    def sacrifice_deck_count(self) -> int:
        """Cards of the Sacrifice deck."""
        return self.raw.sacrifice_deck_count

    @property
    def revealed_maps(self) -> tuple[MapCard, ...]:
        """Open Map cards, the newest last."""
        return tuple([self._catalog.map_card(one) for one in self.raw.revealed_map_card_ids])

    @property
    def map_deck_count(self) -> int:
        """Face-down Map cards."""
        return self.raw.map_deck_count

    @property
    def token_is_village(self) -> bool:
        """Whether its token shows the Village side."""
        return self.raw.token_is_village

    @property
    def column(self) -> str:
        """The column of its turn; "": between its turns."""
        return SPACES.get(self.raw.column, "unknown")

    @property
    def column_reason(self) -> str:
        """Why that column, for people."""
        return self.raw.column_reason

    @property
    def tasks(self) -> tuple[NomadTask, ...]:
        """Actions of this turn that are still to do, in order."""
        return tuple([NomadTask(raw, self._catalog) for raw in self.raw.pending_actions])

    def __repr__(self) -> str:
        return f"<NomadTable of seat {self.seat}: {self.deck_count} cards to come>"


class Draft(Part[view_public_pb2.DraftView]):
    """What lies open for set-up choices: `view.draft`."""

    __slots__ = ()

    @property
    def chiefs(self) -> tuple[Chief, ...]:
        """Chiefs to choose from."""
        return tuple([self._catalog.chief(one) for one in self.raw.chief_ids])

    @property
    def setup_cards(self) -> tuple[SetupCard, ...]:
        """Setup cards to choose from."""
        return tuple([self._catalog.setup_card(one) for one in self.raw.setup_card_ids])

    @property
    def landmarks(self) -> tuple[Landmark, ...]:
        """Landmarks to choose from."""
        return tuple([self._catalog.landmark(one) for one in self.raw.landmark_ids])

    def __repr__(self) -> str:
        return f"<Draft: {len(self.chiefs)} Chiefs, {len(self.setup_cards)} Setup cards>"
