#!/usr/bin/env python3
"""The walk-through of the GPU scheduling lesson: its commands, the lines that it prints, and what its prose says.

usage: seed_test.py --binary PATH [--corpus FOLDER] [NAME]

NAME chooses the commands whose name contains it. The corpus is FOLDER, else $GPUSCHED_CONFORMANCE_DIR/seed, else
../shared/conformance/seed beside the project, else the copy in tests/conformance/data/seed. Its files:

  commands.tsv        name, command line, exit code, where the lesson says so
  fixtures/           what the command lines read
  golden/NAME.must    whole lines that must be printed, in this order; others may stand between them
  golden/NAME.facts   regular expressions that must match somewhere; with a leading "!": nowhere

The lesson's text has lost its runs of blanks, so every run counts as one blank. Commands of a subcommand that the
binary does not have are skipped and counted.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 60

# A pod, its claim and the slices that the program itself publishes for the model: the walk's last step.
OWN_SLICES_MODEL = "fixtures/kind/kind-model.json"
OWN_SLICES_COMMAND = ("k8s --nodes fixtures/kind/nodes.json --pod fixtures/kind/dra.json --objects fixtures/kind/dra-objects.json "
                      "--objects fixtures/kind/claims.json --objects").split()
OWN_SLICES_LINE = "claim gpu/pair -> cc-lab-control-plane/gpu-0, cc-lab-control-plane/gpu-2"


@dataclass
class Answer:
    code: int
    stdout: str
    stderr: str

    def lines(self):
        return squeeze(self.stdout)


@dataclass
class Row:
    name: str
    words: list
    code: int

    @property
    def subcommand(self):
        return self.words[0]


def squeeze(text):
    """The lines with every run of blanks turned into one and the ends cut."""
    return [" ".join(line.split()) for line in text.splitlines()]


def find_corpus(chosen):
    candidates = [Path(chosen)] if chosen else []
    if not chosen:
        if folder := os.environ.get("GPUSCHED_CONFORMANCE_DIR"):
            candidates.append(Path(folder) / "seed")
        candidates += [PROJECT.parent / "shared" / "conformance" / "seed", PROJECT / "tests" / "conformance" / "data" / "seed"]
    for candidate in candidates:
        if (candidate / "commands.tsv").is_file():
            return candidate.resolve()
    sys.exit(f"seed: no commands.tsv in {', '.join(map(str, candidates))}")


def read_rows(corpus):
    rows = []
    for line in (corpus / "commands.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        name, command, code, _ = line.split("\t")
        words = shlex.split(command)
        if words[0] != "gpusched":
            sys.exit(f"seed: {name}: not a command line of gpusched: {command}")
        rows.append(Row(name, words[1:], int(code)))
    return rows


class Program:
    def __init__(self, binary, corpus):
        self.binary = str(Path(binary).resolve())
        self.corpus = corpus

    def run(self, words):
        try:
            done = subprocess.run([self.binary, *words], cwd=self.corpus, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=TIMEOUT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return Answer(124, "", f"no answer within {TIMEOUT_SECONDS} s")
        return Answer(done.returncode, done.stdout, done.stderr)

    def subcommands(self):
        """The names that `gpusched --help` lists under "Commands:"."""
        names, listed = set(), False
        for line in self.run(["--help"]).stdout.splitlines():
            if not line.startswith(" "):
                listed = line == "Commands:"
            elif listed and (found := re.match(r" {2}(\S+)", line)):
                names.add(found[1])
        return names


def first_missing(wanted, lines):
    """The first wanted line that does not come after the ones before it; None when all do."""
    rest = iter(lines)
    return next((line for line in wanted if line not in rest), None)


def problems_of(row, answer, corpus):
    def expected(suffix):
        path = corpus / "golden" / (row.name + suffix)
        return path.read_text(encoding="utf-8") if path.exists() else ""

    problems = []
    if answer.code != row.code:
        problems.append(f"exit code {answer.code}, expected {row.code}")
    missing = first_missing(squeeze(expected(".must")), answer.lines())
    if missing is not None:
        problems.append(f"no line {missing!r} (or not in this place)")
    text = "\n".join(answer.lines())
    for fact in expected(".facts").splitlines():
        absent = fact.startswith("!")
        if (re.search(fact.removeprefix("!"), text, re.MULTILINE) is None) != absent:
            problems.append(f"{'there is' if absent else 'nothing matches'} {fact.removeprefix('!')!r}")
    return problems


def own_slices_problems(program):
    with tempfile.TemporaryDirectory(prefix="gpusched-seed-") as folder:
        slices = Path(folder) / "slices.json"
        slices.write_text(program.run(["slices", OWN_SLICES_MODEL]).stdout, encoding="utf-8")
        answer = program.run([*OWN_SLICES_COMMAND, str(slices)])
    problems = [] if answer.code == 0 else [f"exit code {answer.code}, expected 0"]
    return problems + ([] if OWN_SLICES_LINE in answer.lines() else [f"no line {OWN_SLICES_LINE!r}"]), answer


class Tally:
    """Cases by subcommand, in the order of the corpus."""

    def __init__(self):
        self.families = {}

    def count(self, family, result):
        self.families.setdefault(family, {"equal": 0, "failed": 0, "skipped": 0})[result] += 1

    def check(self, family, name, command, problems, answer):
        self.count(family, "failed" if problems else "equal")
        if problems:
            print(f"FAILED {name}: gpusched {shlex.join(command)}")
            print("".join(f"  {problem}\n" for problem in problems) + answer.stdout + answer.stderr)

    def failed(self):
        return sum(family["failed"] for family in self.families.values())

    def report(self):
        for name, family in self.families.items():
            if tried := family["equal"] + family["failed"]:
                print(f"{name}: {family['equal']} of {tried} equal")
            if family["skipped"]:
                print(f"{name}: {family['skipped']} skipped, the program has no such command")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--corpus")
    parser.add_argument("name", nargs="?", default="")
    options = parser.parse_args()

    corpus = find_corpus(options.corpus)
    program = Program(options.binary, corpus)
    commands = program.subcommands()
    if not commands:
        sys.exit(f"seed: {options.binary} --help lists no commands")
    tally = Tally()
    for row in read_rows(corpus):
        if options.name not in row.name:
            continue
        if row.subcommand not in commands:
            tally.count(row.subcommand, "skipped")
            continue
        answer = program.run(row.words)
        tally.check(row.subcommand, row.name, row.words, problems_of(row, answer, corpus), answer)
    if {"slices", "k8s"} <= commands and options.name in "own-slices":
        problems, answer = own_slices_problems(program)
        tally.check("slices into k8s", "own-slices", [*OWN_SLICES_COMMAND, "SLICES"], problems, answer)
    tally.report()
    return 1 if tally.failed() else 0


if __name__ == "__main__":
    sys.exit(main())
