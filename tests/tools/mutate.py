"""Proves that the tests of a rule notice when the rule is broken, by breaking it.

Each mutation of tests/mutations/*.toml is applied to a copy of the project, and the tests that
name its rule are run there. Killed: at least one of them failed. Survived: they passed all
the same. Broken: the mutation proves nothing, because what it leaves behind is no program or
because no green test names its rule. A run without end counts as killed and is reported.

A mutation whose quoted source has changed no longer applies. `--renew` carries it over to the
nearest lines, sees that it is killed there, and writes it down; what it cannot decide it shows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

ROOT = Path(__file__).resolve().parents[2]
if not __package__:  # started by its path
    sys.path.insert(0, str(ROOT))

from tests.tools import forked, marks, mutations, renew  # noqa: E402 - needs the path above

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.tools.marks import Marked
    from tests.tools.mutations import Mutation

BASELINE_TIMEOUT = 1800.0
_LOG_LINES = 12


@dataclass(frozen=True)
class Verdict:
    """How one mutation ended."""

    outcome: str
    """killed, timeout, survived or broken."""
    reason: str
    seconds: float = 0.0
    log: str = ""


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    options = _options(argv)
    root: Path = options.root.resolve()
    try:
        every = mutations.load_mutations(root)
    except mutations.MutationError as error:
        print(error)
        print("mutate: FAILED: the mutations cannot be used")
        return 1
    signal.signal(signal.SIGTERM, _stop)
    if options.renew is not None:
        return _renew(every, options)
    chosen = _chosen(every, options)
    proofs = Counter(mutation.rule for mutation in every)
    lost = [found for mutation in chosen if (found := renew.lost(mutation, root))]
    if lost:
        for one in lost:
            print(one.explain(proofs[one.mutation.rule]))
        print(f"mutate: FAILED: {len(lost)} mutations no longer apply")
        return 1
    if options.list:
        for mutation in chosen:
            print(f"{mutation.rule}  {mutation.name}  ({mutation.file})")
        print(f"mutate: {len(chosen)} mutations listed, none run")
        return 0
    if not chosen:
        named = options.rule or options.family
        print("mutate: FAILED: no such mutation" if named else "mutate: ok: no mutations to run")
        return 1 if named else 0

    started = time.monotonic()
    verdicts = _verdicts(chosen, options)
    counts = Counter(verdict.outcome for verdict in verdicts)
    bad = counts["survived"] + counts["broken"]
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in ("survived", "broken", "timeout"))
    seed = "" if options.sample is None else f" (sample of seed {options.seed})"
    print(
        f"mutate: {'FAILED' if bad else 'ok'}: {counts['killed'] + counts['timeout']} of"
        f" {len(verdicts)} mutations killed, {kinds}, in"
        f" {time.monotonic() - started:.1f} s{seed}"
    )
    return 1 if bad else 0


def _renew(every: list[Mutation], options: argparse.Namespace) -> int:
    """Carry mutations over to the source as it is now; returns the exit code."""
    root: Path = options.root.resolve()
    proofs = Counter(mutation.rule for mutation in every)
    asked = [m for m in every if not options.renew or m.rule in options.renew]
    lost = [found for mutation in asked if (found := renew.lost(mutation, root))]
    renewed = {one.mutation: one.renewed for one in lost if one.renewed is not None}
    verdicts = dict(
        zip(renewed, _verdicts(list(renewed.values()), options) if renewed else [], strict=True)
    )
    done = 0
    for one in lost:
        print(one.explain(proofs[one.mutation.rule]).rpartition("\n")[0])
        new, verdict = renewed.get(one.mutation), verdicts.get(one.mutation)
        if new is not None and verdict is not None and verdict.outcome == "killed":
            renew.write(root, one.mutation, new)
            done += 1
            print(f"  Renewed in {new.source}:", *renew.mistake(new), sep="\n")
            continue
        if verdict is not None:
            print(f"  Tried on these lines, the mutation {verdict.outcome}: {verdict.reason}")
        print(one.by_hand())
    left = len(lost) - done
    print(
        f"mutate: {'FAILED' if left else 'ok'}: {done} mutations renewed (read the difference),"
        f" {left} left to renew by hand"
    )
    return 1 if left else 0


def _verdicts(chosen: list[Mutation], options: argparse.Namespace) -> list[Verdict]:
    """Try the mutations, and print each verdict as it comes."""
    verdicts = []
    width = max(len(mutation.name) for mutation in chosen)
    root: Path = options.root.resolve()
    with tempfile.TemporaryDirectory(prefix="ew-mutate-") as folder:
        # A resolved folder, so that "does this file lie in the copy" is a question of names.
        session = _Session(root, Path(folder).resolve(), options.jobs, options.timeout)
        for mutation, verdict in zip(chosen, session.run(chosen), strict=True):
            verdicts.append(verdict)
            if options.quiet and verdict.outcome == "killed":
                continue
            print(
                f"{verdict.outcome:<9}{mutation.rule:<8}{mutation.name:<{width}}"
                f"{verdict.seconds:7.2f} s  {verdict.reason}".rstrip(),
                flush=True,
            )
            if verdict.log:
                print(*(f"         | {line}" for line in verdict.log.splitlines()), sep="\n")
    return verdicts


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="break each rule and see that its tests notice")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--all", action="store_true", help="every mutation")
    what.add_argument("--rule", action="append", metavar="ID", help="those of a rule (repeatable)")
    what.add_argument("--family", action="append", metavar="FAM", help="those of a family")
    what.add_argument("--sample", type=int, metavar="N", help="N of them, by --seed")
    what.add_argument(
        "--renew",
        nargs="*",
        metavar="ID",
        help="renew those whose quoted source has changed (of these rules, or all)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    parser.add_argument("--list", action="store_true", help="print the chosen ones, run nothing")
    parser.add_argument("--quiet", action="store_true", help="print no line for a killed one")
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="S",
        help="seconds for one mutation (default: 10, and 10 times what its tests take)",
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the project to mutate")
    options = parser.parse_args(argv)
    if options.jobs < 1 or (options.sample is not None and options.sample < 0):
        parser.error("--jobs must be above 0, and --sample not below")
    return options


def _chosen(every: list[Mutation], options: argparse.Namespace) -> list[Mutation]:
    if options.rule:
        return [m for m in every if m.rule in options.rule]
    if options.family:
        return [m for m in every if m.rule.split("-")[0] in options.family]
    if options.sample is not None and options.sample < len(every):
        picked = random.Random(options.seed).sample(range(len(every)), options.sample)
        return [every[n] for n in sorted(picked)]
    return every


def _stop(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(143)  # through the clean-up of children and copies


class _Session:
    """Copies of the project, and the runs on them."""

    def __init__(self, root: Path, folder: Path, jobs: int, timeout: float | None) -> None:
        self._root = root
        self._folder = folder
        self._timeout = timeout
        self._copies = [folder / f"copy{n}" for n in range(jobs)]

    def run(self, chosen: list[Mutation]) -> Iterator[Verdict]:
        """The verdict of each mutation, in their order."""
        forked.copy_tree(self._root, self._copies[0])
        named = marks.scan(self._copies[0]).tests
        forked.warm_up()
        baseline = self._baseline({m.rule for m in chosen}, named)
        for copy in self._copies[1:]:  # with the compiled files that are there by now
            shutil.copytree(self._copies[0], copy, symlinks=True)

        verdicts: dict[int, Verdict] = {}
        waiting = list(enumerate(chosen))
        running: dict[Path, _Run] = {}
        printed = 0
        try:
            while printed < len(chosen):
                for copy in self._copies:
                    if copy not in running and waiting:
                        number, mutation = waiting.pop(0)
                        begun = self._begin(number, mutation, copy, baseline, named)
                        if isinstance(begun, Verdict):
                            verdicts[number] = begun
                        else:
                            running[copy] = begun
                for copy, run in list(running.items()):
                    verdict = run.verdict()
                    if verdict is not None:
                        verdicts[run.number] = verdict
                        del running[copy]
                while printed in verdicts:
                    yield verdicts[printed]
                    printed += 1
                time.sleep(0.005)
        finally:
            for run in running.values():
                run.child.kill()

    def _baseline(self, rules: set[str], named: list[Marked]) -> forked.Report:
        """The tests of the rules on the unmutated copy."""
        files = sorted({m.file for m in named if m.rule in rules})
        if not files:
            return forked.Report()
        child = forked.start(
            self._root,
            self._copies[0],
            ["--continue-on-collection-errors", *files],
            rules,
            BASELINE_TIMEOUT,
            self._folder / "baseline",
            warm_cache=True,
        )
        try:
            while (report := child.finished()) is None:
                time.sleep(0.005)
        except BaseException:
            child.kill()
            raise
        if isinstance(report, str):
            return forked.Report(errors=[f"unmutated: {report}\n{_tail(child.log)}"])
        if report.failed or report.errors:
            print("the unmutated tree is not green:", *report.failed, *report.errors, sep="\n  ")
        return report

    def _begin(
        self,
        number: int,
        mutation: Mutation,
        copy: Path,
        baseline: forked.Report,
        named: list[Marked],
    ) -> _Run | Verdict:
        if reason := _not_provable(mutation.rule, baseline, named):
            return Verdict("broken", reason)
        tests = [test for test, rules in baseline.passed.items() if mutation.rule in rules]
        nodes = sorted({test.split("[")[0] for test in tests})
        path = copy / mutation.file
        original = path.read_bytes()
        mutated = mutation.apply(copy)
        if reason := _not_readable(path, mutated):
            return Verdict("broken", reason)
        path.write_bytes(mutated.encode())
        seconds = sum(baseline.seconds[test] for test in tests)
        child = forked.start(
            self._root,
            copy,
            ["-x", *nodes],
            {mutation.rule},
            10 + 10 * seconds if self._timeout is None else self._timeout,
            self._folder / f"run{number}",
        )
        return _Run(number, mutation, child, path, original, time.monotonic())


@dataclass(frozen=True)
class _Run:
    """A mutation that is being tried."""

    number: int
    mutation: Mutation
    child: forked.Child
    path: Path
    original: bytes
    started: float

    def verdict(self) -> Verdict | None:
        """None while it runs; afterwards the file is as it was."""
        report = self.child.finished()
        if report is None:
            return None
        self.path.write_bytes(self.original)
        outcome, reason = _judge(self.mutation, report)
        log = _tail(self.child.log) if outcome == "broken" else ""
        return Verdict(outcome, reason, time.monotonic() - self.started, log)


def _not_provable(rule: str, baseline: forked.Report, named: list[Marked]) -> str:
    """Why the tests of a rule cannot prove anything even without a mutation; empty if they can."""
    ours = [marked for marked in named if marked.rule == rule]
    if not ours:
        return "no test names the rule"
    places = {"unmutated", *(m.file for m in ours), *(m.node_id for m in ours)}
    for problem in [*baseline.failed, *baseline.errors]:
        if problem.split("[")[0].split(": ")[0] in places:
            return f"red without the mutation: {problem}"
    if baseline.escaped:
        return f"tests load {baseline.escaped[0]}, not the copy"
    if not any(rule in rules for rules in baseline.passed.values()):
        return "no test of the rule was run (skipped or left out)"
    return ""


def _judge(mutation: Mutation, report: forked.Report | str) -> tuple[str, str]:
    if report == "timeout":
        return "timeout", "the tests did not end, which counts as killed"
    if isinstance(report, str):
        return "broken", report
    if report.escaped:
        return "broken", f"tests load {report.escaped[0]}, not the copy"
    if report.errors:
        return "broken", report.errors[0]
    if report.exit_code == 1 and report.failed:
        return "killed", report.failed[0]
    if report.exit_code == 0 and report.passed:
        unseen = mutation.file.endswith(".py") and mutation.file not in report.modules
        note = f"; none of them imports {mutation.file}" if unseen else ""
        return "survived", f"{len(report.passed)} tests passed{note}"
    return "broken", f"pytest ended with exit code {report.exit_code}"


def _not_readable(path: Path, text: str) -> str:
    """Why the mutated text is no longer Python, TOML or JSON; empty if it is."""
    try:
        if path.suffix == ".py":
            compile(text, str(path), "exec", dont_inherit=True)
        elif path.suffix == ".toml":
            tomllib.loads(text)
        elif path.suffix == ".json":
            json.loads(text)
    except (SyntaxError, ValueError) as error:
        return f"the mutated file cannot be parsed: {error}"
    return ""


def _tail(log: Path) -> str:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(lines[-_LOG_LINES:])


if __name__ == "__main__":
    sys.exit(main())
