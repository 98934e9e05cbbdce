"""How the entrants of a tournament are isolated from each other, and from the files of the run.

In a sandbox where there is one; otherwise each as a user of its own, if we may become it; otherwise
not at all, which is said aloud. What works is found out by doing it once.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from endless_winter.tournament import launch, sandbox
from endless_winter.tournament.entrants import ATTACH, command_of
from endless_winter.tournament.errors import TournamentError, one_line
from endless_winter.tournament.sandbox import User

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.tournament.spec import Entrant, Spec

Kind = Literal["bubblewrap", "user", "none"]

PROBE_SECONDS: Final = 30.0
# Numbers that neither people nor services nor containers are given, and fewer for root in a
# container that has only some.
_NUMBERS: Final = (0x7000_0000, 0x0FFF_FFFF)
_FEW_NUMBERS: Final = (0x7000, 0x7FFF)
_COUNTED_INSIDE: Final = (5, 14)  # Linux: since then each user namespace has a count of its own


class Place(NamedTuple):
    """How one entrant is run."""

    kind: Kind
    sandbox: tuple[str, ...] = ()
    """What its command is given to; empty: it is started as it is."""
    user: str = ""
    """Whom to become before the command; empty: nobody."""
    processes: int = 0
    """How many that user may have; 0: any number."""
    why: str = ""
    """Why it is not in a sandbox."""

    @property
    def sandboxed(self) -> bool:
        return self.kind == "bubblewrap"


def weakest(places: Sequence[Place]) -> Kind:
    """What can be said of all of them: who is not isolated reads what others have."""
    kinds = {place.kind for place in places}
    return "none" if "none" in kinds else "user" if "user" in kinds else "bubblewrap"


def warnings(spec: Spec, out: Path) -> list[str]:
    """What the organiser has to know of this machine beforehand; one line each."""
    ours = [entrant for entrant in spec.entrant if entrant.bot != ATTACH]
    if not ours:
        return []
    why = missing(spec)
    if not why:
        return []
    exposed = [one.name for one in ours if not _user_of(one, spec, out)]
    if exposed:
        reach = "can read what you can: other entrants' files, the stores and the key included"
        return [f"no sandbox: {why}; {', '.join(exposed)} {reach} (docs/tournaments.md)"]
    return [f"no sandbox: {why}; each entrant runs as a user of its own"]


def missing(spec: Spec) -> str:
    """Why entrants run without a sandbox; empty: they run in one."""
    if spec.limits.sandbox == "off":
        return "limits.sandbox is off"
    why = unusable()
    if why and spec.limits.sandbox == "required":
        raise TournamentError(f"limits.sandbox is required: {why}")
    return why


def place(
    entrant: Entrant,
    spec: Spec,
    out: Path,
    *,
    home: Path,
    own: Path,
    socket: Path,
    processes: int,
) -> Place:
    """How an entrant is run; makes what it needs for that.

    `home` is its folder, `own` one of ours for it, `socket` where its server listens, `processes`
    how many it may have on this worker, 0: any number.
    """
    why = missing(spec)
    if why:
        user = _user_of(entrant, spec, out)
        _give(home, user)
        most = processes * _sharing(entrant, spec) if user else 0
        return Place("user" if user else "none", user=user, processes=most, why=why)
    user = entrant.user or spec.limits.user
    ids = User()
    if user or os.geteuid() == 0:
        ids = _known(user) if user else User(*[_number(out, entrant.name)] * 2)
        _give(home, user or str(ids.uid))
    if ids.uid:
        processes *= _sharing(entrant, spec)
    elif not _counted_inside():
        processes = 0
    sandbox.write_accounts(own, entrant.name, ids, home)
    before = sandbox.command(
        home=home,
        visible=sandbox.visible_to(entrant, spec, out),
        accounts=own,
        socket=socket,
        user=ids,
        relay=entrant.server == "tcp",
        processes=processes,
    )
    return Place("bubblewrap", sandbox=tuple(before))


@cache
def unusable() -> str:
    """Why there is no sandbox here; empty: there is one. Found out by starting something in it."""
    if sys.platform != "linux":
        return "bubblewrap is for Linux alone"
    if shutil.which(sandbox.PROGRAM) is None:
        return "bubblewrap is not installed (apt-get install bubblewrap)"
    ids = User(*[_number(Path("/"), "probe")] * 2) if os.geteuid() == 0 else User()
    with tempfile.TemporaryDirectory(prefix="ew-probe-") as folder:
        home = Path(folder)
        if ids.uid:
            try:
                _give(home, str(ids.uid))
            except TournamentError as error:
                return str(error)
        sandbox.write_accounts(home / "accounts", "probe", ids, home)
        before = sandbox.command(
            home=home,
            visible=(),
            accounts=home / "accounts",
            socket=None,
            user=ids,
            relay=False,
        )
        try:
            done = subprocess.run(  # noqa: S603 # our own
                [*before, sys.executable, "-c", "import msgspec, endless_winter.tournament.errors"],
                capture_output=True,
                text=True,
                timeout=PROBE_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not work here: {one_line(error)}"
    said = one_line((done.stderr.strip().splitlines() or ["no word"])[-1])
    return f"bubblewrap does not work here: {said}" if done.returncode else ""


# --- users ---


def _user_of(entrant: Entrant, spec: Spec, out: Path) -> str:
    """As whom an entrant runs that has no sandbox; empty: as we do."""
    user = entrant.user or spec.limits.user
    if user or os.geteuid() != 0 or spec.limits.sandbox == "off":
        return user
    number = str(_number(out, entrant.name))
    needed = [*sandbox.program(command_of(entrant)[0]), *map(Path, entrant.named)]
    if not entrant.bot.startswith("cmd:"):
        needed.append(Path(__file__))
    return number if _may_read(number, tuple(map(str, needed)), str(out)) else ""


def _sharing(entrant: Entrant, spec: Spec) -> int:
    """How many bots on this machine may run as the user of this one: the kernel counts them all."""
    user = entrant.user or spec.limits.user
    same = sum((one.user or spec.limits.user) == user for one in spec.entrant) if user else 1
    return same * (spec.workers or os.cpu_count() or 1)


def _counted_inside() -> bool:
    """Whether the processes of a sandbox are counted for themselves, if its user is we."""
    version = os.uname().release.split(".")
    try:
        return (int(version[0]), int(version[1])) >= _COUNTED_INSIDE
    except (IndexError, ValueError):
        return False


@cache
def _may_read(user: str, files: tuple[str, ...], out: str) -> bool:
    """Whether a user can come to files, and to a folder in which its own is."""
    look = 'out="$1"; shift; test -x "$out" || exit 1; for f; do test -r "$f" || exit 1; done'
    plain = (str(os.getpid()), "0", "0", "0", user, "", "")
    before = [sys.executable, "-I", "-S", launch.__file__, *plain]
    try:
        done = subprocess.run(  # noqa: S603 # our own
            [*before, "/bin/sh", "-c", look, "sh", out, *files],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _number(out: Path, name: str) -> int:
    """The number of the user that an entrant runs as; the same each time, another for each."""
    first, span = _NUMBERS if _mapped(sum(_NUMBERS)) else _FEW_NUMBERS
    digest = hashlib.blake2b(f"{out}\n{name}".encode(), digest_size=8).digest()
    return first + int.from_bytes(digest, "big") % span


@cache
def _mapped(number: int) -> bool:
    """Whether there is such a user here: a container may have only some of the numbers."""
    try:
        lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    except OSError:
        return True
    spans = [tuple(map(int, line.split())) for line in lines]
    return any(first <= number < first + count for first, _, count in spans)


def _known(user: str) -> User:
    try:
        found = pwd.getpwnam(user)
    except KeyError as error:
        raise _cannot(user, error) from error
    if os.geteuid() != 0 and found.pw_uid != os.geteuid():
        raise _cannot(user, PermissionError("only root can become another user"))
    return User(found.pw_uid, found.pw_gid) if os.geteuid() == 0 else User()


def _give(folder: Path, user: str) -> None:
    """A bot's folder, with what an earlier run left in it, belongs to whom it runs as."""
    if not user:
        return
    owner: int | str = int(user) if user.isdecimal() else user
    try:
        if isinstance(owner, str):
            owner = pwd.getpwnam(owner).pw_uid
        if folder.stat().st_uid == owner:
            return
        for parent, folders, files in os.walk(folder, topdown=False):
            for name in (*folders, *files):
                os.chown(Path(parent, name), owner, -1, follow_symlinks=False)
        shutil.chown(folder, owner)
    except (KeyError, OSError) as error:
        raise _cannot(user, error) from error


def _cannot(user: str, error: Exception) -> TournamentError:
    return TournamentError(f"bots cannot run as the user {user}: {one_line(error)}")
