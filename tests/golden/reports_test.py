#!/usr/bin/env python3
"""Asks the questions of the golden cases again with --report, and holds the reports against the answer.

usage: reports_test.py --binary PATH [--root PROJECT_ROOT] [NAME]

NAME chooses the cases whose <command>/<case> contains it. For every question of every command:
- JUnit has a failure, and SARIF a result at level error, exactly when the exit code is 1; both have neither with 0; with 3 JUnit has
  an error and no failure;
- what is printed and the exit code do not depend on --report.
"""

import argparse
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from run_golden import find_cases
from shell import Sandbox

COMMANDS = ("chain", "check", "dra", "frag", "gang", "k8s", "place")
REFUSED = b"this answer cannot be written as"
# What has no test cases: the explanation of a message, and lists of Kubernetes objects.
WITHOUT_CASES = re.compile(r"gpusched (k8s .*--message|chain .*--list|chain .*--emit)", re.DOTALL)


def is_one_question(case):
    """A single command that answers, and has no --report of its own."""
    command = (case.folder / "cmd").read_text(encoding="utf-8").strip()
    return (command.split()[0] == "gpusched" and command.split()[1:2] and command.split()[1] in COMMANDS
            and not re.search(r"[|;&<>`]|\$\(|--report|--help|--update| -h\b", command)
            and case.expected().exit in (0, 1, 3))


def levels(folder):
    """How many failures and errors JUnit has, and how many errors SARIF."""
    junit = ElementTree.parse(folder / "answer.xml").getroot()
    sarif = json.loads((folder / "answer.sarif").read_text(encoding="utf-8"))
    return (len(list(junit.iter("failure"))), len(list(junit.iter("error"))),
            sum(result["level"] == "error" for result in sarif["runs"][0]["results"]))


def problems(case, binary):
    command = (case.folder / "cmd").read_text(encoding="utf-8").strip()
    variables = {"CASE": str(case.folder.relative_to(case.root))}
    expected = case.expected()
    with Sandbox(binary) as sandbox:
        def ask(reports):
            return sandbox.run(f"{command} {reports}", case.root, **variables)

        answer = ask("--report html=$TMP/a.html --report junit=$TMP/answer.xml --report sarif=$TMP/answer.sarif")
        if REFUSED in answer.stderr:
            if not WITHOUT_CASES.match(command):
                yield "has no test cases"
            answer = ask("--report html=$TMP/a.html")
        else:
            failures, errors, sarif_errors = levels(sandbox.tmp)
            if (failures > 0) != (answer.exit == 1) or (sarif_errors > 0) != (answer.exit == 1):
                yield f"exit code {answer.exit}, {failures} failures in JUnit, {sarif_errors} errors in SARIF"
            if answer.exit != 1 and (errors > 0) != (answer.exit == 3):
                yield f"exit code {answer.exit}, {errors} undecided test cases"
        if answer.exit != expected.exit:
            yield f"exit code {answer.exit}, {expected.exit} without --report"
        if answer.stdout != expected.stdout:
            yield "prints something else than without --report"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    parser.add_argument("name", nargs="?", default="")
    options = parser.parse_args()

    cases = [case for case in find_cases(options.root.resolve(), options.name, exact=False) if is_one_question(case)]
    failed = 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for case, found in zip(cases, pool.map(lambda case: list(problems(case, options.binary)), cases)):
            failed += bool(found)
            for problem in found:
                print(f"FAILED {case.name}: {problem}")
    print(f"reports: {len(cases) - failed} of {len(cases)} answers agree with their reports")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
