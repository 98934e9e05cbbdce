"""What is printed on a part: texts become abilities and pools, and errors name the part."""

from endless_winter.content.effects import EffectError, parse_ability, parse_pool
from endless_winter.content.reader import Source
from endless_winter.content.schema import AnimalType, Part, PersonCard
from endless_winter.rules import tables
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.icons import ECLIPSE, LABOR
from endless_winter.rules.tables import Ability


def ability_of(source: Source, part: Part, text: str, field: str = "ability") -> Ability:
    try:
        return parse_ability(text)
    except EffectError as error:
        raise source.error(part, f'{field} "{text}": {error}') from error


def pool_of(source: Source, part: Part, field: str, text: str) -> bytes:
    """A benefit that is gained outside the turns of the Action phase, so never Labor."""
    try:
        pool = parse_pool(text)
    except EffectError as error:
        raise source.error(part, f'{field} "{text}": {error}') from error
    if LABOR in pool[::2]:
        raise source.error(part, f'{field} "{text}": Labor only helps in a turn with Tribe cards')
    if field != "tip" and any(icon >= FIRST_OF_MODULES for icon in pool[::2]):
        raise source.error(part, f'{field} "{text}": icons of modules stand on cards only')
    return pool


def benefit_of(source: Source, part: Part, field: str, text: str) -> bytes:
    """A benefit where there always is one."""
    pool = pool_of(source, part, field, text)
    if not pool:
        raise source.error(part, f"{field}: no benefit")
    return pool


def person_of(source: Source, card: PersonCard) -> tables.Card:
    """A Tribe card for the rules."""
    abilities = _people(source, card)
    return tables.Card(card.id, card.title, int(2 * card.labor), card.points, 0, abilities)


def _people(source: Source, card: PersonCard) -> list[Ability]:
    abilities = [ability_of(source, card, text) for text in card.abilities]
    for ability, text in zip(abilities, card.abilities, strict=True):
        if ability.where == ECLIPSE and LABOR in ability.gains[::2]:
            raise source.error(card, f'ability "{text}": no Labor is gained in the Eclipse phase')
    if sum(ability.where == ECLIPSE for ability in abilities) > 1:
        raise source.error(card, "abilities: more than one for the Eclipse phase")
    return abilities


def animal_of(source: Source, entry: AnimalType, *, apart: bool = False) -> tables.Animal:
    """An Animal; `apart`: in the box until a module brings it into play."""
    tip = benefit_of(source, entry, "tip", entry.tip)
    return tables.Animal(
        entry.id, entry.title, entry.copies, list(entry.sets), entry.wild, tip, apart
    )
