#!/usr/bin/env python3
"""Runs the golden cases: folders tests/golden/<command>/<case>/ that hold a command line and what it must print.

usage: run_golden.py --binary PATH [--update] [--root PROJECT_ROOT] [--exact] [NAME]

NAME chooses the cases whose <command>/<case> contains it; --exact: is it. --update writes what the program prints now.
Files of a case: cmd, and stdout, stderr (missing means empty), exit (missing means 0); see tests/golden/README.md.
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from shell import Answer, Sandbox, difference


class Case:
    def __init__(self, folder, root):
        self.folder = folder
        self.root = root
        self.name = f"{folder.parent.name}/{folder.name}"

    def expected(self):
        return Answer(self.read("stdout"), self.read("stderr"), int(self.read("exit") or 0))

    def read(self, name):
        path = self.folder / name
        return path.read_bytes() if path.exists() else b""

    def write(self, name, content):
        path = self.folder / name
        if content:
            path.write_bytes(content)
        else:
            path.unlink(missing_ok=True)

    def answer(self, binary):
        command = (self.folder / "cmd").read_text(encoding="utf-8")
        with Sandbox(binary) as sandbox:
            return sandbox.run(command, self.root, CASE=str(self.folder.relative_to(self.root)))

    def compare(self, binary):
        """What differs from the expected answer, "" if nothing does."""
        expected, actual = self.expected(), self.answer(binary)
        report = difference(expected.stdout, actual.stdout, "stdout")
        report += difference(expected.stderr, actual.stderr, "stderr")
        if expected.exit != actual.exit:
            report += f"exit code {actual.exit}, expected {expected.exit}\n"
        return report

    def update(self, binary):
        """Writes what the program answers now; tells whether that is new."""
        expected, actual = self.expected(), self.answer(binary)
        if expected == actual:
            return False
        self.write("stdout", actual.stdout)
        self.write("stderr", actual.stderr)
        self.write("exit", f"{actual.exit}\n".encode() if actual.exit else b"")
        return True


def find_cases(root, name, exact):
    cases = [Case(path.parent, root) for path in sorted((root / "tests" / "golden").glob("*/*/cmd"))]
    return [case for case in cases if (case.name == name if exact else name in case.name)]


def run(cases, binary):
    """Prints every difference; the number of cases that failed."""
    failed = 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for case, report in zip(cases, pool.map(lambda case: case.compare(binary), cases)):
            if report:
                failed += 1
                print(f"FAILED {case.name}\n{(case.folder / 'cmd').read_text(encoding='utf-8')}{report}")
    print(f"golden: {len(cases) - failed} of {len(cases)} cases as expected")
    return failed


def update(cases, binary):
    written = 0
    for case in cases:
        if case.update(binary):
            written += 1
            print(f"updated {case.name}")
    print(f"golden: {written} of {len(cases)} cases updated")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    parser.add_argument("name", nargs="?", default="")
    options = parser.parse_args()

    cases = find_cases(options.root.resolve(), options.name, options.exact)
    if not cases and options.exact:
        sys.exit(f"golden: no case {options.name}")
    if options.update:
        update(cases, options.binary)
        return 0
    return 1 if run(cases, options.binary) else 0


if __name__ == "__main__":
    sys.exit(main())
