#!/usr/bin/env python3
"""scripts/collect-dump with a kubectl that answers from a table: which calls it makes, and what --redact leaves."""

import gzip
import json
import os
import re
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/collect-dump"

KUBECTL = """#!/bin/sh
echo "$@" >>"$FOLDER/calls"
while [ "$1" != get ]; do shift; done
if [ -f "$FOLDER/$2.json" ]; then cat "$FOLDER/$2.json"; exit 0; fi
if [ "$2" = services ]; then echo 'Error from server (Forbidden): services is forbidden' >&2; exit 1; fi
echo "error: the server doesn't have a resource type \\"$2\\"" >&2
exit 1
"""

NODE = {"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "gpu-hall-7", "labels": {"kubernetes.io/hostname": "gpu-hall-7", "team": "secret-lab",
                                                      "nvidia.com/gpu.product": "NVIDIA-L4"},
                     "annotations": {"owner": "jane"}, "managedFields": [{}]},
        "spec": {"taints": [{"key": "team", "value": "secret-lab", "effect": "NoSchedule"}], "providerID": "aws:///i-1"},
        "status": {"allocatable": {"nvidia.com/gpu": "4"}, "addresses": [{"address": "10.1.2.3"}]}}
POD = {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "merger-0", "namespace": "secret-lab",
                    "ownerReferences": [{"kind": "Job", "name": "merger", "controller": True}],
                    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{"}},
       "spec": {"nodeName": "gpu-hall-7", "nodeSelector": {"team": "secret-lab"},
                "resourceClaims": [{"name": "gpu", "resourceClaimName": "merger-gpu"}],
                "containers": [{"name": "merger", "image": "registry.corp/merger:1", "env": [{"name": "PASSWORD", "value": "x"}],
                                "command": ["train", "--on", "merger-data"],
                                "resources": {"requests": {"nvidia.com/gpu": "2"}, "claims": [{"name": "gpu"}]}}]},
       "status": {"phase": "Running", "podIP": "10.1.2.4"}}
CLAIM = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
         "metadata": {"name": "merger-gpu", "namespace": "secret-lab"},
         "spec": {"devices": {"requests": [{"name": "one", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]}},
         "status": {"reservedFor": [{"resource": "pods", "name": "merger-0"}], "allocation": {"devices": {"results": [
             {"request": "one", "driver": "gpu.nvidia.com", "pool": "gpu-hall-7", "device": "gpu-0"}]}}}}
CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu.nvidia.com"}, "spec": {}}
ZONES = {"apiVersion": "topology.node.k8s.io/v1alpha2", "kind": "NodeResourceTopology", "metadata": {"name": "gpu-hall-7"},
         "zones": [{"name": "node-0", "type": "Node", "resources": [{"name": "nvidia.com/gpu", "allocatable": "4"}]}]}
LISTS = {"nodes": [NODE], "pods": [POD], "resourceclaims.resource.k8s.io": [CLAIM], "deviceclasses.resource.k8s.io": [CLASS],
         "noderesourcetopologies.topology.node.k8s.io": [ZONES]}


class CollectDump(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        kubectl = self.folder / "kubectl"
        kubectl.write_text(KUBECTL)
        kubectl.chmod(kubectl.stat().st_mode | stat.S_IEXEC)
        for kind, items in LISTS.items():
            (self.folder / f"{kind}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))

    def collect(self, *words):
        return subprocess.run([SCRIPT, *words], capture_output=True, timeout=60,
                              env={**os.environ, "KUBECTL": str(self.folder / "kubectl"), "FOLDER": str(self.folder)})

    def objects(self, *words):
        answer = self.collect(*words)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return {o["kind"]: o for o in map(json.loads, answer.stdout.decode().splitlines())}, answer

    def test_reads_and_nothing_else(self):
        objects, answer = self.objects("--", "--context", "prod")
        for call in (self.folder / "calls").read_text().splitlines():
            self.assertRegex(call, r"^--context prod get [a-z0-9.-]+ --all-namespaces -o json$")
            self.assertNotRegex(call, "secret|configmap")
        self.assertEqual(set(objects), {"Node", "Pod", "ResourceClaim", "DeviceClass", "NodeResourceTopology"})
        self.assertNotIn("managedFields", objects["Node"]["metadata"])
        self.assertNotIn("last-applied", answer.stdout.decode())
        self.assertEqual(answer.stderr.decode(), "collect-dump: left out, not allowed to read: services\n")

    def test_redacted_names_are_gone_and_still_fit_together(self):
        objects, answer = self.objects("--redact")
        text = answer.stdout.decode()
        for word in ("hall", "secret", "merger", "corp", "jane", "10.1.", "PASSWORD", "train", "aws"):
            self.assertNotIn(word, text)
        node, pod, claim = objects["Node"], objects["Pod"], objects["ResourceClaim"]
        self.assertEqual(pod["spec"]["nodeName"], node["metadata"]["name"])
        self.assertEqual(pod["spec"]["nodeSelector"], {"team": node["metadata"]["labels"]["team"]})
        self.assertEqual(node["spec"]["taints"][0]["value"], node["metadata"]["labels"]["team"])
        self.assertEqual(pod["spec"]["resourceClaims"][0]["resourceClaimName"], claim["metadata"]["name"])
        self.assertEqual(pod["spec"]["containers"][0]["resources"]["claims"][0]["name"], pod["spec"]["resourceClaims"][0]["name"])
        self.assertEqual(claim["status"]["reservedFor"][0]["name"], pod["metadata"]["name"])
        result = claim["status"]["allocation"]["devices"]["results"][0]
        self.assertEqual(result, {"request": "one", "driver": "gpu.nvidia.com", "pool": node["metadata"]["name"], "device": "gpu-0"})
        self.assertEqual(node["metadata"]["labels"]["nvidia.com/gpu.product"], "NVIDIA-L4")
        self.assertEqual(node["status"]["allocatable"], {"nvidia.com/gpu": "4"})
        self.assertEqual(objects["DeviceClass"]["metadata"]["name"], "gpu.nvidia.com")
        self.assertEqual(objects["NodeResourceTopology"]["metadata"]["name"], node["metadata"]["name"])
        self.assertEqual(objects["NodeResourceTopology"]["zones"], ZONES["zones"])
        self.assertFalse([call for call in self.kinds_asked() if "gpustack" in call])

    def kinds_asked(self):
        return [re.search(r" ?get (\S+) ", call)[1] for call in (self.folder / "calls").read_text().splitlines()]

    def test_the_page_lists_what_the_scripts_ask_for(self):
        page = (ROOT / "docs/kubectl.md").read_text()
        rows = re.findall(r"^\| [\w, ]+ \| `([a-z0-9.,-]+)` \|", page, re.M)
        listed = [kind.split(".")[0] for row in rows for kind in row.split(",")]
        self.collect()
        self.assertEqual(sorted(kind.split(".")[0] for kind in self.kinds_asked()), sorted(listed))
        command = re.search(r"kubectl get -A -o json ([a-z,\\\n]+) >", page)[1].replace("\\\n", "")
        self.assertEqual(sorted(command.split(",")),
                         sorted(kind for row in rows[:5] for kind in row.split(",")))
        plugin = (ROOT / "scripts/kubectl-gpusched").read_text()
        for words in re.findall(r'^\w+="([a-z][a-z0-9. \n-]+)"$', plugin, re.M):
            self.assertLessEqual(set(words.split()), set(self.kinds_asked()) | {"gpusched"})

    def test_writes_a_compressed_file(self):
        path = self.folder / "dump.gz"
        self.assertEqual(self.collect("--gzip", "-o", str(path)).stdout, b"")
        self.assertEqual(len(gzip.decompress(path.read_bytes()).splitlines()), 5)

    def test_without_nodes_there_is_no_dump(self):
        (self.folder / "nodes.json").unlink()
        path = self.folder / "dump"
        answer = self.collect("-o", str(path))
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("kubectl get nodes failed", answer.stderr.decode())
        self.assertFalse(path.exists())
        self.assertEqual(self.collect("--redacted").returncode, 2)


if __name__ == "__main__":
    unittest.main()
