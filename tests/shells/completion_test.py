#!/usr/bin/env python3
"""Types half a command line and Tab into the real bash, zsh and fish, then lets the shell print the words it has."""

import argparse
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # CTest's word for it is SKIP_RETURN_CODE
TIMEOUT = 20.0  # seconds for one answer; only a hanging shell takes so long

# What is typed, and the words that the shell must have after Tab. One candidate fits each of them.
CASES = [
    ("gpusched pla", ["gpusched", "place"]),
    ("gpusched place --pol", ["gpusched", "place", "--policy"]),
    ("gpusched place --policy bin", ["gpusched", "place", "--policy", "binpack"]),
    ("gpusched place --policy=bin", ["gpusched", "place", "--policy=binpack"]),
    ("gpusched frag fixtures/fragm", ["gpusched", "frag", "fixtures/fragmented.json"]),
    ("gpusched frag --report=js", ["gpusched", "frag", "--report=json="]),
    ("gpusched frag --report=json=READ", ["gpusched", "frag", "--report=json=README.md"]),
    ("gpusched place fixtures/cluster.json fixtures/pods.json --fill tra",
     ["gpusched", "place", "fixtures/cluster.json", "fixtures/pods.json", "--fill", "train-8"]),
    ("gpusched k8s --nodes fixtures/kind/nodes.json --pods fixtures/kind/pods.json --pod gpu/gpu-c",
     ["gpusched", "k8s", "--nodes", "fixtures/kind/nodes.json", "--pods", "fixtures/kind/pods.json", "--pod",
      "gpu/gpu-c"]),
    ("gpusched completion zs", ["gpusched", "completion", "zsh"]),
    # A name that would run a command in a careless shell.
    ("gpusched place {names} --fill evil", ["gpusched", "place", "{names}", "--fill", "evil$IFS`echo-pwned`"]),
]
NAMES = '{"nodes":[{"name":"n"}],"pods":[{"name":"evil$IFS`echo-pwned`","gpus":1}]}'

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "bind 'set bell-style none'; source {script}"),
    "zsh": (["zsh", "-f", "-i"], "PROMPT='> '; autoload -Uz compinit; compinit -u -d {folder}/dump; source {script}"),
    "fish": (["fish", "--no-config", "-i"], "function fish_prompt; echo '> '; end; source {script}"),
}


class Shell:
    """A shell on a terminal of its own."""

    def __init__(self, command, folder, path):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            environment = {"PATH": path, "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8", "COLUMNS": "200"}
            os.execvpe(command[0], command, environment)
        self.seen = ""

    def send(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, pattern):
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            found = re.search(pattern, self.seen, re.S)
            if found:
                self.seen = self.seen[found.end():]
                return found
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.seen += os.read(self.terminal, 65536).decode(errors="replace")
        raise TimeoutError(f"no {pattern!r} in {self.seen[-2000:]!r}")

    def settle(self, quiet=0.3):
        """Waits until the shell has nothing more to say."""
        while select.select([self.terminal], [], [], quiet)[0]:
            self.seen += os.read(self.terminal, 65536).decode(errors="replace")

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def words_after_tab(shell, number, typed):
    shell.send(typed + "\t")
    shell.settle(0.6)
    # To the start of the line, a command before it that prints every word, and run.
    shell.send(f"\x01printf '(%s)' \x05 done-{number}\r")
    found = shell.wait_for(rf"((?:\([^()\r\n]*\))+)\(done-{number}\)")
    return re.findall(r"\(([^()]*)\)", found.group(1))


def check(name, binary):
    command, start = SHELLS[name]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(binary, f"{folder}/gpusched")
        script = f"{folder}/script"
        if os.system(f"'{binary}' completion {name} > '{script}'") != 0:
            return [f"{name}: gpusched completion {name} failed"]
        shell = Shell(command, folder, f"{folder}:{os.environ['PATH']}")
        try:
            shell.settle(1.0)
            shell.send(start.format(script=script, folder=folder) + "; printf '(%s)' re'ad'y\r")
            shell.wait_for(r"\(ready\)")
            shell.settle()
            names = f"{folder}/names.json"
            pathlib.Path(names).write_text(NAMES)
            for number, (typed, expected) in enumerate(CASES):
                got = words_after_tab(shell, number, typed.replace("{names}", names))
                expected = [word.replace("{names}", names) for word in expected]
                if got != expected:
                    failures.append(f"{name}: {typed!r} became {got}, not {expected}")
        except (TimeoutError, OSError) as error:
            failures.append(f"{name}: {error}")
        finally:
            shell.close()
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--shell", choices=SHELLS, action="append")
    arguments = parser.parse_args()
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError as error:
        print(f"no terminal to type into: {error}")
        return SKIPPED
    failures = []
    tried = 0
    for name in arguments.shell or SHELLS:
        if shutil.which(name) is None:
            print(f"{name} is not installed: left out")
            continue
        failures += check(name, pathlib.Path(arguments.binary).resolve())
        tried += 1
    for failure in failures:
        print(failure)
    print(f"{tried} shells, {len(CASES)} lines each, {len(failures)} failures")
    return 1 if failures or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
