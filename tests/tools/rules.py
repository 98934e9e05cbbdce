"""Compares the rule list with the tests and mutations that name its ids (`make rules`).

Fails on ids that the list does not know, on marks and mutations that cannot be read, and,
for families that docs/rules.md calls finished, on ids without a test or without a mutation.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if not __package__:  # started by its path
    sys.path.insert(0, str(ROOT))

from tests.tools import marks, mutations, renew, rulebook  # noqa: E402 - needs the path above


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(description="rule ids: covered, missing, unknown")
    parser.add_argument("--root", type=Path, default=ROOT, help="the project to look at")
    root: Path = parser.parse_args(argv).root.resolve()

    try:
        families = rulebook.load_families(root / "docs" / "rules.md")
    except rulebook.RulebookError as error:
        print(error)
        print("rules: FAILED: the rule list cannot be read")
        return 1
    problems, tested, mutated = _named(root)

    known = {rule for family in families for rule in family.ids}
    for rule, where in sorted((tested | mutated).items()):
        if rule not in known:
            problems.append(f"{where}: {rule} is not in docs/rules.md")

    _print_table(families, set(tested), set(mutated))
    owed = _print_missing("tests", families, set(tested))
    owed += _print_missing("mutations", families, set(mutated))
    if problems:
        print("\nproblems:")
        for problem in problems:
            print(f"  {problem}")
    print()
    covered = len(known & set(tested))
    summary = f"{covered} of {len(known)} ids have a test, {len(known & set(mutated))} a mutation"
    if problems or owed:
        print(
            f"rules: FAILED: {summary}; {len(problems)} problems, {owed} gaps in finished families"
        )
        return 1
    print(f"rules: ok: {summary}; nothing unknown, no gap in a finished family")
    return 0


def _named(root: Path) -> tuple[list[str], dict[str, str], dict[str, str]]:
    """Problems, and the ids named by tests and by mutations, each with its first place."""
    found = marks.scan(root)
    problems = list(found.problems)
    tested: dict[str, str] = {}
    for marked in found.tests:
        tested.setdefault(marked.rule, marked.node_id)
    mutated: dict[str, str] = {}
    try:
        every = mutations.load_mutations(root)
    except mutations.MutationError as error:
        problems.append(str(error))
        every = []
    proofs = Counter(mutation.rule for mutation in every)
    for mutation in every:
        mutated.setdefault(mutation.rule, f"{mutation.source}: '{mutation.name}'")
        if (lost := renew.lost(mutation, root)) is not None:
            problems.append(lost.explain(proofs[mutation.rule]).replace("\n", "\n  "))
    return problems, tested, mutated


def _print_table(families: list[rulebook.Family], tested: set[str], mutated: set[str]) -> None:
    print(f"{'family':<8}{'status':<11}{'rules':>5}{'tested':>8}{'mutated':>9}  title")
    for family in families:
        ids = set(family.ids)
        print(
            f"{family.name:<8}{family.status:<11}{len(ids):>5}{len(ids & tested):>8}"
            f"{len(ids & mutated):>9}  {family.title}"
        )


def _print_missing(what: str, families: list[rulebook.Family], named: set[str]) -> int:
    """Lists the ids that nothing names; returns how many of them are owed."""
    owed = 0
    lines = []
    for family in families:
        missing = [rule for rule in family.ids if rule not in named]
        if not missing or family.status == rulebook.NOT_BUILT:
            continue
        if family.status == rulebook.FINISHED:
            owed += len(missing)
        none = len(missing) == len(family.ids)
        ids = f"all {len(missing)}" if none else " ".join(missing)
        lines.append(f"  {family.name} ({family.status}): {ids}")
    if lines:
        print(f"\nmissing {what}:", *lines, sep="\n")
    return owed


if __name__ == "__main__":
    sys.exit(main())
