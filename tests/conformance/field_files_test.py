#!/usr/bin/env python3
"""Real public files and the dumps of a real control plane, read by the built binary.

usage: field_files_test.py --binary PATH [--field FOLDER] [--controlplane FOLDER] [NAME]

Field files (../shared/cases/field-files beside the project): each gives the right inventory or a clear error, and none
takes long. Control plane dumps ($GPUSCHED_CONFORMANCE_DIR/controlplane, else ../shared/conformance/controlplane): what
frag and place --fill say must agree with a count of the nodes and pods that this script makes itself. Without the
folders only the small cases at the end of this file run.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

PROJECT = Path(__file__).resolve().parents[2]
SHARED = PROJECT.parent / "shared"
SECONDS = 20

CLUSTER = {"nodes": [{"name": name, "gpu": {"model": "X", "count": 8, "memory_gib": 80}} for name in "ab"]}
PROBE = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe"},
         "spec": {"preemptionPolicy": "Never", "containers": [
             {"name": "c", "resources": {"limits": {"nvidia.com/gpu": 1, "cpu": "100m", "memory": "64Mi"}}}]}}

# GPUs in the field's node files, where they are usable: exclusive ones free, or MIG instances. Others have none.
FREE = {"aks-nd40rs-v100x8": 8, "amd-mi300x-cpx-not-seen": 8, "gke-a3-megagpu-8g-aicr": 8, "gke-n1-standard-32-v100x4": 4,
        "eks-timeslice-12": 12, "geforce2080-list-6": 2, "intel-nuc-i915-1": 1, "k3s-1-gpu": 1, "kubevirt-3090-4-of-6": 4,
        "kubevirt-grid-p40-1q": 1, "oke-gb200-1": 4, "openshift-011-describe-gpu-no-sro": 1, "tpu-v6e-1": 1,
        "volcano-gpu-4-of-which-3": 3, "bom-node": 8, "items-without-kind": 8}
INSTANCES = {"a100-gfd-old-wrong-mig-label": 16}
# Files that must be refused when they are given as what their folder says.
NO_CLUSTER = {"topograph-nodefeature-topograph-node-node-a", "describe-in-html", "labels-dotted-out", "tabs-in-yaml"}
NO_PODS = {"ai-on-eks-rayjob-llama2-pretraining-job-2": "no pod template",
           "awsome-distributed-training-pytorchjob-mathstral-7b-fsdp": '"$NUM_NODES"',
           "fake-gpu-operator-pod-runai-reservation-gpu-i-0b498db53280b8": "bound or finished",
           "gaudi-8-hugepages": "bound or finished",
           "kueue-trainjob-pytorch-distributed": "Limit must be set for non overcommitable resources"}


def run(binary, *words):
    answer = subprocess.run([binary, *map(str, words)], capture_output=True, timeout=SECONDS)
    return answer.returncode, answer.stdout.decode(), answer.stderr.decode()


# -- How many pods a workload makes, kind by kind ------------------------------------------------------------------------

def pods_of(obj):
    spec, kind = obj.get("spec", {}), obj["kind"]
    number = lambda value, default=1: default if value is None else value
    job = lambda s: min(number(s.get("parallelism")), number(s.get("completions"), 10**9))
    if kind in ("Pod", "PodTemplate"):
        return 1
    if kind in ("Deployment", "ReplicaSet", "StatefulSet"):
        return number(spec.get("replicas"))
    if kind == "Job":
        return job(spec) if "tasks" not in spec else sum(number(t.get("replicas")) for t in spec["tasks"])
    if kind == "JobSet":
        return sum(number(r.get("replicas")) * job(r["template"]["spec"]) for r in spec["replicatedJobs"])
    if kind in ("MPIJob", "PyTorchJob"):
        return sum(number(r.get("replicas")) for key in spec if key.endswith("ReplicaSpecs") for r in spec[key].values())
    if kind in ("RayCluster", "RayJob"):
        ray = spec if kind == "RayCluster" else spec["rayClusterSpec"]
        workers = [number(g.get("replicas"), number(g.get("minReplicas"), 0)) * number(g.get("numOfHosts"))
                   for g in ray.get("workerGroupSpecs", [])]
        return 1 + sum(workers) + ("submitterPodTemplate" in spec)
    if kind == "AppWrapper":
        return sum(pods_of(c["template"]) for c in spec["components"])
    if kind == "DaemonSet":
        return None  # as many as there are nodes for it
    raise ValueError(f"no rule for {kind}")


# -- What a scheduler sees of a dump ---------------------------------------------------------------------------------------

SUFFIXES = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def amount(text, scale=1):
    """A quantity in whole units times scale, rounded up."""
    text = str(text)
    if text.endswith("i"):
        return math.ceil(float(text[:-2]) * 1024 ** ("KMGTPE".index(text[-2]) + 1) * scale)
    if text[-1] in SUFFIXES:
        return math.ceil(round(float(text[:-1]) * 10 ** SUFFIXES[text[-1]] * scale, 6))
    return math.ceil(float(text) * scale)


def requests(pod, name, scale=1):
    get = lambda c: amount(c.get("resources", {}).get("requests", {}).get(name, 0), scale)
    spec = pod["spec"]
    total, sidecars, peak = sum(get(c) for c in spec["containers"]), 0, 0
    for c in spec.get("initContainers", []):
        if c.get("restartPolicy") == "Always":
            sidecars += get(c)
            peak = max(peak, sidecars)
        else:
            peak = max(peak, sidecars + get(c))
    result = max(total + sidecars, peak)
    pod_level = spec.get("resources", {}).get("requests", {})
    if name in pod_level:
        result = amount(pod_level[name], scale)
    return result + amount(spec.get("overhead", {}).get(name, 0), scale)


def free_of(node, pods):
    """What is left on the node of gpu, cpu, memory and pods."""
    held = [p for p in pods if p["spec"].get("nodeName") == node["metadata"]["name"]
            and p.get("status", {}).get("phase") not in ("Succeeded", "Failed")]
    have = node["status"].get("allocatable", {})
    left = {name: amount(have.get(name, 0), scale) - sum(requests(p, name, scale) for p in held)
            for name, scale in (("nvidia.com/gpu", 1), ("cpu", 1000), ("memory", 1))}
    left["pods"] = amount(have.get("pods", 0)) - len(held)
    return left


def probes_that_fit(node, pods):
    taints = [t for t in node.get("spec", {}).get("taints", []) if t["effect"] != "PreferNoSchedule"]
    if taints or node.get("spec", {}).get("unschedulable"):
        return 0
    left = free_of(node, pods)
    return max(0, min(left["nvidia.com/gpu"], left["cpu"] // 100, left["memory"] // (64 * 1024**2), left["pods"]))


class Checks:
    def __init__(self, binary, folder, wanted):
        self.binary, self.folder, self.wanted = binary, Path(folder), wanted
        self.done, self.failed = {}, []

    def check(self, family, name, problem):
        passed, total = self.done.get(family, (0, 0))
        self.done[family] = (passed + (not problem), total + 1)
        if problem:
            self.failed.append(f"{family} {name}: {problem}")

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def each(self, family, files, body):
        for path in files:
            if self.wanted not in str(path):
                continue
            try:
                problem = body(path)
            except subprocess.TimeoutExpired:
                problem = f"no answer in {SECONDS} s"
            self.check(family, f"{path.parent.name}/{path.name}", problem)

    def finish(self):
        for family, (passed, total) in sorted(self.done.items()):
            print(f"{family}: {passed} of {total} equal")
        for line in self.failed:
            print("FAILED", line)
        return 1 if self.failed else 0


def node_file(checks, path):
    code, out, err = run(checks.binary, "frag", path, "-o", "json")
    if path.stem in NO_CLUSTER:
        return "" if code == 2 and err else f"exit {code}, expected a refusal"
    if code != 0:
        return f"exit {code}: {err}"
    report = json.loads(out)
    free = report["fragmentation"]["free"]
    instances = sum(len(gpu["free"]) for gpu in report["mig"])
    if free != FREE.get(path.stem, 0):
        return f"{free} GPUs free, expected {FREE.get(path.stem, 0)}"
    if path.stem in INSTANCES and instances != INSTANCES[path.stem]:
        return f"{instances} MIG instances, expected {INSTANCES[path.stem]}"
    return ""


def workload_file(checks, path):
    code, out, err = run(checks.binary, "place", checks.folder / "cluster.json", path, "-o", "json")
    if path.stem in NO_PODS:
        return "" if code == 2 and NO_PODS[path.stem] in err else f"exit {code}, expected {NO_PODS[path.stem]!r}: {err}"
    if code not in (0, 1) and not (code == 3 and "ResourceClaims" in err):
        return f"exit {code}: {err}"
    objects = [o for o in yaml.safe_load_all(path.read_text()) if o]
    expected = [pods_of(o) for o in objects]
    found = len(json.loads(out)["pods"])
    if None not in expected and found != sum(expected):
        return f"{found} pods, expected {sum(expected)}"
    return ""


def other_file(checks, path):
    for words in (["frag", path], ["place", checks.folder / "cluster.json", path]):
        code, _, err = run(checks.binary, *words)
        if code not in (0, 1, 2) or (code == 2 and "error:" not in err):
            return f"{words[0]}: exit {code}: {err}"
    return ""


def dump(checks, path):
    items = json.loads(path.read_text())["items"]
    nodes = [i for i in items if i["kind"] == "Node"]
    pods = [i for i in items if i["kind"] == "Pod"]
    if not nodes:
        code, _, err = run(checks.binary, "frag", path)
        return "" if code == 2 and "no nodes" in err else f"exit {code}, expected: no nodes"
    code, out, err = run(checks.binary, "frag", path, "--by", "node", "-o", "json")
    if code != 0:
        return f"frag: exit {code}: {err}"
    plain = {n["metadata"]["name"]: n for n in nodes if not any(
        key.startswith(("nvidia.com/mig", "nvidia.com/gpu.replicas", "nvidia.com/gpu.sharing"))
        for key in n["metadata"].get("labels", {}))}
    by_slices = {s["spec"].get("nodeName") for s in items if s["kind"] == "ResourceSlice"}
    for group in json.loads(out)["groups"]:
        node = plain.get(group["name"])
        if node is None or group["name"] in by_slices or not group["total"]:
            continue
        free = max(0, free_of(node, pods)["nvidia.com/gpu"])
        if group["free"] != free:
            return f"node {group['name']}: {group['free']} GPUs free, expected {free}"
    code, out, err = run(checks.binary, "place", path, checks.folder / "probe.json", "--fill", "probe", "--view", "extended",
                         "-o", "json")
    if code not in (0, 1):
        return f"place: exit {code}: {err}"
    report = json.loads(out)
    placed = sum(1 for p in report["pods"] if p["node"]) + report["fill"]["count"]
    expected = sum(probes_that_fit(n, pods) for n in nodes)
    return "" if placed == expected else f"{placed} probes fit, expected {expected}"


def messages(checks, path):
    """Every message has an author that is known, is taken apart, and gets a verdict and a next step."""
    for line in path.read_text(encoding="utf-8").splitlines():
        recorded = json.loads(line)
        code, out, err = run(checks.binary, "k8s", "--message", recorded["message"], "-o", "json")
        if code != 1:
            return f"{recorded['message']}: exit {code}: {err}"
        report = json.loads(out)
        explained = [finding["verdict"] for finding in report["explanation"]]
        if report["source"] == "unknown" or not (report["reasons"] or report["preFilter"]) or explained[-1] != "gather":
            return f"{recorded['message']}: {report['source']}, {explained}"
        others = recorded["source"] not in ("default-scheduler", report["source"])
        if others or sum(reason["count"] for reason in report["reasons"]) > 20 * (report["nodes"] or 1000):
            return f"{recorded['message']}: taken for one of {report['source']}, {report['reasons']}"
    return ""


def small_cases(checks):
    """Runs everywhere: the shapes of the field files in small."""
    node = lambda gpus: {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {
        "capacity": {"pods": "9", "cpu": "8", "memory": "8Gi", "nvidia.com/gpu": "4"},
        "allocatable": {"pods": "9", "cpu": "8", "memory": "8Gi", "nvidia.com/gpu": gpus}}}
    pod = lambda gpus, phase: {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": phase.lower(), "namespace": "ns"}, "status": {"phase": phase},
        "spec": {"nodeName": "n", "containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": gpus}}}]}}
    cases = {"in-use": [node("4"), pod("1", "Running"), pod("3", "Succeeded")],
             "below-use": [node("3"), pod("4", "Running")],
             "number": [node(4), pod(2, "Pending")]}
    for name, items in cases.items():
        path = checks.write(f"{name}.json", {"kind": "List", "apiVersion": "v1", "items": items})
        checks.each("small", [path], lambda p: dump(checks, p))
    cut = checks.write("cut.json", json.dumps({"kind": "List", "apiVersion": "v1", "items": cases["in-use"]})[:-9])
    checks.each("small", [cut], lambda p: "" if run(checks.binary, "frag", p)[0] == 2 else "a cut dump was accepted")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--field", type=Path, default=SHARED / "cases/field-files")
    parser.add_argument("--controlplane", type=Path, default=Path(
        os.environ.get("GPUSCHED_CONFORMANCE_DIR", SHARED / "conformance")) / "controlplane")
    parser.add_argument("name", nargs="?", default="")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(str(Path(arguments.binary).resolve()), folder, arguments.name)
        checks.write("cluster.json", CLUSTER)
        checks.write("probe.json", PROBE)
        small_cases(checks)
        if arguments.field.is_dir():
            files = sorted(p for p in arguments.field.glob("*/*") if p.is_file())
            in_folder = lambda *names: [p for p in files if p.parent.name in names]
            checks.each("field nodes", in_folder("nodes", "malformed"), lambda p: node_file(checks, p))
            checks.each("field workloads", in_folder("workloads"), lambda p: workload_file(checks, p))
            others = in_folder("dra", "queues", "configs", "gpustack")
            checks.each("field others", others, lambda p: other_file(checks, p))
            checks.each("field messages", in_folder("messages"), lambda p: messages(checks, p))
        dumps = sorted(arguments.controlplane.glob("**/dump*.json")) if arguments.controlplane.is_dir() else []
        for path in dumps:
            checks.each("control plane dumps", [path], lambda p: dump(checks, p))
        return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
