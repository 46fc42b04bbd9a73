#!/usr/bin/env python3
"""Check that includes follow the arrows between the rooms, and that the pure rooms stay pure.

usage: scripts/check_layers.py [PROJECT_ROOT]

A room is a folder of src/ and include/gpusched/. Prints one line `file:line: what` per violation and exits with 1 if
there is one; long files are only warned about.
"""

import re
import sys
from pathlib import Path

# room -> the rooms that it may include. An arrow gives everything behind it too.
ARROWS = {
    "base": "",
    "objects": "base",
    "model": "base",
    "cel": "base",
    "topology": "model",
    "mig": "model",
    "scoring": "model",
    "frag": "topology mig",
    "placement": "topology mig scoring frag",
    "dra": "objects model mig cel",
    "kubescheduler": "objects scoring dra",
    "kueue": "objects model",
    "gang": "placement kueue kubescheduler",
    "chain": "objects kueue mig",
    "whatif": "placement frag dra kubescheduler",
    "explain": "whatif kubescheduler dra kueue",
    "io": "objects mig",
    "check": "io",
    "report": "check topology mig scoring frag placement dra kubescheduler kueue gang chain whatif explain",
    "render": "report",
    "cli": "render io",
}

# These meet the world; in all others the same input gives the same answer.
IMPURE_ROOMS = {"io", "report", "render", "cli"}

# header (regular expression) -> (rooms that may include it, why the others may not)
HEADER_RULES = [
    (r"CLI/", {"cli"}, "CLI11 belongs to cli"),
    (r"nlohmann/", {"io", "report", "render"}, "nlohmann_json belongs to io, report and render"),
    (r"simdjson", {"io"}, "simdjson belongs to io"),
    (r"yaml-cpp/", {"io"}, "yaml-cpp belongs to io"),
    (r"(zlib|zstd)\.h$", {"io"}, "decompression belongs to io"),
    (r"range/v3/all\.hpp$", set(), "include the narrow range/v3 headers: the whole library costs seconds per file"),
    (r"(iostream|fstream|sstream|istream|ostream|iomanip|syncstream|fmt/ostream\.h|fmt/os\.h)$", IMPURE_ROOMS,
     "no streams in a pure room"),
    (r"(filesystem|unistd\.h|sys/.*|fcntl\.h|dirent\.h)$", IMPURE_ROOMS, "no file system in a pure room"),
    (r"(locale|clocale|locale\.h)$", IMPURE_ROOMS, "no locale in a pure room"),
    (r"(ctime|time\.h)$", IMPURE_ROOMS, "no clock in a pure room: time arrives as a parameter"),
    (r"(thread|future)$", IMPURE_ROOMS, "no threads in a pure room"),
]

# code (regular expression) -> (rooms that may use it, why the others may not)
TOKEN_RULES = [
    (r"\b(system_clock|steady_clock|high_resolution_clock|utc_clock|clock_gettime|gettimeofday)\b", IMPURE_ROOMS,
     "no clock in a pure room: time arrives as a parameter"),
    (r"\b(getenv|secure_getenv|setenv)\b", IMPURE_ROOMS, "no environment in a pure room"),
    (r"\b(setlocale|std::locale)\b", IMPURE_ROOMS, "no locale in a pure room"),
    (r"(?<![\w.>])(std::)?(printf|fprintf|puts|fputs|fopen|fwrite|fread)\s*\(|\bfmt::print(ln)?\s*\(", IMPURE_ROOMS,
     "no output in a pure room"),
    (r"\b(std::shuffle|std::sample|std::random_device|std::\w+_distribution)\b", set(),
     "standard libraries differ here: use base/rng"),
]

CLI11_FILES = 2
LONG_FILE = 450
SUFFIXES = {".cpp", ".hpp"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# A comment, a raw string, a string or a character; a ' between digits is none of them.
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\\\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL)


def reachable_rooms(arrows):
    """Every room with all rooms that it may include, itself among them."""
    closed = {}

    def visit(room, path):
        if room in path:
            raise ValueError("the arrows form a circle: " + " <- ".join([*path, room]))
        if room not in closed:
            closed[room] = {room}.union(*(visit(target, [*path, room]) for target in arrows[room].split()))
        return closed[room]

    for name in arrows:
        visit(name, [])
    return closed


def without_comments_and_strings(text):
    """The same lines with every comment, string and character blanked."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def includes_of(text):
    """(line number, quote, path) of every include that is not commented out."""
    code = without_comments_and_strings(text).splitlines()
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match and code[number - 1].lstrip().startswith("#"):
            yield number, match[1], match[2]


class Checker:
    def __init__(self, root):
        self.root = root
        self.allowed = reachable_rooms(ARROWS)
        self.violations = []
        self.warnings = []
        self.cli11_includes = {}  # file -> line of its first include
        self.files = 0

    def run(self):
        for path in self.sources("include/gpusched"):
            self.check_file(path, self.room_of(path, "include/gpusched"), public=True)
        for path in self.sources("src"):
            self.check_file(path, self.room_of(path, "src"), public=False)
        for path in self.sources("tests"):
            self.check_outside_rooms(path)
        for path, line in list(self.cli11_includes.items())[CLI11_FILES:]:
            self.violation(path, line, f"CLI11 is slow to compile: at most {CLI11_FILES} files of cli include it")

    def sources(self, folder):
        return sorted(path for path in (self.root / folder).rglob("*") if path.suffix in SUFFIXES)

    def room_of(self, path, folder):
        parts = path.relative_to(self.root / folder).parts
        return parts[0] if len(parts) > 1 else ""

    def violation(self, path, line, text):
        self.violations.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def read(self, path):
        self.files += 1
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > LONG_FILE:
            self.warnings.append(f"{path.relative_to(self.root)}: {lines} lines; a file has one subject")
        return text

    def check_file(self, path, room, public):
        text = self.read(path)
        if room not in ARROWS:
            self.violation(path, 1, f"'{room}' is not a room; the table is in scripts/check_layers.py")
            return
        for line, quote, target in includes_of(text):
            self.check_header_rules(path, line, room, target)
            if quote == '"':
                self.check_own_include(path, line, room, target, public)
            elif target.startswith("gpusched/"):
                self.violation(path, line, f"<{target}>: our own headers are included with quotes")
        for line, code in enumerate(without_comments_and_strings(text).splitlines(), start=1):
            for pattern, rooms, why in TOKEN_RULES:
                if room not in rooms and re.search(pattern, code):
                    self.violation(path, line, why)

    def check_header_rules(self, path, line, room, target):
        for pattern, rooms, why in HEADER_RULES:
            if re.match(pattern, target):
                if room not in rooms:
                    self.violation(path, line, f"<{target}>: {why}")
        if target.startswith("CLI/"):
            self.cli11_includes.setdefault(path, line)

    def check_own_include(self, path, line, room, target, public):
        parts = target.split("/")
        if parts[0] == "gpusched" and len(parts) > 2:
            other, is_public = parts[1], True
        elif parts[0] in ARROWS and len(parts) > 1:
            other, is_public = parts[0], False
        else:
            self.violation(path, line, f'"{target}": write the path from src/, or gpusched/<room>/...')
            return
        if other not in ARROWS:
            self.violation(path, line, f'"{target}": \'{other}\' is not a room')
        elif other not in self.allowed[room]:
            self.violation(path, line, f'"{target}": {room} may not include {other}')
        elif public and not is_public:
            self.violation(path, line, f'"{target}": a public header cannot include a private one')
        elif not is_public and other != room:
            self.violation(path, line, f'"{target}": private to {other}; include its public header')

    def check_outside_rooms(self, path):
        for line, _, target in includes_of(self.read(path)):
            if re.match(r"range/v3/all\.hpp$", target):
                self.check_header_rules(path, line, "tests", target)


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    checker = Checker(root)
    checker.run()
    for text in checker.warnings:
        print(f"warning: {text}")
    for text in checker.violations:
        print(text)
    if checker.violations:
        print(f"layers: {len(checker.violations)} violations in {checker.files} files")
        return 1
    print(f"layers: {checker.files} files follow the arrows")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
