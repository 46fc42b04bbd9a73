#!/usr/bin/env python3
"""Kueue's answers through the built binary: `gang --mode kueue -o json` on the recorded cases.

usage: kueue_cli_test.py --binary PATH [ID]

The corpus is kueue-cases.jsonl of $GPUSCHED_CONFORMANCE_DIR, else of ../shared/conformance, else of tests/conformance/data. Of a large
corpus every tenth case is played; kueue_test plays all of them without the binary.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
LARGE = 200


def corpus():
    folder = os.environ.get("GPUSCHED_CONFORMANCE_DIR")
    folders = [Path(folder)] if folder else [PROJECT.parent / "shared/conformance", PROJECT / "tests/conformance/data"]
    path = next(f / "kueue-cases.jsonl" for f in folders if (f / "kueue-cases.jsonl").exists())
    return [json.loads(line) for line in path.read_text().splitlines()]


def comparable(answer):
    """Without cycles and empty members, and lists in one order."""
    def strip(item):
        pods = [{k: v for k, v in pod.items() if v != {}} for pod in item.get("podSets", [])]
        return {k: v for k, v in item.items() if k not in ("cycle", "podSets") and v != ""} | {"podSets": pods}
    order = lambda items: sorted((json.dumps(strip(item), sort_keys=True) for item in items or []))
    return {key: order(answer.get(key)) for key in ("admitted", "pending", "evicted", "clusterQueues")} | {
        "finished": sorted(answer.get("finished") or [])}


def ask(binary, case, folder):
    files = {"objects.json": {"apiVersion": "v1", "kind": "List", "items": case["objects"]},
             "config.json": case.get("config") or {}, "events.json": case.get("steps") or []}
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    words = [binary, "gang", folder / "objects.json", "--mode", "kueue", "-o", "json", "--kueue-config", folder / "config.json",
             "--events", folder / "events.json", "--clock", case.get("clock", "2030-01-01T00:00:00Z")]
    run = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60)
    if run.returncode not in (0, 1):
        return {"error": run.stderr}
    answer = json.loads(run.stdout)["admission"]
    if run.returncode != (1 if answer["pending"] else 0):
        return {"error": f"exit code {run.returncode}"}
    return comparable(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("id", nargs="?")
    arguments = parser.parse_args()
    cases = corpus()
    if arguments.id:
        cases = [case for case in cases if case["id"].startswith(arguments.id)]
    elif len(cases) > LARGE:
        cases = cases[::10]
    total, equal = Counter(), Counter()
    with tempfile.TemporaryDirectory() as name:
        for case in cases:
            ours = ask(arguments.binary, case, Path(name))
            expected = [comparable(answer) for answer in [case["expect"], *case.get("variants", [])]]
            total[case["family"]] += 1
            equal[case["family"]] += ours in expected
            if ours not in expected:
                print(f"{case['id']}\nours: {json.dumps(ours, indent=1)}\nreal: {json.dumps(expected[0], indent=1)}")
    for family in sorted(total):
        print(f"{family}: {equal[family]} of {total[family]} equal")
    print(f"total: {sum(equal.values())} of {sum(total.values())} equal")
    return 0 if sum(equal.values()) == sum(total.values()) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
