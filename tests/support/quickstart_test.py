#!/usr/bin/env python3
"""scripts/quickstart in a project of stubs: what it says, and that nothing happens unless it is asked for."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/quickstart"

INSTALL_DEPS = """#!/bin/sh
echo "install-deps $*" >>calls
"""
CMAKE = """#!/bin/sh
echo "cmake $*" >>calls
case "$*" in
  *--build*) for i in $(seq 1 25); do echo "[$i/25] Building CXX object $i"; done; exit ${FAIL:-0} ;;
  *) echo "-- configured" ;;
esac
"""
GPUSCHED = """#!/bin/sh
echo "placed"
exit ${CODE:-0}
"""


class Quickstart(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.project = Path(temporary.name)
        for name, text in (("scripts/install-deps", INSTALL_DEPS), ("bin/cmake", CMAKE), ("build/release/gpusched", GPUSCHED)):
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        shutil.copy(SCRIPT, self.project / "scripts/quickstart")

    def quickstart(self, *words, **environment):
        return subprocess.run([self.project / "scripts/quickstart", *words], cwd=self.project, capture_output=True, text=True,
                              timeout=60, env={"PATH": f"{self.project}/bin:/usr/bin:/bin", **environment})

    def calls(self):
        path = self.project / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def test_installs_builds_and_answers(self):
        done = self.quickstart()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.calls(), ["install-deps --build", "cmake --preset release", "cmake --build --preset release"])
        built = [line for line in done.stdout.splitlines() if line.startswith("built")]
        self.assertEqual([re.sub(r", \d+ min \d+ s$", "", line) for line in built],
                         [f"built {done} of 25" for done in (3, 5, 8, 10, 13, 15, 18, 20, 23, 25)])
        for word in ("placed", "gpusched k8s fixtures/dump/cluster.json --all-pending", "export PATH=$PWD/build/release:$PATH"):
            self.assertIn(word, done.stdout)
        self.assertEqual(self.quickstart(CODE="1").returncode, 0)
        self.assertEqual(self.quickstart(CODE="2").returncode, 2)

    def test_a_failed_build_shows_the_end_of_its_log(self):
        done = self.quickstart(FAIL="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[25/25] Building CXX object 25", done.stderr)
        self.assertNotIn("placed", done.stdout)

    def test_help_does_nothing_else(self):
        for word in ("--help", "-h"):
            done = self.quickstart(word)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("scripts/quickstart --help", done.stdout)
        done = self.quickstart("--fast")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("quickstart: unknown argument '--fast'", done.stderr)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
