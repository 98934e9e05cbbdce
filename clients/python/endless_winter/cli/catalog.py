"""``ew catalog``: what is printed on the components of a content pack, and how sure we are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import click
import msgspec

from endless_winter.content import ContentError, Pack, load_pack, provenance
from endless_winter.content.schema import Part

# Fields that say what an entry is, not what is printed on it.
_WORDS: Final = ("rulebook", "public", "inferred", "reconstructed")
_HEAD = ("id", "title", "provenance", "sides")
# Sections that are told as a whole, by the ids of the look-up.
_TOGETHER: Final = {
    "board": ("board", "food"),
    "idols": ("offering", "honor"),
    "stone_space": ("stones",),
}


def content_option(function: click.decorators.FC) -> click.decorators.FC:
    """``--content FILE``, for every command that plays or shows the game."""
    return click.option(
        "--content",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Another content pack: its main TOML file. Without it, the pack that comes along.",
    )(function)


def read_pack(content: Path | None) -> Pack:
    """Load a pack for a command; what is wrong with it is said in one line."""
    try:
        return load_pack(content)
    except ContentError as error:
        raise click.ClickException(str(error)) from error


def parts_of(pack: Pack) -> dict[str, list[Part]]:
    """Everything printed, by its section of the pack."""
    found: dict[str, list[Part]] = {}
    for field in msgspec.structs.fields(pack.content):
        value = getattr(pack.content, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Part):
                found.setdefault(part.section, []).append(part)
                for side in getattr(part, "sides", ()):
                    found.setdefault(side.section, []).append(side)
    return found


def describe(part: Part) -> list[str]:
    """An entry as lines: its name, then each value with where it comes from."""
    name = getattr(part, "id", "")
    lines = [f"{name}  {getattr(part, 'title', part.label)}".strip()]
    for field in msgspec.structs.fields(part):
        value = getattr(part, field.name)
        if field.name in _HEAD or value is None:
            continue
        shown = "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        words = " ".join(dict.fromkeys(provenance(part, field.name)))
        lines.append(f"    {field.name}: {shown or '-'}  [{words}]")
    return lines


def in_words(pack: Pack, section: str) -> list[str]:
    """The entries of a section in plain words, as the terminal's look-up has them."""
    from endless_winter.sdk import Catalog  # noqa: PLC0415 # they take a while to load
    from endless_winter.terminal.lookup import entries  # noqa: PLC0415
    from endless_winter.views import Words, catalog_of  # noqa: PLC0415

    section = section.removesuffix(".sides")  # a Chief is told with both sides
    parts = parts_of(pack)[section]
    said = entries(Catalog.of(catalog_of(Words(pack))))
    lines: list[str] = []
    if section in _TOGETHER:
        for one in said:
            if one.item_id in _TOGETHER[section]:
                lines += [one.title, *(f"    {line}" for line in one.lines)]
        return [*lines, _known(parts)]
    for part in parts:
        own = getattr(part, "id", "")
        named = [one for one in said if one.item_id == own]
        # An id may name things of two kinds.
        named.sort(key=lambda one: one.kind.split(" ")[0].lower() not in section)
        if not named:
            lines += describe(part)  # a layout or a map: numbers alone
            continue
        lines.append(f"{own}  {named[0].title}, {named[0].kind}")
        lines += [f"    {line}" for line in named[0].lines]
        lines.append(_known([part]))
    return lines


def _known(parts: list[Part]) -> str:
    """Where what is printed is known from."""
    words = {
        word
        for one in parts
        for part in (one, *getattr(one, "sides", ()))
        for field in msgspec.structs.fields(part)
        if field.name not in _HEAD and getattr(part, field.name) is not None
        for word in provenance(part, field.name)
    }
    return f"    ({', '.join(word for word in _WORDS if word in words)})"


@click.command(short_help="Show a content pack: cards, tiles, texts, provenance.")
@click.argument("section", required=False)
@click.option(
    "--values",
    is_flag=True,
    help="Each value as the pack has it, in the effect language, with where it is known from.",
)
@content_option
def catalog(*, section: str | None, values: bool, content: Path | None) -> None:
    """Show what is printed on the components, and check a pack on the way.

    Without SECTION: the pack, its hash, and how much of it is known from a rulebook or from public
    texts, inferred or reconstructed. With SECTION (culture, animal, stone, ...): every entry of
    that kind in plain words. docs/content.md explains the effect language of --values.
    """
    pack = read_pack(content)
    parts = parts_of(pack)
    if section is None:
        click.echo(f"{pack.title}: pack {pack.name} {pack.version}, hash {pack.digest}")
        click.echo(f"{'section':16}{'entries':>8}  values: {' / '.join(_WORDS)}")
        for name, entries in parts.items():
            words = Counter(
                word
                for part in entries
                for field in msgspec.structs.fields(part)
                if field.name not in _HEAD and getattr(part, field.name) is not None
                for word in provenance(part, field.name)
            )
            split = " / ".join(str(words[word]) for word in _WORDS)
            click.echo(f"{name:16}{len(entries):>8}  {split}")
        return
    if section not in parts:
        raise click.BadParameter(f"no section '{section}'; there are {', '.join(parts)}")
    shown = [line for part in parts[section] for line in describe(part)] if values else []
    for line in shown or in_words(pack, section):
        click.echo(line)
