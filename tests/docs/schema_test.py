#!/usr/bin/env python3
"""Holds the JSON Schemas of docs/formats against the fixtures, against mistakes, and against what the program prints.

usage: schema_test.py --binary PATH [--root PROJECT_ROOT]

Report schemas leave room for later keys, as docs promise; here every key that they do not name is an error.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import yaml

from schemas import KINDS, Schemas

A100 = {"model": "A100-SXM4-80GB", "count": 8, "memory_gib": 80}

# What is wrong, by name; gpusched refuses each of them, too.
BAD_CLUSTERS = {
    "no-nodes": {"cluster": []},
    "node-without-name": {"nodes": [{"gpu": A100}]},
    "name-is-a-number": {"nodes": [{"name": 1}]},
    "mistyped-key": {"nodes": [{"name": "a", "gpus": A100}]},
    "gpu-without-model": {"nodes": [{"name": "a", "gpu": {"count": 8, "memory_gib": 80}}]},
    "gpu-without-memory": {"nodes": [{"name": "a", "gpu": {**A100, "memory_gib": 0}}]},
    "too-many-gpus": {"nodes": [{"name": "a", "gpu": {**A100, "count": 1025}}]},
    "half-a-gpu": {"nodes": [{"name": "a", "gpu": {**A100, "count": 0.5}}]},
    "no-replica": {"nodes": [{"name": "a", "gpu": {**A100, "time_slicing": 0}}]},
    "island-is-no-list": {"nodes": [{"name": "a", "gpu": {**A100, "islands": [0, 1]}}]},
    "holder-without-gpu": {"nodes": [{"name": "a", "gpu": {**A100, "busy": [{"pod": "p"}]}}]},
    "mig-instance-without-profile": {"nodes": [{"name": "a", "gpu": {**A100, "mig": [[{"pod": "p"}]]}}]},
    "unknown-effect": {"nodes": [{"name": "a", "taints": [{"key": "k", "effect": "NoSchedul"}]}]},
    "label-is-no-text": {"nodes": [{"name": "a", "labels": {"tier": 1}}]},
    "no-quantity": {"nodes": [{"name": "a", "allocatable": {"memory": "80 Gi"}}]},
    "negative-quantity": {"nodes": [{"name": "a", "allocatable": {"cpu": -1}}]},
    "bad-pod-inside": {"nodes": [], "pods": [{"gpus": 1}]},
}
COMMANDS = {"cluster": "frag -", "pods": "place fixtures/cluster.json -", "jobs": "gang fixtures/cluster.json -",
            "suite": "check -"}
BAD_PODS = {
    "no-pods": {"pod": []},
    "pod-without-name": {"pods": [{"gpus": 1}]},
    "mistyped-key": {"pods": [{"name": "p", "gpu": 1}]},
    "negative-gpus": {"pods": [{"name": "p", "gpus": -1}]},
    "memory-as-quantity": {"pods": [{"name": "p", "memory_gib": "40Gi"}]},
    "no-instance": {"pods": [{"name": "p", "mig": {"3g.40gb": 0}}]},
    "gpus-and-mig": {"pods": [{"name": "p", "gpus": 1, "mig": {"3g.40gb": 1}}]},
    "gpus-as-request": {"pods": [{"name": "p", "requests": {"nvidia.com/gpu": 1}}]},
    "unknown-preemption-policy": {"pods": [{"name": "p", "preemption_policy": "never"}]},
    "toleration-without-key": {"pods": [{"name": "p", "tolerations": [{"operator": "Equal", "value": "v"}]}]},
}
BAD_JOBS = {
    "no-jobs": {"job": []},
    "job-without-duration": {"jobs": [{"name": "j", "gpus_per_pod": 1}]},
    "negative-duration": {"jobs": [{"name": "j", "duration": -1}]},
    "duration-is-no-number": {"jobs": [{"name": "j", "duration": "1h"}]},
    "mistyped-key": {"jobs": [{"name": "j", "duration": 1, "gpus": 1}]},
    "no-pods": {"jobs": [{"name": "j", "duration": 1, "pods": 0}]},
    "two-kinds-of-pods": {"jobs": [{"name": "j", "duration": 1, "pods": 2, "pod_sets": [{"name": "w"}]}]},
    "no-pod-sets": {"jobs": [{"name": "j", "duration": 1, "pod_sets": []}]},
    "negative-failure": {"jobs": [{"name": "j", "duration": 1, "fail_at": [5, -1]}]},
    "two-topologies": {"jobs": [{"name": "j", "duration": 1, "topology": "a", "exclusive_topology": "b"}]},
}
BAD_SUITES = {
    "no-questions": {"pins": {}},
    "empty": {"questions": []},
    "nothing-expected": {"questions": [{"name": "a", "command": "place x"}]},
    "no-command": {"questions": [{"name": "a", "exit": 0}]},
    "mistyped-key": {"questions": [{"name": "a", "command": "place x", "exits": 0}]},
    "exit-is-text": {"questions": [{"name": "a", "command": "place x", "exit": "0"}]},
    "no-pointer": {"questions": [{"name": "a", "command": "place x", "fields": {"pods": 1}}]},
    "unknown-relation": {"questions": [{"name": "a", "command": "place x", "fields": {"/pods": {"min": 1}}}]},
    "no-version": {"pins": {"kubernetes": "latest"}, "questions": [{"name": "a", "command": "place x", "exit": 0}]},
    "feature-is-text": {"pins": {"features": {"A": "yes"}}, "questions": [{"name": "a", "command": "x", "exit": 0}]},
    "two-outputs": {"questions": [{"name": "a", "command": "place x", "output": "", "golden": "g"}]},
}

# Command lines whose reports use the keys of the schemas (but `geometry`, which no fixture can lead to).
PLACEMENTS = [
    "fixtures/cluster.json fixtures/pods.json --policy spread --fill notebook-0 --report html=/dev/null",
    "fixtures/cluster.json fixtures/pods.json --view extended",
    "fixtures/cluster.json fixtures/preempt-pods.json --requeue-evicted",
    "fixtures/fragmented.json fixtures/four-pods.json",
    "fixtures/fragmented.json fixtures/reasons-pods.json",
    "fixtures/nearly-full.json fixtures/span-pods.json --view extended",
    "fixtures/mixed.yaml fixtures/mixed-pods.yaml --policy topology --requeue-evicted",
    "fixtures/mixed.yaml fixtures/mixed-pods.yaml --view extended --fail-on consequences",
    "fixtures/cluster.json fixtures/pods.json --compare policy=binpack,spread",
    "fixtures/dump/cluster.json --drainable",
    "fixtures/fragmented.json fixtures/pods.json --min-nodes like:dgx-a,aws/p5.48xlarge",
    "fixtures/cluster.json fixtures/pods.json --policy spread --defrag train-8",
    "fixtures/cluster.json fixtures/pods.json --defrag notebook",
    "fixtures/dump/cluster.json --pending --add p5.48xlarge=1 --drain gpu-a --evict small-0",
]
FRAGMENTATIONS = [
    "fixtures/fragmented.json --drain mig-a --repartition mig-a=all-disabled",
    "fixtures/fragmented.json",
    "fixtures/fragmented.json --repartition-for 1g.10gb=6,3g.40gb=1",
    "fixtures/movable.yaml --repartition-for 3g.40gb=3 --drainable",
    "fixtures/fragmented.json --by model --gangs 2x2 --min-fit 8=1 --max-stranded 2=50",
    "fixtures/mixed.yaml --by pool --sizes 1,16 --report html=/dev/null",
    "fixtures/mixed.yaml --by node",
    "fixtures/dump/cluster.json --by owner --baseline fixtures/dump/cluster-yesterday.json",
]
PENDINGS = [
    "--nodes fixtures/kind/nodes.json --pods fixtures/kind/pods.json --pod fixtures/kind/gpu-c.json",
    "--nodes fixtures/kind/nodes.json --pods fixtures/kind/pods-after-delete.json --pod fixtures/kind/gpu-c.json",
    "fixtures/kind/nodes.json --pod fixtures/kind/dra.json --objects fixtures/kind/dra-objects.json "
    "--objects fixtures/kind/claims.json --objects fixtures/kind/slice.json",
    "fixtures/dump/cluster.json --all-pending",
    "fixtures/dump/cluster.json --all-pending --all-nodes",
    "fixtures/dump/cluster.json --verify",
]
ALLOCATIONS = [
    "--cluster fixtures/cluster.json --objects fixtures/dra.json",
    "--cluster fixtures/fragmented.json --objects fixtures/first-available.json",
    "--cluster fixtures/cluster.json --objects fixtures/all-nodes.json",
    "--cluster fixtures/cluster.json --objects fixtures/dra.json --node dgx-a --together",
    "--cluster fixtures/cluster.json --select device.driver=='gpu.example.com'",
    "--cluster fixtures/cluster.json --select device.nothing",
]
CHAINS = [
    "fixtures/chain/mixed.json",
    "fixtures/chain/mixed.json fixtures/chain/workloads.yaml",
    "fixtures/chain/h100-mixed-busy.json fixtures/chain/workloads.yaml",
    "fixtures/chain/mixed.json --diff fixtures/kueue/queues.yaml",
]
CHECKS = ["fixtures/suite.yaml", "fixtures/suite.yaml --baseline tests/golden/check/json-report/stdout"]
GANGS = [
    "fixtures/gang-cluster.json fixtures/jobs.json --mode pod --add p4de.24xlarge=2",
    "fixtures/gang-cluster.json fixtures/jobs.json --mode pod --report trace=/dev/null",
    "fixtures/gang-cluster.json fixtures/jobs.json --timeout 300",
    "--gpus 2x8 fixtures/traces/60_job.csv --mode easy",
    "fixtures/dump/cluster.json --pending --mode native",
]


class Checks:
    def __init__(self, root, binary):
        self.root = root
        self.binary = binary
        self.schemas = Schemas(root / "docs/formats", strict=False)
        self.strict = Schemas(root / "docs/formats", strict=True)
        self.count = 0
        self.failures = []

    def check(self, title, problems):
        self.count += 1
        self.failures += [f"{title}: {problem}" for problem in problems]

    def run(self, command, document=None):
        text = None if document is None else json.dumps(document)
        return subprocess.run([self.binary, *command.split()], cwd=self.root, input=text, capture_output=True, text=True,
                              timeout=60, check=False)

    def fixtures(self):
        paths = [path for path in sorted((self.root / "fixtures").rglob("*")) if path.suffix in (".json", ".yaml", ".yml")]
        for path in paths:
            document, *others = yaml.safe_load_all(path.read_text(encoding="utf-8"))  # JSON is YAML
            if others and all("kind" in each for each in (document, *others)):
                continue
            kinds = [kind for kind, key in (("cluster", "nodes"), ("pods", "pods"), ("jobs", "jobs"),
                                          ("suite", "questions")) if key in document]
            if not kinds and "kind" not in document:  # Kubernetes' own files have schemas of their own
                self.check(path.name, ["neither a cluster, nor pods, nor jobs, nor a suite, nor a Kubernetes object"])
            for kind in kinds:
                self.check(path.name, self.schemas.errors(kind, "", document))

    def mistakes(self):
        for kind, documents in (("cluster", BAD_CLUSTERS), ("pods", BAD_PODS), ("jobs", BAD_JOBS), ("suite", BAD_SUITES)):
            for title, document in documents.items():
                passed = [] if self.schemas.errors(kind, "", document) else [f"{kind}.schema.json lets it pass"]
                command = COMMANDS[kind]
                command = "place -" if "pods" in document and "nodes" in document else command
                answer = self.run(command, document)
                if answer.returncode != 2 or answer.stdout:
                    passed.append(f"gpusched {command} lets it pass: exit {answer.returncode}")
                self.check(title, passed)

    def reports(self):
        for command, lines in (("place", PLACEMENTS), ("frag", FRAGMENTATIONS), ("gang", GANGS), ("k8s", PENDINGS),
                               ("dra", ALLOCATIONS), ("chain", CHAINS), ("check", CHECKS), ("version", [""])):
            for line in lines:
                title = f"gpusched {command} {line}"
                as_json = self.run(f"{command} {line} -o json")
                as_yaml = self.run(f"{command} {line} -o yaml")
                if as_json.returncode not in (0, 1):
                    self.check(title, [as_json.stderr])
                    continue
                document = json.loads(as_json.stdout)
                problems = self.strict.errors(*KINDS[document["kind"]], document)
                if yaml.safe_load(as_yaml.stdout) != document:
                    problems.append("-o yaml is another document than -o json")
                self.check(title, problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    options = parser.parse_args()
    checks = Checks(options.root.resolve(), options.binary.resolve())
    checks.fixtures()
    checks.mistakes()
    checks.reports()
    for failure in checks.failures:
        print(f"FAILED {failure}")
    print(f"schemas: {checks.count} checks, {len(checks.failures)} failures")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
