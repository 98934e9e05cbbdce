"""The sandbox of a bot: what it sees of this machine, and the command that starts it in there.

Bubblewrap (``bwrap``) gives a process namespaces of its own. Its files are an allow-list: the
system, this Python, this package, what the spec names for the bot, and its folder, which alone is
its own to write. It sees no other process, and no network but its own loopback; the server is a
Unix socket. All that it starts ends with it.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.tournament.entrants import command_of
from endless_winter.tournament.errors import TournamentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from endless_winter.tournament.spec import Entrant, Spec

PROGRAM: Final = "bwrap"
SOCKET: Final = "/run/ew/server"  # where a bot finds the server's
PORT: Final = 50051  # of the relay, on the sandbox's own loopback
TMP_MB: Final = 1024  # memory that files in a bot's temporary folders may take
_INSIDE: Final = Path(__file__).with_name("inside.py")
_MERGED: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# What programs look up. Not all of /etc: keys and passwords are there, too.
_ETC: Final = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "fonts", "gai.conf", "host.conf",
    "hosts", "java", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "localtime",
    "mime.types", "nsswitch.conf", "os-release", "pki/ca-trust/extracted", "pki/tls/certs",
    "protocols", "services", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "timezone",
)  # fmt: skip
_TEMPORARY: Final = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 # the bot's own


class User(NamedTuple):
    """Who a bot runs as; both 0: who we are."""

    uid: int = 0
    gid: int = 0


def command(
    *,
    home: Path,
    visible: Iterable[Path],
    accounts: Path,
    socket: Path | None,
    user: User,
    relay: bool,
    processes: int = 0,
) -> list[str]:
    """What stands before a bot's command line.

    `visible` are paths that it may read beside the system, `accounts` a folder with files
    ``passwd`` and ``group`` that say who it is, `socket` is the server's,
    `processes` how many its user may have, 0: any number.
    """
    found = [PROGRAM, "--die-with-parent", "--hostname", "bot"]
    found += [f"--unshare-{kind}" for kind in ("pid", "net", "ipc", "uts", "cgroup-try")]
    found += ["--cap-drop", "ALL"]
    if user.uid:
        found += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]  # until it is that user
    found += ["--proc", "/proc", "--dev", "/dev"]
    for folder in _TEMPORARY:
        found += ["--perms", "1777", "--size", str(TMP_MB << 20), "--tmpfs", folder]
    etc = [path for name in _ETC if (path := Path("/etc", name)).exists()]
    seen = _without_nested([*_python(), *visible])
    found += _parents([*etc, *seen, home, Path(SOCKET)])
    found += _system()
    for path in etc:
        found += ["--ro-bind", str(path), str(path)]
    for name in ("passwd", "group"):
        found += ["--ro-bind", str(accounts / name), f"/etc/{name}"]
    for path in seen:
        found += ["--ro-bind", str(path), str(path)]
    if socket is not None:
        found += ["--ro-bind", str(socket), SOCKET]
    found += ["--bind", str(home), str(home), "--remount-ro", "/", "--chdir", "/", "--"]
    ids = f"{user.uid}:{user.gid}" if user.uid else ""
    through = f"{PORT}={SOCKET}" if relay else ""
    inside = [sys.executable, "-I", "-S", str(_INSIDE)]
    return [*found, *inside, str(home), ids, through, str(processes)]


def write_accounts(folder: Path, name: str, user: User, home: Path) -> None:
    """Who a program in a sandbox finds when it looks up its own name; nobody else of here."""
    uid, gid = (user.uid, user.gid) if user.uid else (os.getuid(), os.getgid())
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    root = "" if uid == 0 else "root:x:0:0:root:/:/usr/sbin/nologin\n"
    (folder / "passwd").write_text(f"{root}{name}:x:{uid}:{gid}:{name}:{home}:/bin/sh\n")
    (folder / "group").write_text(f"root:x:0:\n{name}:x:{gid}:\n" if gid else f"{name}:x:0:\n")
    for file in ("passwd", "group"):
        (folder / file).chmod(0o644)


def _system() -> list[str]:
    found = ["--ro-bind", "/usr", "/usr", "--ro-bind-try", "/nix/store", "/nix/store"]
    for name in _MERGED:
        path = Path("/", name)
        if path.is_symlink():
            found += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            found += ["--ro-bind", str(path), str(path)]
    return found


def _python() -> Iterator[Path]:
    """The Python that runs us, and this package wherever its source roots are."""
    yield from map(Path, (sys.prefix, sys.base_prefix))
    yield Path(sys.executable).resolve()
    for path in map(Path, importlib.import_module("endless_winter").__path__):
        yield path
        # Compiled modules share one at the top level, which an editable install has in its root.
        yield from path.parent.glob("*__mypyc*")


def _without_nested(paths: Iterable[Path]) -> list[Path]:
    """Each once, and none that another or the system holds."""
    system = [Path("/usr"), *(Path("/", name) for name in _MERGED)]
    found: list[Path] = []
    for path in sorted({*paths}):  # a folder comes before what is in it
        if not any(path.is_relative_to(one) for one in (*system, *found)):
            found.append(path)
    return found


def _parents(paths: Iterable[Path]) -> list[str]:
    """Folders that lead to what is visible; bubblewrap would make some for root alone."""
    folders = {parent for path in paths for parent in path.parents if parent != Path("/")}
    made = [f for f in sorted(folders) if str(f) not in ("/usr", *_TEMPORARY)]
    return [word for folder in made for word in ("--perms", "0755", "--dir", str(folder))]


# --- what belongs to a bot ---


def visible_to(entrant: Entrant, spec: Spec, out: Path) -> list[Path]:
    """What an entrant may read beside the system: its program, its files, what it asks for."""
    found = list(program(command_of(entrant)[0], _private_paths(entrant, spec, out)))
    for file in map(Path, entrant.named):
        folder = file.parent
        found.append(folder if _is_own(folder, entrant, spec, out) else file)
    for path in map(Path, entrant.files):
        if out.is_relative_to(path) or path.is_relative_to(out):
            raise TournamentError(
                f"entrant {entrant.name}: files: {path} and the folder of the tournament "
                f"({out}) must not hold each other: name smaller parts, or choose another --out"
            )
        found.append(path)
    return found


def _is_own(folder: Path, entrant: Entrant, spec: Spec, out: Path) -> bool:
    """Whether a folder belongs to this bot alone: nothing else of the tournament is in it."""
    private = _private_paths(entrant, spec, out)
    return len(folder.parts) > 2 and not any(path.is_relative_to(folder) for path in private)


def _private_paths(entrant: Entrant, spec: Spec, out: Path) -> list[Path]:
    """What no folder that an entrant sees may hold: the tournament's, a person's, other bots'."""
    others = {file for one in spec.entrant for file in one.named} - {*entrant.named}
    return [out, Path(spec.folder), Path.home(), *map(Path, others)]


def program(name: str, private: Sequence[Path] = ()) -> Iterator[Path]:
    """A program of the command line, with the toolchain that it is a part of.

    A folder in which anything of `private` lies is no toolchain: there the program stands alone.
    """
    where = shutil.which(name)
    if where is None:
        return  # who starts it says so
    path = Path(where).absolute()
    for one in (path, path.resolve()):
        prefix = one.parent.parent
        toolchain = one.parent.name == "bin" and (prefix / "lib").is_dir()
        # What else lies in these is a person's, or everything.
        too_much = prefix in (Path("/"), Path.home(), Path.home() / ".local") or any(
            path.is_relative_to(prefix) for path in private
        )
        yield prefix if toolchain and not too_much else one
