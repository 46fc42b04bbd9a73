#!/usr/bin/env python3
"""Runs the commands of README.md and docs/ and compares what they print with what the documents say.

usage: docs_test.py --binary PATH [--update] [--root PROJECT_ROOT] [--exact] [NAME]

NAME chooses the documents whose name contains it; --exact: is it. --update writes what the program prints now. A document is
named docs/<its path without .md>: docs/README, docs/formats/cluster, docs/HACKING.
The rules for ```console blocks are in docs/HACKING.md. Relative links of a document must lead to a file, too.
"""

import argparse
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from shell import Sandbox, difference

FENCE = re.compile(r"^( *)```(.*)$")
EXIT = re.compile(r"\s# exit (\d+)$")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
SKIPPED = {".git", ".cache", "build"}


@dataclass
class Step:
    """One command of a block. first and last: its output is lines[first:last] of the document."""
    command: str
    line: int
    first: int
    last: int
    indent: str


@dataclass
class Document:
    path: Path
    name: str
    lines: list

    def blocks(self):
        """The ```console blocks as lists of Steps."""
        number = 0
        while number < len(self.lines):
            fence = FENCE.match(self.lines[number])
            number += 1
            if not fence:
                continue
            start = number
            while number < len(self.lines) and self.lines[number].strip() != "```":
                number += 1
            if fence[2].strip() == "console":
                yield self.steps(start, number, fence[1])
            number += 1

    def steps(self, start, end, indent):
        steps = []
        number = start
        while number < end:
            text = self.text(number, indent)
            if not text.startswith("$ "):
                if not steps:
                    raise SystemExit(f"{self.path}:{number + 1}: a console block starts with a command, '$ ...'")
                number += 1
                steps[-1].last = number
                continue
            line, command = number + 1, text[2:]
            number += 1
            while command.endswith("\\") and number < end:
                command = f"{command}\n{self.text(number, indent)}"
                number += 1
            steps.append(Step(command, line, number, number, indent))
        return steps

    def text(self, number, indent):
        return self.lines[number].removeprefix(indent)

    def output(self, step):
        return [self.text(number, step.indent).rstrip() for number in range(step.first, step.last)]


def matches(expected, actual):
    """Whether the lines agree, where an expected line `...` stands for any number of lines."""
    parts = [[]]
    for line in expected:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return expected == actual
    first, *middle, last = parts
    end = len(actual) - len(last)
    if actual[:len(first)] != first or actual[end:] != last or end < len(first):
        return False
    start = len(first)
    for part in middle:
        while start + len(part) <= end and actual[start:start + len(part)] != part:
            start += 1
        start += len(part)
    return start <= end


def view_of(root, folder):
    """A folder that looks like the project's root, where a command may write without touching the project."""
    view = folder / "project"
    view.mkdir()
    for path in root.iterdir():
        if path.name == "fixtures":
            shutil.copytree(path, view / path.name)
        elif path.name not in SKIPPED:
            (view / path.name).symlink_to(path)
    return view


def run_document(document, root, binary):
    """(step, its output lines, what is wrong or "") for every command, in order."""
    results = []
    with Sandbox(binary) as sandbox:
        cwd = view_of(root, sandbox.tmp.parent)
        for steps in document.blocks():
            last_exit = 0
            for index, step in enumerate(steps):
                answer = sandbox.run(step.command, cwd, merge=True, last_exit=last_exit)
                last_exit = answer.exit
                actual = [line.rstrip() for line in answer.stdout.decode("utf-8", "backslashreplace").splitlines()]
                wrong = ""
                if not matches(document.output(step), actual):
                    wrong = compare_text(document.output(step), actual)
                next_command = steps[index + 1].command if index + 1 < len(steps) else ""
                if next_command.strip() != "echo $?":  # that prints the exit code itself
                    wrong += compare_exit(step.command, answer.exit)
                results.append((step, actual, wrong))
    return results


def compare_text(expected, actual):
    join = "".join(line + "\n" for line in expected), "".join(line + "\n" for line in actual)
    return difference(join[0].encode(), join[1].encode(), "output")


def compare_exit(command, actual):
    comment = EXIT.search(command)
    expected = int(comment[1]) if comment else 0
    return "" if actual == expected else f"exit code {actual}, expected {expected}\n"


def dead_links(document):
    for number, line in enumerate(document.lines, start=1):
        for target in LINK.findall(line):
            if "://" not in target and not target.startswith("mailto:") and not (document.path.parent / target).exists():
                yield f"{document.path.name}:{number}: the link {target} leads nowhere\n"


def check(documents, root, binary):
    """Prints every difference; the number of documents that failed."""
    failed = commands = 0
    for document in documents:
        report = "".join(dead_links(document))
        for step, _, wrong in run_document(document, root, binary):
            commands += 1
            if wrong:
                report += f"line {step.line}: $ {step.command}\n{wrong}"
        if report:
            failed += 1
            print(f"FAILED {document.name}\n{report}")
    print(f"docs: {len(documents) - failed} of {len(documents)} documents as expected, {commands} commands")
    return failed


def update(documents, root, binary):
    """Rewrites the outputs that differ. Outputs with `...` and exit codes are left for a person."""
    for document in documents:
        lines = list(document.lines)
        for step, actual, wrong in reversed(run_document(document, root, binary)):
            if not wrong:
                continue
            if "..." in document.output(step) or "exit code" in wrong:
                print(f"{document.name} line {step.line}: edit by hand: $ {step.command}\n{wrong}")
            if "..." not in document.output(step):
                lines[step.first:step.last] = [(step.indent + line).rstrip() for line in actual]
        if lines != document.lines:
            document.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            print(f"updated {document.name}")


def find_documents(root, name, exact):
    documents = []
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        relative = path.relative_to(root).with_suffix("").as_posix()
        title = relative if relative.startswith("docs/") else f"docs/{relative}"
        if path.exists() and (title == name if exact else name in title):
            documents.append(Document(path, title, path.read_text(encoding="utf-8").splitlines()))
    return documents


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    parser.add_argument("name", nargs="?", default="")
    options = parser.parse_args()

    root = options.root.resolve()
    documents = find_documents(root, options.name, options.exact)
    if not documents and options.exact:
        sys.exit(f"docs: no document {options.name}")
    if options.update:
        update(documents, root, options.binary)
        return 0
    return 1 if check(documents, root, options.binary) else 0


if __name__ == "__main__":
    sys.exit(main())
