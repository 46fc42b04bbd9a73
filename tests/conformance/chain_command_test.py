#!/usr/bin/env python3
"""Kueue's answers about GPUStack's chain (families chain, chain-tas, chain-raw) through `gpusched chain --kueue-config`.

usage: chain_command_test.py --binary build/dev/gpusched

The objects of a case stand in a dump as they are; the admission that the command reports must be Kueue's own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

FAMILIES = ("chain", "chain-tas", "chain-raw")


def corpus():
    name = "kueue-cases.jsonl"
    if "GPUSCHED_CONFORMANCE_DIR" in os.environ:
        return Path(os.environ["GPUSCHED_CONFORMANCE_DIR"]) / name
    shared = Path("../shared/conformance") / name
    return shared if shared.exists() else Path("tests/conformance/data") / name


def comparable(answer):
    """Who is admitted where, and why the others wait; cycles are the engine's own test."""
    admitted = [(w["workload"], w["clusterQueue"], json.dumps(w["podSets"], sort_keys=True)) for w in answer["admitted"]]
    pending = [(w["workload"], w.get("reason", ""), w.get("message", "")) for w in answer["pending"]]
    return sorted(admitted), sorted(pending)


def ask(binary, case, folder):
    dump = {"apiVersion": "v1", "kind": "List", "items": case["objects"]}
    config = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **case.get("config", {})}
    for name, content in (("dump", dump), ("config", config), ("events", {"events": case.get("steps", [])})):
        (folder / f"{name}.json").write_text(json.dumps(content))
    command = [binary, "chain", folder / "dump.json", "--kueue-config", folder / "config.json", "--stage", "admission",
               "-o", "json", "-q", "--clock", case.get("clock", "2030-01-01T00:00:00Z")]
    if case.get("steps"):
        command += ["--events", folder / "events.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["admission"] if done.returncode in (0, 1) and done.stdout else done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = parser.parse_args().binary
    equal, total = Counter(), Counter()
    with tempfile.TemporaryDirectory() as name:
        for line in corpus().read_text().splitlines():
            case = json.loads(line)
            if case["family"] not in FAMILIES:
                continue
            total[case["family"]] += 1
            answer = ask(binary, case, Path(name))
            right = [comparable(e) for e in [case["expect"], *case.get("variants", [])]]
            if isinstance(answer, dict) and comparable(answer) in right:
                equal[case["family"]] += 1
            else:
                print(case["id"], "\n--- real\n", case["expect"], "\n--- ours\n", answer)
    for family in FAMILIES:
        print(f"{family}: {equal[family]} of {total[family]} equal")
    sys.exit(0 if total and equal == total else 1)


if __name__ == "__main__":
    main()
