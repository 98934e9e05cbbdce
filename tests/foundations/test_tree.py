"""Guards over the tree itself."""

from __future__ import annotations

import tomllib

import pytest

from tests.foundations.tree import GIT, ROOT, SOURCE_ROOTS, not_ignored, tracked

GENERATED = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi", ".binpb", ".so", ".pyc")


@pytest.mark.parametrize("root", SOURCE_ROOTS)
def test_no_init_hides_the_other_roots_of_the_namespace(root: str) -> None:
    assert (ROOT / root / "endless_winter").is_dir()
    assert not (ROOT / root / "__init__.py").exists()
    assert not (ROOT / root / "endless_winter" / "__init__.py").exists()


def test_the_namespace_spans_all_source_roots() -> None:
    import endless_winter

    assert {str(ROOT / root / "endless_winter") for root in SOURCE_ROOTS} <= set(
        endless_winter.__path__
    )


def test_every_sub_package_is_a_typed_package() -> None:
    packages = {
        parts[: parts.index("endless_winter") + 2]
        for parts in (tuple(name.split("/")) for name in tracked())
        if "endless_winter" in parts[:-2] and parts[-1].endswith(".py")
    }
    assert packages
    for package in packages:
        folder = ROOT.joinpath(*package)
        assert (folder / "__init__.py").exists(), folder
        assert (folder / "py.typed").exists(), folder


def test_nothing_generated_is_tracked() -> None:
    assert [name for name in tracked() if name.endswith(GENERATED)] == []


def test_no_tracked_file_names_a_package_registry() -> None:
    # Put together here, so that this file passes its own test.
    dot = "."
    hosts = [
        dot.join(parts)
        for parts in (
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("npmjs", "org"),
            ("npmjs", "com"),
            ("yarnpkg", "com"),
            ("buf", "build"),
            ("crates", "io"),
            ("rubygems", "org"),
            ("docker", "io"),
            ("ghcr", "io"),
            ("quay", "io"),
        )
    ]
    settings = ["--" + "-".join(parts) for parts in (("index", "url"), ("extra", "index", "url"))]
    found = [
        f"{name}: {word}"
        for name in tracked()
        for word in (*hosts, *settings)
        if word.encode() in (ROOT / name).read_bytes().lower()
    ]
    assert found == []


def test_the_sdist_lists_only_what_exists_and_all_of_the_top_level() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    listed = set(settings["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"])
    top = {name.split("/")[0] for name in tracked()}
    assert listed <= top
    assert top - listed <= {".gitignore", ".dockerignore", ".gitattributes", "PKG-INFO"}


def test_without_git_the_same_files_are_found() -> None:
    if GIT is not None and (ROOT / ".git").exists():
        assert set(tracked()) <= set(not_ignored())
    assert not [name for name in not_ignored() if name.endswith(GENERATED)]
    assert not [name for name in not_ignored() if name.startswith((".git/", ".venv"))]
