#!/usr/bin/env python3
"""What a real Kubernetes control plane did with pods, against `gpusched k8s` on the same objects.

usage: controlplane_test.py --binary PATH [--corpus FOLDER] [NAME]

NAME chooses the scenarios whose name contains it. The corpus is FOLDER, else $GPUSCHED_CONFORMANCE_DIR/controlplane,
else ../shared/conformance/controlplane beside the project, else the sample in tests/conformance/data/controlplane.

  scenarios/NAME/dump.json     what kubectl printed when the scheduler decided
  scenarios/NAME/expect.json   what it did with the pod `target`
  skew/VERSION.json            what the scheduler of an older release wrote on the same objects

Only the target is compared. `order` tells which pods were decided before it, on the same dump: they are put where the
scheduler put them first. Ties are drawn at random: the chosen node must be among our best ones. Of allocations the
claims' generated names, time stamps and share ids do not count, nor do scores where a single node fits.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 120
EXIT_CODES = {"scheduled": 0, "undecided": 3}

GANGS = "gangs of PodGroup and Workload, off by default in 1.37, are not modelled"

# Scenarios that are answered differently, each with its reason.
KNOWN = {
    "gang-does-not-fit": GANGS,
    "gang-tainted": GANGS,
    "job-gang-policy": GANGS,
}


def find_corpus(chosen):
    candidates = [Path(chosen)] if chosen else []
    if not chosen:
        if folder := os.environ.get("GPUSCHED_CONFORMANCE_DIR"):
            candidates.append(Path(folder) / "controlplane")
        candidates += [PROJECT.parent / "shared" / "conformance" / "controlplane",
                       PROJECT / "tests" / "conformance" / "data" / "controlplane"]
    for candidate in candidates:
        if (candidate / "scenarios").is_dir():
            return candidate.resolve()
    return None


def world_of(folder, expect):
    """The dump with what was decided before the target."""
    dump = json.loads((folder / "dump.json").read_text(encoding="utf-8"))
    order = expect["order"]
    last = max((i for i, name in enumerate(order) if name == expect["target"]), default=0)
    earlier = {name for name in order[:last] if name != expect["target"] and expect["pods"][name]["node"]}

    def full_name(item, name=None):
        return f'{item["metadata"]["namespace"]}/{name or item["metadata"]["name"]}'

    allocated = set()
    for item in dump["items"]:
        if item["kind"] != "Pod" or full_name(item) not in earlier or item["spec"].get("nodeName"):
            continue
        item["spec"]["nodeName"] = expect["pods"][full_name(item)]["node"]
        entries = item["spec"].get("resourceClaims", []) + item.get("status", {}).get("resourceClaimStatuses", [])
        allocated |= {full_name(item, entry["resourceClaimName"]) for entry in entries if "resourceClaimName" in entry}
    for item in dump["items"]:
        if item["kind"] == "ResourceClaim" and full_name(item) in allocated & set(expect["allocations"]):
            item.setdefault("status", {})["allocation"] = expect["allocations"][full_name(item)]["allocation"]
    return dump


class Program:
    def __init__(self, binary):
        self.binary = str(Path(binary).resolve())

    def ask(self, folder, expect, version=None):
        """The PendingReport and the exit code."""
        with tempfile.TemporaryDirectory(prefix="gpusched-controlplane-") as scratch:
            dump = Path(scratch) / "dump.json"
            dump.write_text(json.dumps(world_of(folder, expect)), encoding="utf-8")
            words = ["k8s", str(dump), "--pod", expect["target"], "-o", "json", "-q"]
            if version:
                words += ["--k8s-version", version]
            if configuration := expect.get("schedulerConfig"):
                path = Path(scratch) / "configuration.json"
                path.write_text(json.dumps(configuration), encoding="utf-8")
                words += ["--scheduler-config", str(path)]
            if gates := expect.get("featureGates"):
                words += ["--features", ",".join(f"{gate}={str(on).lower()}" for gate, on in gates.items())]
            try:
                done = subprocess.run([self.binary, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=TIMEOUT_SECONDS, check=False)
            except subprocess.TimeoutExpired:
                return {}, f"no answer within {TIMEOUT_SECONDS} s"
        if done.returncode not in (0, 1, 3) or not done.stdout:
            return {}, f"exit code {done.returncode}: {done.stderr.strip()}"
        report = json.loads(done.stdout)
        if done.returncode != EXIT_CODES.get(report["verdict"], 1):
            return report, f"exit code {done.returncode} with the verdict {report['verdict']}"
        return report, ""


def plain_allocation(allocation):
    """What can be compared: devices and node selector."""
    def plain(value):
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items() if key not in ("allocationTimestamp", "shareID")}
        return [plain(inner) for inner in value] if isinstance(value, list) else value

    return plain(allocation)


def by_text(values):
    return sorted(values, key=lambda value: json.dumps(value, sort_keys=True))


class Comparison:
    def __init__(self, report, expect):
        self.report = report
        self.expect = expect
        self.problems = []

    def same(self, what, ours, theirs):
        if ours != theirs:
            self.problems.append(f"{what}:\n    ours   {json.dumps(ours)}\n    theirs {json.dumps(theirs)}")

    def message(self):
        possible = self.report["messages"] or [self.report["message"]]
        if self.expect["message"] not in possible:
            self.same("message", self.report["message"], self.expect["message"])

    def preemption(self):
        nominated = self.expect["nominatedNode"]
        if not nominated:
            self.same("nominatedNode", self.report["nominatedNode"], "")
        elif nominated not in self.report["preemptions"]:
            self.same("nominatedNode", sorted(self.report["preemptions"]), nominated)
        else:
            self.same("victims", sorted(self.report["preemptions"][nominated]), sorted(self.expect["victims"]))

    def nodes(self):
        if self.expect["verdict"] != "scheduled":
            return
        if best := self.expect.get("bestNodes"):
            self.same("bestNodes", self.report["bestNodes"], sorted(best))
        elif self.expect["node"] not in self.report["bestNodes"]:
            self.same("node", self.report["bestNodes"], self.expect["node"])
        self.same("feasibleNodes", self.report["feasibleNodes"], sorted(self.expect["feasibleNodes"]))
        if self.expect["scores"]:
            ours = {node["name"]: node["scores"] for node in self.report["nodes"] if node["scores"]}
            self.same("scores", ours, self.expect["scores"])

    def allocations(self):
        # Which of several equal nodes was drawn decides the devices.
        if self.expect["verdict"] != "scheduled" or self.report["node"] != self.expect["node"]:
            return
        ours = {claim["claim"]: claim["allocation"] for claim in self.report["claims"]}
        theirs = {name: entry["allocation"] for name, entry in self.expect["allocations"].items() if entry.get("allocation")}
        # Other pods' claims do not count; a claim that the scheduler makes has a name of its own.
        if shared := ours.keys() & theirs.keys():
            theirs = {name: theirs[name] for name in shared}
        self.same("allocations", by_text(map(plain_allocation, ours.values())),
                  by_text(map(plain_allocation, theirs.values())))

    def run(self):
        self.same("verdict", self.report["verdict"], self.expect["verdict"])
        self.same("reason", self.report["reason"], self.expect["reason"])
        self.message()
        self.preemption()
        self.nodes()
        self.allocations()
        return self.problems


def skew_problems(report, recorded):
    problems = []
    if report["verdict"] != recorded["verdict"]:
        problems.append(f"verdict: ours {report['verdict']}, theirs {recorded['verdict']}")
    if recorded["message"] not in (report["messages"] or [report["message"]]):
        problems.append(f"message:\n    ours   {report['message']}\n    theirs {recorded['message']}")
    nominated = recorded["nominatedNode"]
    if nominated and nominated not in report["preemptions"]:
        problems.append(f"nominatedNode: ours {sorted(report['preemptions'])}, theirs {nominated}")
    return problems


class Tally:
    """Cases by family, in the order of the corpus."""

    def __init__(self):
        self.families = {}
        self.failed = 0
        self.known = 0

    def count(self, family, name, problems):
        equal, total = self.families.get(family, (0, 0))
        self.families[family] = (equal + (not problems), total + 1)
        if not problems and name not in KNOWN:
            return
        if not problems:
            problems = ["it is equal: take it out of KNOWN"]
        elif name in KNOWN:
            self.known += 1
            print(f"known difference {family} {name}: {KNOWN[name]}")
            return
        self.failed += 1
        print(f"FAILED {family} {name}")
        for problem in problems:
            print(f"  {problem}")

    def report(self):
        for family, (equal, total) in self.families.items():
            print(f"{family}: {equal} of {total} equal")
        if self.known:
            print(f"{self.known} known differences")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--corpus")
    parser.add_argument("name", nargs="?", default="")
    options = parser.parse_args()

    corpus = find_corpus(options.corpus)
    if corpus is None:
        print("controlplane: no corpus, skipped")
        return 0
    program = Program(options.binary)
    tally = Tally()
    expected = {}
    for folder in sorted((corpus / "scenarios").iterdir()):
        if options.name in folder.name and (folder / "expect.json").is_file():
            expected[folder] = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    for folder, expect in expected.items():
        report, error = program.ask(folder, expect)
        tally.count("scenario " + expect["group"], folder.name, [error] if error else Comparison(report, expect).run())
    for path in sorted((corpus / "skew").glob("*.json")):
        answers = json.loads(path.read_text(encoding="utf-8"))
        for folder, expect in expected.items():
            if folder.name in answers:
                report, error = program.ask(folder, expect, path.stem)
                tally.count("scenario skew " + path.stem, folder.name,
                            [error] if error else skew_problems(report, answers[folder.name]))
    tally.report()
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
