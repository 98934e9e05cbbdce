"""A match worker: one server and one process of each bot, that plays the games it is given."""

from __future__ import annotations

import asyncio
import os
import platform
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from endless_winter.engine.ability import lacking
from endless_winter.tournament import groups, isolation, plugin, processor_share, reasons, sandbox
from endless_winter.tournament.entrants import ATTACH, command_of
from endless_winter.tournament.errors import TournamentError
from endless_winter.tournament.host import Host, HostGone
from endless_winter.tournament.processes import Keeper
from endless_winter.tournament.processor_share import Shares
from endless_winter.tournament.results import NEVER_STARTED, Game, Seat, Started, Use, seats_of
from endless_winter.tournament.spec import NOMAD
from endless_winter.v1 import clock_pb2, config_pb2, game_pb2, result_pb2

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from endless_winter.tournament.isolation import Place
    from endless_winter.tournament.schedule import Match
    from endless_winter.tournament.spec import Entrant, Spec
    from endless_winter.v1 import arena_pb2, update_pb2

LOOK: Final = 0.1  # seconds between looks at who has attached
_VARIANTS: Final = {
    "standard": config_pb2.SETUP_VARIANT_STANDARD,
    "setup_draft": config_pb2.SETUP_VARIANT_SETUP_DRAFT,
    "chief_and_setup_draft": config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT,
}
_STARTED: Final = (game_pb2.GAME_STATUS_RUNNING, game_pb2.GAME_STATUS_ENDED)


class Order(NamedTuple):
    """A game to be played."""

    match: Match
    attempt: int
    seed: bytes
    salt: bytes
    absences: int = 0
    """Earlier attempts at it to which bots did not come."""

    @property
    def game_id(self) -> str:
        return self.match.game_id(self.attempt)


class Folders(NamedTuple):
    """Where a tournament keeps its things."""

    out: Path
    run: int
    """How often it has been started: every run has stores of its own."""

    def worker(self, number: int) -> Path:
        return self.out / "private" / f"run-{self.run}" / f"worker-{number}"

    def bot(self, name: str) -> Path:
        return self.out / "bots" / name

    def log(self, name: str) -> Path:
        return self.out / "logs" / f"{name}.log"


class Worker:
    """Plays up to `capacity` games at a time."""

    def __init__(
        self,
        spec: Spec,
        folders: Folders,
        number: int,
        *,
        capacity: int,
        at_first: int = 1,
        listen: str = "127.0.0.1:0",
        cores: Sequence[int] = (),
    ) -> None:
        """`cores` are those that its server and its bots share; none: whichever is free."""
        self.number = number
        self.at_first = at_first
        self.capacity = capacity
        self.started: Started | None = None
        self._spec = spec
        self._cores = cores
        self._folders = folders
        self._tokens = {name: secrets.token_hex(32) for name in spec.names}
        self._host = Host(folders.worker(number), tokens=self._tokens, listen=listen, cores=cores)
        self._keepers: dict[str, Keeper] = {}
        self._places: list[Place] = []
        self._shares = Shares(len(cores) or os.cpu_count() or 1)
        self._sharing: asyncio.Task[None] | None = None
        # Times in a row that an entrant let games wait until they were given up. Games that waited
        # side by side are one time: how many a worker plays at once says nothing about a bot.
        self._strikes: dict[str, int] = {}
        self._away: set[str] = set()  # who was not even attached at its last strike
        self._unable: dict[str, str] = {}  # who cannot play such games, and why
        self._tournament = folders.out.name[:64]

    # --- coming and going ---

    async def start(self) -> None:
        """Start the server and the bots, and wait until they have attached or had their time."""
        await self._host.start()
        for entrant in self._spec.entrant:
            # For the owner alone: a bot writes to its log through what it is given.
            self._folders.log(entrant.name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = self._folders.bot(entrant.name)
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            variables = {
                "HOME": str(folder),
                "EW_SERVER": self._host.address,
                "EW_CLIENT_SECRET": secrets.token_hex(32),
                "EW_BOT_NAME": entrant.name,
                "EW_BOT_TOKEN": self._tokens[entrant.name],
                "EW_BOT_CAPACITY": str(self.capacity),
            }
            if entrant.bot == ATTACH:
                self._invite(entrant, variables)
                continue
            if self._spec.explain:
                variables["EW_EXPLAIN_TO"] = str(folder / reasons.FILE)
            group = groups.make()
            processes = self._spec.limits.processes
            if group is not None:
                self._shares.group(entrant.name, group)
                if group.limit(processes):
                    processes = 0  # nobody else need see to it
            place = await asyncio.to_thread(self._place, entrant, folder, processes)
            self._places.append(place)
            if place.sandboxed:
                tcp = entrant.server == "tcp"
                where = f"127.0.0.1:{sandbox.PORT}" if tcp else f"unix:{sandbox.SOCKET}"
                variables |= {"EW_SERVER": where, "TMPDIR": "/tmp"}  # noqa: S108 # its own
            keeper = Keeper(
                entrant.name,
                command_of(entrant),
                folder=folder,
                log=self._folders.log(entrant.name),
                variables=variables,
                memory_mb=self._spec.limits.memory_mb,
                user=place.user,
                processes=place.processes,
                restarts=self._spec.dead.restarts,
                cores=self._cores,
                groups=group.folders if group is not None else (),
                sandbox=place.sandbox,
            )
            self._keepers[entrant.name] = keeper
            keeper.begin()
        self._sharing = asyncio.create_task(self._share(), name="shares of a worker")
        known = await self._attached()
        self._look_at_abilities(known)
        own = [bot.capacity for name, bot in known.items() if name in self._spec.names]
        self.capacity = min([self.capacity, *own])  # more would wait until others have ended
        dead = {name: keeper.dead for name, keeper in self._keepers.items() if keeper.dead}
        versions = {name: known[name].version for name in sorted(known)}
        self.started = Started(_machine(), versions, dead | self._unable)

    def _look_at_abilities(self, known: Mapping[str, arena_pb2.BotInfo]) -> None:
        """A game that a bot has not said it plays is never offered to it: nobody waits for that."""
        seats = (NOMAD,) if self._spec.solo else ()
        some = (*self._spec.names[: self._spec.seats - len(seats)], *seats)
        config = self._config(some)
        for name, bot in known.items():
            lacks = [*lacking(bot.ability, config)]
            if bot.ability.seat_counts and len(config.seats) not in bot.ability.seat_counts:
                lacks.append("seat_counts")
            if name in self._spec.names and lacks:
                fields = " and ".join(f"ability.{field}" for field in lacks)
                self._unable[name] = (
                    f"does not say that it plays such games; if it does, set {fields} in its "
                    "BotHello"
                )

    def _first_processes(self) -> dict[str, int]:
        return {name: keeper.pid for name, keeper in self._keepers.items()}

    async def _share(self) -> None:
        """See to it that no bot takes the processor from the one that is asked."""
        favoured = False
        while True:
            answer = asyncio.ensure_future(self._host.asked_ms())
            try:
                done, _ = await asyncio.wait({answer}, timeout=processor_share.SLOW)
                if not done:
                    # It does not come to its turn, and nothing can be known without it. Only
                    # then: with many games at a time it does better to be interrupted by bots.
                    self._host.favour(much=True)
                    favoured = True
                asked = await answer
            except HostGone:
                return
            except TournamentError:  # refused for now; shares stay as they are until it is known
                await asyncio.sleep(processor_share.POLL)
                continue
            finally:
                answer.cancel()
            begun = time.thread_time()
            self._shares.look(self._first_processes(), asked)
            if favoured and done and not self._shares.burning:
                self._host.favour(much=False)
                favoured = False
            await asyncio.sleep(
                max(processor_share.POLL, processor_share.COSTS * (time.thread_time() - begun))
            )

    def _place(self, entrant: Entrant, home: Path, processes: int) -> Place:
        """How an entrant is isolated from others; to find out may take a while."""
        return isolation.place(
            entrant,
            self._spec,
            self._folders.out,
            home=home,
            own=self._folders.worker(self.number) / entrant.name,
            socket=self._host.socket(entrant.name),
            processes=processes,
        )

    def _invite(self, entrant: Entrant, variables: dict[str, str]) -> None:
        """Write down what a bot that somebody else starts has to know."""
        path = self._folders.worker(self.number) / f"{entrant.name}.env"
        path.touch(mode=0o600)
        path.write_text(
            "".join(f"{key}={value}\n" for key, value in variables.items() if key != "HOME")
        )

    async def _attached(self) -> dict[str, arena_pb2.BotInfo]:
        """Wait for the bots; those that have attached."""
        until = time.monotonic() + self._spec.dead.start
        known: dict[str, arena_pb2.BotInfo] = {}
        while time.monotonic() < until:
            known = await self._host.bots()
            for name in known.keys() & self._keepers.keys():
                self._keepers[name].attached()
            dead = {name for name, keeper in self._keepers.items() if keeper.dead}
            if set(self._spec.names) <= known.keys() | dead:
                break
            await asyncio.sleep(LOOK)
        return known

    async def stop(self) -> None:
        """The server first: before it leaves it has reported how the last game ended."""
        if self._sharing is not None:
            self._sharing.cancel()
            self._shares.release(self._first_processes())
        for keeper in self._keepers.values():
            keeper.let_go()
        await self._host.stop()
        await asyncio.gather(*(keeper.stop() for keeper in self._keepers.values()))
        await asyncio.to_thread(self._shares.close)

    # --- playing ---

    async def play(self, order: Order) -> Game:
        """Play a game to its end. Raises `HostGone` if the server is lost: play it elsewhere."""
        game = await self._played(order)
        used = {
            name: Use(_ms(used.asked) or 0, _ms(used.unasked) or 0, used.lowered)
            for name, used in self._shares.take().items()
        }
        kind = isolation.weakest(self._places) if self._places else ""
        return msgspec.structs.replace(game, used=used, isolation=kind)

    async def _played(self, order: Order) -> Game:
        if gone := await self._gone(order.match.entrants):
            return self._absent(order, gone)
        self._shares.begin()
        struck = {name: self._strikes.get(name, 0) for name in order.match.entrants}
        result = await self._host.create(
            order.game_id,
            self._config(order.match.entrants),
            seed=order.seed,
            salt=order.salt,
            tournament_id=self._tournament,
        )
        try:
            found = await asyncio.wait_for(asyncio.shield(result), self._spec.dead.start)
        except TimeoutError:
            attached = await self._host.bots()
            info = await self._host.game(order.game_id)
            if info.status not in _STARTED:
                return await self._give_up(order, info, struck, attached)
            found = await result
        return self._finished(order, found)

    async def _gone(self, entrants: Sequence[str]) -> dict[str, str]:
        """Who is not waited for here, and why.

        Otherwise a dead bot would cost the time of a start for each of its games. Who attaches
        after all is waited for again.
        """
        gone = {}
        for name in entrants:
            keeper = self._keepers.get(name)
            if name in self._unable:
                gone[name] = self._unable[name]
            elif keeper is not None and keeper.dead:
                gone[name] = keeper.dead
            elif self._strikes.get(name, 0) >= self._spec.dead.attempts:
                if name in self._away and name in await self._host.bots():
                    self._came(name)
                else:
                    seconds = self._strikes[name] * self._spec.dead.start
                    gone[name] = f"came to no game for {seconds:g} s and is not waited for"
        return gone

    def _came(self, name: str) -> None:
        self._strikes.pop(name, None)
        self._away.discard(name)

    async def release(self, game_ids: Sequence[str]) -> None:
        """Open the seals of games that were played here."""
        if game_ids:
            await self._host.release(game_ids)

    async def export(self, game_id: str) -> bytes:
        """The replay of a game whose seal is open, as a file."""
        return await self._host.export(game_id)

    async def _give_up(
        self,
        order: Order,
        info: game_pb2.GameInfo,
        struck: Mapping[str, int],
        attached: Collection[str],
    ) -> Game:
        """End a game that did not begin. `struck`: the strikes of its entrants when it was made."""
        absent = {}
        # Nobody is asked for Ready before all seats are taken.
        all_taken = all(
            seat.taken for seat in info.seats if order.match.entrants[seat.seat] != NOMAD
        )
        for seat in info.seats:
            name = order.match.entrants[seat.seat]
            if name == NOMAD or (seat.taken and (seat.ready or not all_taken)):
                continue
            # Else a game that waited at the same time has counted already.
            if self._strikes.get(name, 0) == struck[name]:
                self._strikes[name] = struck[name] + 1
                self._away.discard(name)
                if name not in attached:
                    self._away.add(name)
            absent[name] = (
                "took its seat but never said Ready" if seat.taken else "never took its seat"
            )
        await self._host.abort(order.game_id, f"not begun within {self._spec.dead.start:g} s")
        return self._absent(order, absent)

    def _absent(self, order: Order, absent: Mapping[str, str]) -> Game:
        """A game that was not played: tried again, or lost by those who did not come.

        It is lost by its own attempts alone, however many others have been: the next one may be
        played on another worker, or the bot may have come by then.
        """
        final = order.absences + 1 >= self._spec.dead.attempts
        present = sum(name not in absent for name in order.match.entrants)
        seats = tuple(
            Seat(
                entrant=name,
                place=(present + 1 if name in absent else 1) if final else 0,
                reason=NEVER_STARTED if name in absent else "normal",
            )
            for name in order.match.entrants
        )
        note = "; ".join(f"{name} {why}" for name, why in sorted(absent.items()))
        return _line(order, "adjudicated" if final else "void", seats, note=note)

    def _finished(self, order: Order, last: update_pb2.Update) -> Game:
        entrants = order.match.entrants
        result = last.result
        if result.outcome != result_pb2.GAME_OUTCOME_COMPLETED:
            how = result_pb2.GameOutcome.Name(result.outcome).removeprefix("GAME_OUTCOME_").lower()
            seats = tuple(Seat(entrant=name, reason="server_fault") for name in entrants)
            return _line(order, "void", seats, note=f"the server ended it: {how}")
        for name, seat in zip(entrants, result.seats, strict=True):
            self._came(name)
            if seat.reason == result_pb2.END_REASON_NORMAL and name in self._keepers:
                self._keepers[name].played()
        return msgspec.structs.replace(
            _line(order, "completed", seats_of(result, last.statistics, entrants)),
            decisions=result.decisions,
            rounds=result.rounds_completed,
            milliseconds=last.statistics.duration_ms,
            store=str(self._host.store.relative_to(self._folders.out)),
        )

    def _config(self, entrants: Sequence[str]) -> config_pb2.GameConfig:
        options, clock = self._spec.game, self._spec.clock
        given = {entrant.name: entrant.options for entrant in self._spec.entrant}
        config = config_pb2.GameConfig(
            seats=[
                config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_NOMAD)
                if name == NOMAD
                else config_pb2.SeatConfig(
                    kind=config_pb2.SEAT_KIND_BOT, bot_name=name, bot_options=given[name]
                )
                for name in entrants
            ],
            nomad=config_pb2.NomadConfig(**msgspec.structs.asdict(self._spec.nomad))
            if self._spec.solo
            else None,
            setup_variant=_VARIANTS[options.setup_variant],
            megalith_layout_id=options.megalith_layout,
            time_control=clock_pb2.TimeControl(
                bank_ms=_ms(clock.bank),
                increment_per_turn_ms=_ms(clock.increment) or 0,
                decision_limit_ms=_ms(clock.decision),
                timeouts_to_forfeit=clock.timeouts,
                disconnect_limit_ms=_ms(clock.disconnect),
            ),
            # Others of the field must not watch: with paired seeds they may play the same one.
            visibility=config_pb2.VISIBILITY_CLOSED,
            hold_reveal=True,
            tags=["tournament"],
        )
        plugin.fill_config(msgspec.structs.asdict(options), config)
        return config


def _ms(seconds: float) -> int | None:
    return int(seconds * 1000) or None


def _line(order: Order, outcome: str, seats: tuple[Seat, ...], note: str = "") -> Game:
    return Game(
        id=order.game_id,
        match=order.match.id,
        block=order.match.block,
        rotation=order.match.rotation,
        attempt=order.attempt,
        outcome=outcome,
        seats=seats,
        note=note,
    )


def _machine() -> str:
    """Processor, cores, system and Python for the report, without the name of the host."""
    cores = os.cpu_count() or 1
    system = f"{platform.system()} {platform.machine()}"
    return f"{_processor()}, {cores} cores, {system}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2] for line in lines if line.startswith("model name")]
    return " ".join(named[0].split()) if named else platform.processor() or "unknown processor"
