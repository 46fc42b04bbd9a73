#!/usr/bin/env python3
"""Every manual page is clean roff (mandoc's lint), and says what --help says: every option, every example."""

import argparse
import re
import shutil
import subprocess
import sys


def output(binary, *words):
    return subprocess.run([binary, *words], check=True, capture_output=True, text=True).stdout


def problems_of(page, text, help_text):
    linted = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=text, capture_output=True, text=True)
    # There is no date in the page: it would change with every build.
    found = [f"{page}: {line}" for line in linted.stdout.splitlines() if "missing date" not in line]
    shown = subprocess.run(["mandoc", "-T", "utf8"], input=text, capture_output=True, text=True).stdout
    shown = re.sub(r".\x08", "", shown)
    for option in re.findall(r"^  (?:-\w, |    )(--[\w-]+)", help_text, re.M):
        if option not in shown:
            found.append(f"{page}: does not have {option}")
    joined = re.sub(r"\s+", " ", shown)
    for example in re.findall(r"^  (gpusched .*)$", help_text, re.M):
        if re.sub(r"\s+", " ", example) not in joined:
            found.append(f"{page}: does not show {example}")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = parser.parse_args().binary
    if shutil.which("mandoc") is None:
        print("mandoc is not installed")
        return 1
    names = [line.split("\t")[0] for line in output(binary, "__complete", "").splitlines()]
    commands = [name for name in names if not name.startswith(":") and name != "help"]
    problems = problems_of("gpusched", output(binary, "man"), "")
    for command in commands:
        problems += problems_of(f"gpusched-{command}", output(binary, "man", command), output(binary, command, "--help"))
    for problem in problems:
        print(problem)
    print(f"{len(commands) + 1} pages, {len(problems)} problems")
    return 1 if problems or len(commands) < 7 else 0


if __name__ == "__main__":
    sys.exit(main())
