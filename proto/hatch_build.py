"""The build hook: stubs from the contract and, on request, a compiled server.

Runs inside ``pip install .``, ``pip install -e .`` and wheel builds:

- every ``.proto`` under ``proto/`` gets its Python modules and type stubs beside it, and all of
  them together one descriptor set with comments, for tools of other languages;
- ``EW_MYPYC=1`` compiles with mypyc what a choice passes on its way through the server: the
  rules core, the views, the engine; and what the bots think with. ``EW_MYPYC=rules`` compiles the
  rules core and the bots alone. Where that is not possible the build says so in one line and goes
  on with pure Python, the reference.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SERVICE = re.compile(r"^\s*service\s+\w+", re.MULTILINE)
ERROR = re.compile(r"\berror: ")  # not the -Werror of a compiler's command line
# What a choice passes on its way: encoding it, the engine, and the records of its log. Not what is
# only run now and then, nor the shell, whose time goes to the event loop and to gRPC.
LEFT_OUT = {
    "views": {"measure", "sampling"},
    "engine": {"replay", "settings"},
}
STORE_MODULES = ("records",)
# What the bots think with. They themselves are classes of the SDK, which is not compiled.
BOTS = Path("clients", "python", "endless_winter", "bots")
BOTS_LEFT_OUT = ("__init__", "players", "reasons")
STUBS = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi", "*.binpb")
DESCRIPTORS = Path("endless_winter", "v1", "contract.binpb")


class CompileError(Exception):
    """mypyc could not compile the modules; the message is one line."""


class EwBuildHook(BuildHookInterface):  # type: ignore[type-arg] # its config type is of no use here
    """Adds what is generated to the wheel, or leaves it in the tree of an editable install."""

    _stage: tempfile.TemporaryDirectory[str] | None = None

    def dependencies(self) -> list[str]:
        """Mypyc is fetched into an isolated build only when it was asked for."""
        return ["mypy[mypyc]==2.4.*", "types-protobuf"] if wants_mypyc() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generate before hatchling collects the files."""
        if self.target_name != "wheel":  # an sdist holds sources only
            return
        root = Path(self.root)
        build_data["artifacts"].extend("/" + path for path in generate_stubs(root))
        if version == "editable":
            for source in source_roots(root):
                remove_compiled(source)
        if not wants_mypyc():
            return
        asked = os.environ["EW_MYPYC"]
        self._stage = tempfile.TemporaryDirectory(prefix="ew-mypyc-")
        stage = Path(self._stage.name)
        try:
            extensions = compile_modules(root, stage, everything=asked != "rules")
        except CompileError as error:
            self.app.display_warning(f"EW_MYPYC={asked}: {error}; the rules core stays pure Python")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for extension in extensions:
            if version == "editable":
                shutil.copy2(stage / extension, home_of(root, extension) / extension)
            else:
                build_data["force_include"][str(stage / extension)] = extension

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The stage has to live until the wheel is written, and no longer."""
        del version, build_data, artifact_path
        if self._stage is not None:
            self._stage.cleanup()


def wants_mypyc() -> bool:
    """Whether the builder asked for compiled modules; ``all`` is an older name of ``1``."""
    return os.environ.get("EW_MYPYC") in ("1", "rules", "all")


def generate_stubs(root: Path) -> list[str]:
    """Write the stubs and the descriptor set; returns their paths relative to the root.

    They are made aside and put in place one by one: what runs from this tree meanwhile always
    finds them, and a broken ``.proto`` leaves the old ones.
    """
    source = root / "proto"
    protos = sorted(source.rglob("*.proto"))
    services = [path for path in protos if SERVICE.search(path.read_text(encoding="utf-8"))]
    with tempfile.TemporaryDirectory(prefix=".stubs-", dir=source) as folder:
        aside = Path(folder)
        if protos:
            run_protoc(source, protos, *outputs(aside, "python", "mypy"))
            described = f"--descriptor_set_out={aside / DESCRIPTORS}"
            run_protoc(source, protos, described, "--include_imports", "--include_source_info")
        if services:
            run_protoc(source, services, *outputs(aside, "grpc_python", "mypy_grpc"))
        made = {path.relative_to(aside) for path in stubs_in(aside)}
        for path in made:
            (aside / path).replace(source / path)
    for path in stubs_in(source):  # a renamed .proto must not leave its old stubs importable
        if path.relative_to(source) not in made:
            path.unlink()
    return sorted((source / path).relative_to(root).as_posix() for path in made)


def stubs_in(folder: Path) -> list[Path]:
    """Everything generated below the folder."""
    return [path for pattern in STUBS for path in folder.rglob(pattern)]


def outputs(target: Path, code: str, stubs: str) -> tuple[str, str]:
    """The arguments for one code generator and its type stubs."""
    return f"--{code}_out={target}", f"--{stubs}_out=quiet:{target}"


def run_protoc(source: Path, protos: list[Path], *arguments: str) -> None:
    """Run the protoc of grpcio-tools."""
    names = [path.relative_to(source).as_posix() for path in protos]
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I.", *arguments, *names]
    # protoc looks for its plugins on PATH, where an isolated build does not put them.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = run(command, source, {"PATH": path})
    if done.returncode:
        raise SystemExit(f"protoc failed:\n{done.stderr.strip()}")


def source_roots(root: Path) -> tuple[Path, Path]:
    """The import roots with modules that are compiled."""
    return root / "server", root / BOTS.parents[1]


def home_of(root: Path, extension: str) -> Path:
    """The import root that an extension belongs to: that of its module's package."""
    server, clients = source_roots(root)
    return clients if Path(extension).parent == BOTS.relative_to(BOTS.parents[1]) else server


def remove_compiled(source: Path) -> None:
    """A stale extension would shadow an edited module."""
    for extension in [*source.glob("*__mypyc*.so"), *source.glob("endless_winter/**/*.so")]:
        extension.unlink()


def compile_modules(root: Path, stage: Path, *, everything: bool) -> list[str]:
    """Compile in the stage; returns the extensions as paths below the import root.

    A staged copy, because mypyc builds in place; and all modules in one call, so that calls
    between them are direct. That also makes one shared extension at the import root. This file
    runs again as a program there, since setuptools works in the current folder.
    """
    package = root / "server" / "endless_winter"
    chosen = list((package / "rules").rglob("*.py"))
    if everything:
        for name, left_out in LEFT_OUT.items():
            found = (package / name).rglob("*.py")
            chosen += [path for path in found if not {*path.parts, path.stem} & left_out]
        chosen += [package / "store" / f"{name}.py" for name in STORE_MODULES]
    if not chosen:
        raise CompileError("there is nothing to compile yet")
    modules = sorted(path.relative_to(root / "server").as_posix() for path in chosen)
    copied = package if everything else package / "rules"
    no_binaries = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(copied, stage / copied.relative_to(root / "server"), ignore=no_binaries)
    bots = BOTS.relative_to(BOTS.parents[1])
    shutil.copytree(root / BOTS, stage / bots, ignore=no_binaries)
    own = [path for path in (root / BOTS).glob("*.py") if path.stem not in BOTS_LEFT_OUT]
    modules += sorted((bots / path.name).as_posix() for path in own)
    paths = os.pathsep.join((str(stage), str(root / "proto")))
    variables = {"MYPYPATH": paths, "MYPY_CACHE_DIR": str(stage / "cache")}
    done = run([sys.executable, str(Path(__file__).resolve()), *modules], stage, variables)
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if ERROR.search(line)]
        raise CompileError(f"mypyc failed ({lines[0].strip() if lines else 'no message'})")
    built = [*stage.glob("*.so"), *(stage / "endless_winter").rglob("*.so")]
    return sorted(path.relative_to(stage).as_posix() for path in built)


def build_extensions(modules: list[str]) -> None:
    """Compile modules in the current folder with mypyc, on all cores.

    A C file for each module: in one file together they take five times as long, and run no faster.
    """
    # They are there only when this was asked for.
    mypycify = import_module("mypyc.build").mypycify
    setup = import_module("setuptools").setup
    compiler = import_module("setuptools._distutils.ccompiler").CCompiler
    jobs = os.cpu_count() or 1

    def compile_all(self: Any, sources: list[str], **given: Any) -> list[str]:
        """`CCompiler.compile`, which takes one source after the other."""
        _, objects, after, options, build = self._setup_compile(
            *(given["output_dir"], given["macros"], given["include_dirs"], sources),
            *(given["depends"], given["extra_postargs"]),
        )
        before = self._get_cc_args(options, given["debug"], None)

        def compile_one(made: str) -> None:
            self._compile(made, *build[made], before, after, options)

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(compile_one, build))
        return list(objects)

    compiler.compile = compile_all
    # What the modules import is checked by the linter; here it may be missing.
    flags = ("--strict", "--explicit-package-bases", "--follow-imports=silent")
    lenient = ("--ignore-missing-imports", "--no-warn-unused-ignores")
    extensions = mypycify(
        [*flags, *lenient, *modules],
        opt_level=os.environ.get("MYPYC_OPT_LEVEL", "3"),
        debug_level="0",
        multi_file=True,
    )
    setup(
        ext_modules=extensions, script_args=["-q", "build_ext", "--inplace", f"--parallel={jobs}"]
    )


def run(
    command: list[str], folder: Path, variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a tool and keep what it says."""
    environment = {**os.environ, **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


if __name__ == "__main__":
    build_extensions(sys.argv[1:])
