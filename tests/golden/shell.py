"""Runs one command line the way a golden test sees it: the built binary, a scrubbed environment, a folder of its own."""

import difflib
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_SECONDS = 60

# The only variables of the caller that reach the program: what the sanitizers are told.
PASSED_ON = ("ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")


@dataclass
class Answer:
    stdout: bytes
    stderr: bytes
    exit: int


class Sandbox:
    """A temporary folder with `gpusched` on the PATH; commands see the folder as $TMP and as their home.

    `with Sandbox(binary) as sandbox: sandbox.run("gpusched --version", cwd)`
    """

    def __init__(self, binary):
        self.binary = Path(binary).resolve()
        if not os.access(self.binary, os.X_OK):
            raise SystemExit(f"{binary}: no such program; build it first")

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gpusched-golden-")
        root = Path(self.folder.name).resolve()
        self.tmp = root / "tmp"
        self.tmp.mkdir()
        (root / "bin").mkdir()
        (root / "bin" / "gpusched").symlink_to(self.binary)
        self.environment = {
            "PATH": f"{root}/bin:/usr/bin:/bin",
            "HOME": str(self.tmp),
            "TMP": str(self.tmp),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "NO_COLOR": "1",
            **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
        }
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, command, cwd, *, merge=False, last_exit=0, **variables):
        """The Answer to a bash command line; its own folder is printed as $TMP. merge: stderr goes to stdout."""
        # A pipe fails when any part of it fails, or a crash in front of `| head` would go unseen.
        script = f"set -o pipefail\n(exit {last_exit})\n{command}\n"
        try:
            done = subprocess.run(["bash", "-c", script], cwd=cwd, env={**self.environment, **variables},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT if merge else subprocess.PIPE,
                                  timeout=TIMEOUT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return Answer(b"", f"no answer within {TIMEOUT_SECONDS} s\n".encode(), 124)
        return Answer(self.hide_folder(done.stdout), self.hide_folder(done.stderr or b""), done.returncode)

    def hide_folder(self, text):
        return text.replace(str(self.tmp).encode(), b"$TMP")


def lines_of(text):
    return text.decode("utf-8", errors="backslashreplace").splitlines(keepends=True)


def difference(expected, actual, name):
    """A unified diff of two byte strings, "" when they are equal."""
    lines = []
    for line in difflib.unified_diff(lines_of(expected), lines_of(actual), f"{name} (expected)", f"{name} (now)"):
        lines.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(lines)
