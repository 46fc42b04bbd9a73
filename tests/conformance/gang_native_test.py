#!/usr/bin/env python3
"""Pod groups on a real Kubernetes 1.37 control plane, against `gpusched gang` on the same objects.

usage: gang_native_test.py --binary PATH [--corpus FOLDER] [NAME]

NAME chooses the scenarios whose name contains it. The corpus is that of controlplane_test.py. Scenarios with a PodGroup
run in mode native, those of two Jobs without one in mode pod. Compared are how many pods of each group, or Job, were
bound, and what the group's condition says when it was not.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from controlplane_test import find_corpus

PROJECT = Path(__file__).resolve().parents[2]
WITH_CLAIMS = "its pods have claims, which gang does not look at"
KNOWN = {"podgroup-claim": WITH_CLAIMS}


def group_of(pod):
    group = pod["spec"].get("schedulingGroup", {}).get("podGroupName")
    owners = pod["metadata"].get("ownerReferences", [])
    kind, name = ("podgroup", group) if group else (owners[0]["kind"].lower(), owners[0]["name"]) if owners else ("", "")
    return f"{pod['metadata']['namespace']}/{kind}/{name}" if name else ""


def expected_of(dump, expect):
    bound, messages = Counter(), {}
    for item in dump["items"]:
        if item["kind"] != "Pod" or item["spec"].get("nodeName") or not (group := group_of(item)):
            continue
        name = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        if name in expect["pods"]:
            bound[group] += expect["pods"][name]["verdict"] == "scheduled"
    for name, status in (expect.get("podGroups") or {}).items():
        space, _, group = name.partition("/")
        messages[f"{space}/podgroup/{group}"] = status["conditions"][0]["message"]
    return bound, messages


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--corpus")
    parser.add_argument("name", nargs="?", default="")
    arguments = parser.parse_args()
    corpus = find_corpus(arguments.corpus)
    if corpus is None:
        print("no corpus")
        return 1
    families, known = {}, []
    for folder in sorted((corpus / "scenarios").iterdir()):
        dump = json.loads((folder / "dump.json").read_text(encoding="utf-8"))
        expect = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
        native = any(item["kind"] == "PodGroup" for item in dump["items"])
        if arguments.name not in folder.name or not (native or folder.name == "ticket3-two-gangs"):
            continue
        if folder.name in KNOWN:
            known.append(f"{folder.name}: {KNOWN[folder.name]}")
            continue
        mode = "native" if native else "pod"
        done = subprocess.run([arguments.binary, "gang", folder / "dump.json", "--pending", "--mode", mode, "--view", "extended",
                               "--policy", "spread", "-q", "-o", "json", "--oversized", "wait"],
                              capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 2:
            print(f"{folder.name}\n  {done.stderr}")
        jobs = {job["name"]: job for job in json.loads(done.stdout)["jobs"]} if done.stdout else {}
        bound, messages = expected_of(dump, expect)
        problems = []
        for group, count in bound.items():
            job = jobs.get(group, {"placement": [], "message": "there is no such job"})
            if len(job["placement"]) != count:
                problems.append(f"{group}: ours binds {len(job['placement'])} pods, the real one {count}")
            wanted = messages.get(group, "")
            wanted = wanted[wanted.find("minCount"):] if "minCount" in wanted else ""
            if not job.get("message", "").startswith(wanted):
                problems.append(f"{group}\n    ours   {job.get('message', '')}\n    theirs {wanted}")
        for problem in problems:
            print(f"{folder.name}: {problem}")
        good, every = families.get(mode, (0, 0))
        families[mode] = (good + (not problems), every + 1)
    for mode, (good, every) in sorted(families.items()):
        print(f"{mode}: {good} of {every} equal")
    for line in known:
        print(f"known: {line}")
    return 0 if families and all(good == every for good, every in families.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
