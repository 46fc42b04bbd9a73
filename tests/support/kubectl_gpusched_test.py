#!/usr/bin/env python3
"""scripts/kubectl-gpusched with a kubectl and a gpusched that write down how they are called."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/kubectl-gpusched"

KUBECTL = """#!/bin/sh
echo "$@" >>"$FOLDER/kubectl-calls"
case "$*" in
  *api-resources*) printf 'nodes\\npods\\npriorityclasses.scheduling.k8s.io\\nservices\\nsecrets\\n'; exit 0 ;;
  *"get services"*) echo 'Error from server (Forbidden)' >&2; exit 1 ;;
  *"get $FAIL"*) exit 1 ;;
esac
while [ "$1" != get ]; do shift; done
echo "{\\"list\\": \\"$2\\"}"
"""
GPUSCHED = """#!/bin/sh
echo "$@" >"$FOLDER/gpusched-call"
case "$*" in *" - "*|*" -") cat >"$FOLDER/input" ;; esac
exit ${CODE:-0}
"""


class Plugin(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        for name, text in (("kubectl", KUBECTL), ("gpusched", GPUSCHED)):
            path = self.folder / name
            path.write_text(text)
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        (self.folder / "dump.json").write_text("{}")

    def tearDown(self):
        self.scratch.cleanup()

    def run_plugin(self, *words, **environment):
        path = f"{self.folder}:{os.environ['PATH']}"
        return subprocess.run([str(SCRIPT), *words], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={"PATH": path, "FOLDER": str(self.folder), "FAIL": "nothing", **environment})

    def call(self):
        return (self.folder / "gpusched-call").read_text().strip()

    def kubectl_calls(self):
        path = self.folder / "kubectl-calls"
        return path.read_text().splitlines() if path.exists() else []

    def test_gathers_what_the_cluster_serves(self):
        done = self.run_plugin("k8s", "--pod", "ml/train", "-o", "json", "--context", "prod", CODE="1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.call(), "k8s - --pod ml/train -o json")
        self.assertEqual(self.kubectl_calls()[1:],
                         [f"--context prod get {kind} --all-namespaces -o json"
                          for kind in ("nodes", "pods", "priorityclasses.scheduling.k8s.io", "services")])
        self.assertEqual((self.folder / "input").read_text().count("list"), 3)
        self.assertIn("left out: services", done.stderr)

    def test_only_reads(self):
        for command in ("k8s", "frag", "place", "dra", "chain"):
            self.run_plugin(command)
        verbs = {word for call in self.kubectl_calls() for word in call.split()[:1]}
        self.assertEqual(verbs, {"get", "api-resources"})

    def test_a_cluster_argument_goes_through(self):
        for words in (["k8s", "dump.json", "--pod", "ml/train"], ["frag", "-"], ["k8s", "--nodes", "dump.json"],
                      ["k8s", "--message", "0/1 nodes"], ["gang", "jobs"], ["--version"], []):
            done = self.run_plugin(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.call(), " ".join(words))
        self.assertEqual(self.kubectl_calls(), [])

    def test_the_asked_pod_may_be_a_file(self):
        self.run_plugin("k8s", "--pod", "dump.json")
        self.assertEqual(self.call(), "k8s - --pod dump.json")

    def test_missing_programs_are_named(self):
        bare = self.folder / "bare"
        bare.mkdir()
        for tool in ("bash", "dirname", "readlink"):
            (bare / tool).symlink_to(shutil.which(tool))
        done = self.run_plugin("frag", PATH=str(bare))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^kubectl-gpusched: there is no gpusched on the PATH; .*\n$")
        (bare / "gpusched").symlink_to(self.folder / "gpusched")
        done = self.run_plugin("k8s", "--all-pending", PATH=str(bare))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^kubectl-gpusched: there is no kubectl on the PATH; .*gpusched k8s dump.json\n$")
        self.assertIn("there is no oc on", self.run_plugin("frag", PATH=str(bare), KUBECTL="oc --quiet").stderr)
        self.assertFalse((self.folder / "gpusched-call").exists())

    def test_no_answer_without_pods(self):
        self.assertEqual(self.run_plugin("k8s", "--all-pending", FAIL="pods").returncode, 2)


if __name__ == "__main__":
    unittest.main()
