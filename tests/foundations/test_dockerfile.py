"""The Dockerfile's steps, tried without Docker so that they cannot rot.

'make soak' runs each step of the build stage as it stands, with its absolute folders moved under a
temporary one. Every run checks what the steps name, and starts the server and its health check as
the image would. The second stage adds a user to the image; that step must not touch this machine,
so the test only reads it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from endless_winter.cli.process import running
from tests.foundations.tree import EW, ROOT, clean_copy, passed, run, tracked

TEXT = (ROOT / "Dockerfile").read_text()
GAMES = "/var/lib/endless-winter"
PIP = f"{sys.executable} -m pip -q"


class Step(NamedTuple):
    word: str
    rest: str


def stages() -> list[list[Step]]:
    """The steps of each stage, each stage from its FROM on."""
    lines = (line for line in TEXT.replace("\\\n", " ").splitlines() if line.strip())
    steps = [Step(*line.split(None, 1)) for line in lines if not line.startswith("#")]
    starts = [index for index, step in enumerate(steps) if step.word == "FROM"]
    return [steps[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)]


def ignored(name: str) -> bool:
    """Whether .dockerignore keeps a tracked file out of the build; the last match decides."""
    verdict = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        if line and not line.startswith("#"):
            parents = [name, *(str(parent) for parent in Path(name).parents)]
            if any(fnmatch(path, pattern.removeprefix("**/")) for path in parents):
                verdict = not line.startswith("!")
    return verdict


def copy(context: Path, sources: list[str], target: Path) -> None:
    for source in sources:
        if (context / source).is_dir():
            shutil.copytree(context / source, target, dirs_exist_ok=True)
        else:
            place = target / Path(source).name if len(sources) > 1 else target
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(context / source, place)


def serve_and_drain(folder: Path) -> None:
    """The image's own command and health check, with the programs of a folder."""
    settings = dict(stages()[1])
    program, *arguments = json.loads(settings["CMD"])
    listen = ["127.0.0.1:0" if word == "0.0.0.0:50051" else word for word in arguments]
    assert listen != arguments
    assert listen.pop() == "--insecure"  # not needed on loopback, and not to be tried out here
    with running([str(folder / program), *listen]) as server:
        check = json.loads(settings["HEALTHCHECK"].partition("CMD ")[2])
        assert check == ["ew", "health", "127.0.0.1:50051"]
        passed(run(folder / check[0], check[1], server.address))
        assert server.stop() == 0


def test_the_image_serves_is_healthy_and_drains() -> None:
    serve_and_drain(EW.parent)


def test_the_build_steps_name_files_and_packages_that_exist() -> None:
    """The build itself takes minutes; 'make soak' runs it."""
    build = stages()[0]
    for step in build:
        if step.word == "COPY":
            *sources, _ = step.rest.split()
            for source in sources:
                assert (ROOT / source).exists(), step.rest
                names = [name for name in tracked() if Path(name).is_relative_to(source)]
                assert not all(map(ignored, names)), f"{source} is left out by .dockerignore"
    commands = [step.rest for step in build if step.word == "RUN"]
    for command in commands:
        passed(run("sh", "-n", "-c", command))
    locked = re.findall(r"^([\w-]+)==", (ROOT / "requirements/run.lock").read_text(), re.MULTILINE)
    removed = commands[-1].partition(" uninstall --yes ")[2].split()
    assert removed
    assert set(removed) <= set(locked)


@pytest.mark.soak
@pytest.mark.timeout(900)  # takes minutes where there is much else to do
def test_the_build_steps_make_a_server_that_serves_and_drains(tmp_path: Path) -> None:
    context = clean_copy(tmp_path / "context")
    for path in [path for path in context.rglob("*") if path.is_file()]:
        if ignored(str(path.relative_to(context))):
            path.unlink()
    work = tmp_path / "src"
    work.mkdir()
    prefix = tmp_path / "opt" / "ew"
    base = tmp_path / "bin"  # the image's own python
    base.mkdir()
    (base / "python").symlink_to(sys._base_executable)  # type: ignore[attr-defined] # no public name
    # Byte code is of no use here, and writing it takes longer than all the rest.
    environment = {
        **os.environ, "PATH": f"{base}:{os.environ['PATH']}", "PIP_NO_COMPILE": "1",
    }  # fmt: skip
    for step in stages()[0]:
        if step.word == "RUN":
            command = step.rest.replace("/opt/ew", str(prefix))
            if command.startswith("python -m venv ") and find_spec("ensurepip") is None:
                # The image has it; Debian splits it off.
                command = f"{command} --without-pip && {PIP} --python {prefix} install pip"
            passed(run("sh", "-ec", command, cwd=work, env=environment))
        elif step.word == "COPY":
            *sources, target = step.rest.split()
            copy(context, sources, work / target)
        else:
            assert step in (Step("FROM", "python:3.11-slim AS build"), Step("WORKDIR", "/src"))
    assert not list(prefix.glob("lib/*/site-packages/grpc_tools"))
    serve_and_drain(prefix / "bin")


def test_the_image_runs_as_a_user_of_its_own_and_gets_sigterm() -> None:
    build, final = stages()
    settings = dict(final)
    assert settings["USER"] == "ew"
    packages, *rest = [step.rest for step in final if step.word == "RUN"]
    assert "bubblewrap" in packages.split()
    assert rest == [
        "useradd --system --no-create-home --shell /usr/sbin/nologin ew",
        f"install --directory --owner ew --group ew --mode 0700 {GAMES}",
    ]
    assert settings["STOPSIGNAL"] == "SIGTERM"
    assert settings["CMD"].startswith("["), "a shell would swallow SIGTERM"
    assert settings["COPY"] == "--from=build /opt/ew /opt/ew"
    for image in (build[0].rest, final[0].rest):
        assert "/" not in image, "an image name without a registry host"


def test_the_games_are_on_a_volume_that_the_user_may_write(tmp_path: Path) -> None:
    _, final = stages()
    words = [step.word for step in final]
    settings = dict(final)
    assert settings["VOLUME"] == settings["WORKDIR"] == GAMES
    # The folder is made, with its owner, before it becomes a volume and the user changes.
    assert words.index("RUN") < words.index("VOLUME") < words.index("USER")
    variables = dict(word.split("=", 1) for word in settings["ENV"].split())
    assert variables["EW_STORE"] == f"{GAMES}/games.db"
    moved = variables["EW_STORE"].replace(GAMES, str(tmp_path))
    serve = (str(EW), "serve", "--listen", "127.0.0.1:0")
    with running(("env", f"EW_STORE={moved}", *serve)) as server:
        assert server.stop() == 0
    assert (tmp_path / "games.db").exists()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("server/endless_winter/service/server.py", False),
        ("proto/hatch_build.py", False),
        ("requirements/run.lock", False),
        ("requirements/test.lock", True),
        ("tests/conftest.py", True),
        ("proto/endless_winter/v1/game_pb2.py", True),
        ("proto/endless_winter/v1/contract.binpb", True),
        ("clients/python/endless_winter/cli/main.py", False),
        ("clients/node/package.json", True),
    ],
)
def test_only_what_is_needed_enters_the_build(name: str, expected: bool) -> None:
    assert ignored(name) is expected
