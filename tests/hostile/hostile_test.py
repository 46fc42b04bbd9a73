#!/usr/bin/env python3
"""Feeds every reader what nobody should: each attack must end with a clear answer, soon, in bounded memory.

usage: hostile_test.py --binary PATH

Ends with the table that docs/security.md shows. A crash (signal), a missing message, a wrong exit code, more memory
than allowed or a half-written file is a failure; a run that does not end within two minutes counts as a hang.
"""

import argparse
import gzip
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
HANG = 120.0  # seconds
MEMORY = 1 << 30  # bytes of resident memory that no attack may exceed; most stay below a tenth of it
DEEP = 100_000
MANY = 1_000_000

# Commands by what they read: {} is the file.
READERS = {
    "cluster": ["place {} fixtures/pods.json", "frag {}", "slices {}", "gang {} fixtures/jobs.json", "k8s {} --all-pending",
                "chain {}", "dra --cluster {} --objects fixtures/dra.json"],
    "pods": ["place fixtures/cluster.json {}", "gang fixtures/cluster.json {}", "k8s fixtures/kind/nodes.json --pod {}",
             "dra --cluster fixtures/cluster.json --objects {}"],
    "options": ["frag fixtures/cluster.json --hardware {}", "frag fixtures/cluster.json --gpu-usage {}",
                "place fixtures/cluster.json fixtures/pods.json --scheduler-config {}", "frag fixtures/cluster.json --baseline {}",
                "place fixtures/cluster.json fixtures/pods.json --min-nodes like:dgx-a --prices {}",
                "gang fixtures/gang-cluster.json fixtures/jobs.json --mode kueue --kueue-config {}"],
}
EVERY = [command for commands in READERS.values() for command in commands]


def node(extra="", name="n"):
    return f'{{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{name}"{extra}}}}}'


def yaml_bomb():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for i in range(1, 12):
        lines.append(f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]")
    return "\n".join(lines + ["nodes: *a11"]).encode()


def zip_bomb():
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    for _ in range(4096):
        yield packer.compress(b" " * (1 << 20))
    yield packer.flush()


def many_items(item):
    """In pieces: a child starts with this process's peak of memory in its books."""
    yield b'{"apiVersion":"v1","kind":"List","items":['
    for _ in range(MANY // 1000 - 1):
        yield (item + ",").encode() * 1000
    yield (item + ",").encode() * 999 + item.encode() + b"]}"


# name: (content, exit codes that are right). A reader may find that there is nothing in it for it: that is an error, too.
BYTES = {
    "lists 10^5 deep, JSON": (b'{"nodes":' + b"[" * DEEP + b"]" * DEEP + b"}", {2}),
    "objects 10^5 deep, JSON": (b'{"a":' * DEEP + b"1" + b"}" * DEEP, {2}),
    "lists 10^5 deep, never closed": (b"[" * DEEP, {2}),
    "10^5 deep inside a Kubernetes object": (node(',"annotations":' + "[" * DEEP + "]" * DEEP).encode(), {2}),
    "lists 10^5 deep, YAML": (b"nodes: " + b"[" * DEEP + b"]" * DEEP, {2}),
    "10^4 levels of indentation, YAML": (lambda: (b" " * i + b"a:\n" for i in range(10_000)), {2}),
    "alias bomb, YAML": (yaml_bomb, {2}),
    "an anchor inside itself, YAML": (b"nodes: &a [*a]\n", {2}),
    "a number of 10^6 digits": (b'{"nodes":[{"name":"n","gpu":{"model":"m","count":' + b"9" * MANY + b',"memory_gib":1}}]}', {2}),
    "1e999999999 as a number": (b'{"nodes":[{"name":"n","gpu":{"model":"m","count":1e999999999,"memory_gib":1}}]}', {2}),
    "a quantity of 10^6 digits": (('{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"' +
                                   "9" * MANY + '"}}}').encode(), {0, 1, 2}),
    "NUL bytes": (b'{"nodes":[{"name":"a\x00b"}]}', {2}),
    "an escaped NUL in a name": (b'{"nodes":[{"name":"a\\u0000b"}]}', {0, 1, 2}),
    "invalid UTF-8": (b'{"nodes":[{"name":"\xff\xfe\xc0\x80"}]}', {2}),
    "a lone surrogate": (b'{"nodes":[{"name":"\\ud800"}]}', {0, 1, 2}),
    "UTF-16": ('{"nodes":[]}'.encode("utf-16"), {2}),
    "a duplicate key": (b'{"nodes":[],"nodes":[]}', {2}),
    "duplicate keys, YAML": (b"nodes: []\nnodes: []\n", {2}),
    "an empty file": (b"", {2}),
    "a megabyte of blanks": (b" " * MANY, {2}),
    "a cut list": (b'{"apiVersion":"v1","kind":"List","items":[' + node().encode() + b",", {2}),
    "a cut gzip stream": (gzip.compress(b'{"nodes":[]}' * 1000)[:40], {2}),
    "a damaged gzip stream": (b"\x1f\x8b\x08\x00" + os.urandom(1000), {2}),
    "a damaged zstd stream": (b"\x28\xb5\x2f\xfd" + os.urandom(1000), {2}),
    "a gzip bomb, 4 GB of blanks in 4 MB": (zip_bomb, {2}),
    "gzip inside gzip": (gzip.compress(gzip.compress(b'{"nodes":[]}')), {2}),
    "10^6 equal objects": (lambda: many_items(node()), {0, 1, 2}),
    "10^6 nulls as items": (lambda: many_items("null"), {2}),
    "random bytes": (os.urandom(1 << 16), {2}),
    "a shell script": (b"#!/bin/sh\nrm -rf /\n", {2}),
    "a kubeconfig": (b"apiVersion: v1\nkind: Config\nclusters: []\nusers: []\n", {0, 1, 2}),
}


def heed_interrupts():
    """A shell that runs this test in the background may have it ignore Ctrl-C, and its children with it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Run:
    """One run of the program, with its peak of resident memory."""

    def __init__(self, binary, words, stdin=None, stdout=subprocess.PIPE, after=None):
        start = time.monotonic()
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen([binary, *words], cwd=ROOT, stdin=stdin or subprocess.DEVNULL, stdout=stdout,
                                       stderr=errors, preexec_fn=heed_interrupts, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
            hang = threading.Timer(HANG, process.kill)
            hang.start()
            if after:
                after(process)
            self.out = process.stdout.read() if process.stdout else b""
            _, status, usage = os.wait4(process.pid, 0)
            hang.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            self.code = process.returncode
            errors.seek(0)
            self.errors = errors.read().decode(errors="replace")
        self.memory = usage.ru_maxrss * 1024
        self.seconds = time.monotonic() - start


class Table:
    def __init__(self):
        self.rows, self.failures = [], []

    def add(self, attack, runs, codes, needs_message=True):
        for command, run in runs:
            problem = ""
            if run.seconds >= HANG:
                problem = "hangs"
            elif run.code < 0:
                problem = f"dies of signal {-run.code}"
            elif run.code not in codes:
                problem = f"exit code {run.code}, not one of {sorted(codes)}"
            elif run.memory > MEMORY:
                problem = f"takes {run.memory >> 20} MiB"
            elif run.code == 2 and needs_message and "error: " not in run.errors:
                problem = "no message"
            elif len(run.errors) > 20_000:
                problem = f"a message of {len(run.errors)} bytes"
            elif any(ord(c) < 32 and c not in "\n\t" for c in run.errors):
                problem = "a message with control characters"
            if problem:
                self.failures.append(f"{attack}: {command}: {problem}\n{run.errors[:500]}")
        self.rows.append((attack, len(runs), max(run.memory for _, run in runs) >> 20))

    def print(self):
        print("| attack | runs | peak MiB |\n|---|---|---|")
        for attack, runs, memory in self.rows:
            print(f"| {attack} | {runs} | {memory} |")


def attack_files(binary, folder, table):
    for number, (name, (content, codes)) in enumerate(BYTES.items()):
        path = f"{folder}/attack-{number}"
        content = content() if callable(content) else content
        with open(path, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
        # The million objects once for each room that reads them: the others read them with the same code.
        commands = EVERY if os.path.getsize(path) < (4 << 20) else ["frag {}", "k8s {} --all-pending", "place fixtures/cluster.json {}"]
        runs = [(command, Run(binary, command.format(path).split())) for command in commands]
        table.add(name, runs, codes)
        os.unlink(path)


def attack_paths(binary, folder, table):
    loop = f"{folder}/loop"
    os.symlink(loop, loop)
    inner = f"{folder}/tree/inner"
    os.makedirs(inner)
    os.symlink(f"{folder}/tree", f"{inner}/up")
    cases = {"a symlink to itself": loop, "a folder that leads back to itself, -R": f"{folder}/tree -R", "no such file": f"{folder}/none",
             "an empty folder": inner, "/dev/null": "/dev/null"}
    if os.geteuid() != 0:
        secret = f"{folder}/secret"
        pathlib.Path(secret).write_text("{}")
        os.chmod(secret, 0)
        cases["an unreadable file"] = secret
    for name, path in cases.items():
        table.add(name, [(c, Run(binary, c.format(path).split())) for c in EVERY], {2})
    endless = ["frag {}", "k8s {} --all-pending"]
    table.add("/dev/zero", [(c, Run(binary, c.format("/dev/zero").split())) for c in endless], {2})


def attack_limits(binary, folder, table):
    path = f"{folder}/large.json"
    pods = (',{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"n","labels":{"l":"%d"}},"spec":{"containers":[{"name":"c"}]}}'
            % (i, i) for i in range(300_000))
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"apiVersion":"v1","kind":"List","items":[' + node())
        file.writelines(pods)
        file.write("]}")
    runs = [(c, Run(binary, f"{c} --max-memory 96Mi".split())) for c in (f"k8s {path} --all-pending", f"frag {path}", f"frag {path} --jobs 4")]
    for command, run in runs:
        if run.code == 2 and "more memory" not in run.errors:
            table.failures.append(f"--max-memory: {command}: {run.errors[:300]}")
    table.add("more memory than --max-memory", runs, {0, 1, 2})
    os.unlink(path)


def attack_output(binary, folder, table):
    commands = ["place fixtures/cluster.json fixtures/pods.json", "frag fixtures/cluster.json", "slices fixtures/cluster.json"]
    with open("/dev/full", "wb") as full:
        table.add("a full disk behind stdout", [(c, Run(binary, c.split(), stdout=full)) for c in commands], {2})
    reports = [f"{c} --report json=/dev/full" for c in commands] + [f"{c} --report json={folder}/none/x" for c in commands]
    table.add("reports that cannot be written", [(c, Run(binary, c.split())) for c in reports], {2})

    def close(process):
        process.stdout.close()
        process.stdout = None

    runs = [(c, Run(binary, c.split(), after=close)) for c in commands]
    table.add("a reader that went away", runs, {0, 1}, needs_message=False)


def attack_interrupt(binary, folder, table):
    """SIGINT while it reads an endless pipe and a report file stands there already."""
    report = pathlib.Path(folder) / "report.json"
    runs = []
    for command in ("frag -", "k8s - --all-pending"):
        report.write_text("before")
        reading, writing = os.pipe()
        os.write(writing, b'{"apiVersion":"v1","kind":"List","items":[')

        def interrupt(process):
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)

        run = Run(binary, [*command.split(), "--report", f"json={report}"], stdin=reading, after=interrupt)
        os.close(reading)
        os.close(writing)
        runs.append((command, run))
        if report.read_text() != "before" or len(list(pathlib.Path(folder).iterdir())) != 1:
            table.failures.append(f"interrupted {command}: the report was touched: {os.listdir(folder)}")
    table.add("Ctrl-C while reading", runs, {130}, needs_message=False)


def attack_names(binary, folder, table):
    """Names that would steer a terminal: none of their control characters may come out."""
    name = "\\u001b]0;owned\\u0007\\u001b[2J\\u202eevil"
    path = f"{folder}/names.json"
    pathlib.Path(path).write_text('{"nodes":[{"name":"%s","gpu":{"model":"A100-SXM4-80GB","count":1,"memory_gib":80}}],'
                                  '"pods":[{"name":"%s","gpus":1},{"name":"b%s","gpus":3}]}' % (name, name, name))
    runs = [(c, Run(binary, c.split())) for c in (f"place {path}", f"place {path} -o wide", f"place {path} -o name", f"place {path} -o yaml", f"frag {path} -o wide",
                                                  f"place {path} --fill nobody")]
    for command, run in runs:
        if b"\x1b" in run.out or b"\x07" in run.out or "\u202e".encode() in run.out:
            table.failures.append(f"{command} prints control characters: {run.out[:300]!r}")
    table.add("names that steer a terminal", runs, {0, 1, 2})
    os.unlink(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = str(pathlib.Path(parser.parse_args().binary).resolve())
    table = Table()
    for attack in (attack_files, attack_paths, attack_limits, attack_output, attack_interrupt, attack_names):
        with tempfile.TemporaryDirectory() as folder:
            attack(binary, folder, table)
    table.print()
    page = (ROOT / "docs/security.md").read_text()
    table.failures += [f"docs/security.md does not have the row {name!r}" for name, _, _ in table.rows if f"| {name} |" not in page]
    for failure in table.failures:
        print(failure)
    print(f"{len(table.rows)} attacks, {sum(runs for _, runs, _ in table.rows)} runs, {len(table.failures)} failures")
    return 1 if table.failures else 0


if __name__ == "__main__":
    sys.exit(main())
