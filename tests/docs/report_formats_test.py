#!/usr/bin/env python3
"""Holds --report junit, sarif and markdown against what their readers demand, for answers of every command and for names that try
to leave their place.

usage: report_formats_test.py --binary PATH [--root PROJECT_ROOT]

JUnit: the elements and attributes that the schema of Jenkins' xUnit plugin (junit-10.xsd) allows, and counts that are right. SARIF:
the members that SARIF 2.1.0 requires of what we write, and only members that it knows; OASIS' schema itself is not copied here. The
rules must be those of docs/formats/sarif.md.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

COMMANDS = {
    "place": "place fixtures/cluster.json fixtures/pods.json --policy spread --view extended",
    "place-fail-on": "place fixtures/nearly-full.json fixtures/span-pods.json --view extended --fail-on consequences",
    "place-preemption": "place fixtures/cluster.json fixtures/preempt-pods.json --requeue-evicted",
    "place-dump": "place fixtures/dump/cluster.json fixtures/dump/workloads.yaml",
    "frag": "frag fixtures/fragmented.json --min-fit 2=4 --max-stranded 8=50",
    "frag-without-thresholds": "frag fixtures/fragmented.json",
    "k8s": "k8s --nodes fixtures/kind/nodes.json --pods fixtures/kind/pods.json --pod fixtures/kind/gpu-c.json",
    "k8s-all-pending": "k8s fixtures/dump/cluster.json --all-pending",
    "k8s-verify": "k8s fixtures/dump/cluster.json --verify",
    "dra": "dra --cluster fixtures/cluster.json --objects fixtures/dra.json",
    "dra-select": "dra --cluster fixtures/cluster.json --select device.nothing",
    "gang": "gang fixtures/gang-cluster.json fixtures/jobs.json --mode pod",
    "gang-kueue": "gang fixtures/kueue/queues.yaml fixtures/kueue/workloads.yaml --mode kueue",
    "chain": "chain fixtures/chain/mixed.json fixtures/chain/workloads.yaml",
    "check": "check fixtures/suite.yaml",
}

HOSTILE = "</testcase>]]><!--|`@all #1 [x](http://evil.example) \u202e\x1b[2J =cmd"
SCHEMA = {  # element: (attributes, children)
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"testcase"}),
    "testcase": ({"name", "classname", "time"}, {"failure", "error", "skipped", "system-out", "system-err"}),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}
LEVELS = {"none", "note", "warning", "error"}


def junit_problems(text):
    root = ElementTree.fromstring(text)
    if root.tag != "testsuites":
        yield f"root element {root.tag}"
    for element in root.iter():
        attributes, children = SCHEMA[element.tag]
        if not set(element.attrib) <= attributes:
            yield f"{element.tag} has {sorted(set(element.attrib) - attributes)}"
        if {child.tag for child in element} - children:
            yield f"{element.tag} holds {sorted({child.tag for child in element} - children)}"
        if children and (element.text or "").strip():
            yield f"{element.tag} has text"
    for suite in (root, *root):
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            if int(suite.attrib[name]) != len(list(suite.iter(tag))):
                yield f"{name} is {suite.attrib[name]}"


def only(where, value, required, allowed=()):
    """Problems of an object whose members are not the required ones and some of the allowed ones."""
    if not isinstance(value, dict):
        yield f"{where} is no object"
        return
    for key in required:
        if key not in value:
            yield f"{where} misses {key}"
    for key in set(value) - set(required) - set(allowed):
        yield f"{where} has {key}"


def location_problems(where, location):
    yield from only(where, location, ["logicalLocations"], ["physicalLocation"])
    for logical in location["logicalLocations"]:
        yield from only(where, logical, ["name", "fullyQualifiedName", "kind"], ["decoratedName"])
    if "physicalLocation" in location:
        physical = location["physicalLocation"]
        yield from only(where, physical, ["artifactLocation", "region"])
        yield from only(where, physical["artifactLocation"], ["uri"])
        if not re.fullmatch(r"(?:[A-Za-z0-9._~/:-]|%[0-9A-F]{2})+", physical["artifactLocation"]["uri"]):
            yield f"{where}: {physical['artifactLocation']['uri']} is no URI reference"
        yield from only(where, physical["region"], ["startLine"])
        if not (isinstance(physical["region"]["startLine"], int) and physical["region"]["startLine"] >= 1):
            yield f"{where}: line {physical['region']['startLine']}"


def sarif_problems(text):
    log = json.loads(text)
    yield from only("log", log, ["$schema", "version", "runs"])
    if log["version"] != "2.1.0" or len(log["runs"]) != 1:
        yield "not one run of version 2.1.0"
    run = log["runs"][0]
    yield from only("run", run, ["tool", "automationDetails", "results"])
    driver = run["tool"]["driver"]
    yield from only("driver", driver, ["name", "rules"])
    for rule in driver["rules"]:
        yield from only(rule["id"], rule, ["id", "name", "shortDescription", "defaultConfiguration"])
        if rule["defaultConfiguration"]["level"] not in LEVELS:
            yield f"{rule['id']}: level {rule['defaultConfiguration']['level']}"
    for number, result in enumerate(run["results"]):
        where = f"result {number}"
        yield from only(where, result, ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"])
        if driver["rules"][result["ruleIndex"]]["id"] != result["ruleId"] or result["level"] not in LEVELS:
            yield f"{where}: {result['ruleId']} at {result['ruleIndex']}, {result['level']}"
        if not result["message"]["text"] or re.search(r"(?<!\\)\]\(", result["message"]["text"]):
            yield f"{where}: message {result['message']['text']!r}"
        if not all(isinstance(value, str) for value in result["partialFingerprints"].values()):
            yield f"{where}: fingerprints"
        for location in result["locations"]:
            yield from location_problems(where, location)


def markdown_problems(text):
    if len(text.encode()) >= 65536:
        yield "too long for a comment"
    open_code = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", text)
    for tag in re.findall(r"<[^>]*>", open_code):
        if tag not in ("<details>", "</details>", "<summary>", "</summary>", "<br>", "<!-- -->"):
            yield f"markup {tag}"
    for pattern in (r"@(?!<!-- -->)", r"\]\(", r"https?://", r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]"):
        if re.search(pattern, open_code):
            yield f"{pattern} in its text"
    for line in open_code.splitlines():
        if line.startswith("|") and line.count("|") not in (3, 5):
            yield f"a row of {line.count('|') - 1} cells"


PROBLEMS = {"junit": junit_problems, "sarif": sarif_problems, "markdown": markdown_problems}


class Checks:
    def __init__(self, root, binary, folder):
        self.root, self.binary, self.folder = root, binary, folder
        self.count = 0
        self.failures = []

    def check(self, title, problems):
        self.count += 1
        self.failures += [f"{title}: {problem}" for problem in problems]

    def reports(self, title, command):
        words = command.split() if isinstance(command, str) else command
        files = {name: self.folder / f"{title}.{name}" for name in PROBLEMS}
        asked = [word for name, path in files.items() for word in ("--report", f"{name}={path}")]
        answer = subprocess.run([self.binary, *words, *asked], cwd=self.root, capture_output=True, text=True, timeout=120,
                                check=False)
        if answer.returncode not in (0, 1):
            self.check(title, [answer.stderr])
            return
        for name, path in files.items():
            self.check(f"{title} {name}", PROBLEMS[name](path.read_text(encoding="utf-8")))
        levels = [result["level"] for result in json.loads(files["sarif"].read_text(encoding="utf-8"))["runs"][0]["results"]]
        failed = ElementTree.parse(files["junit"]).getroot().attrib["failures"] != "0"
        if failed != (answer.returncode == 1) or ("error" in levels) != (answer.returncode == 1):
            self.check(title, [f"exit {answer.returncode}, failures in JUnit {failed}, levels {levels}"])

    def rules(self):
        page = (self.root / "docs/formats/sarif.md").read_text(encoding="utf-8")
        documented = re.findall(r"^\| `(GPU\d+)` \| (\w+) \| (\w+) \|", page, re.MULTILINE)
        log = json.loads((self.folder / "place.sarif").read_text(encoding="utf-8"))
        written = [(rule["id"], rule["name"], rule["defaultConfiguration"]["level"])
                   for rule in log["runs"][0]["tool"]["driver"]["rules"]]
        self.check("rules", [] if documented == written else [f"{set(documented) ^ set(written)} differ from sarif.md"])

    def locations(self):
        log = json.loads((self.folder / "place-dump.sarif").read_text(encoding="utf-8"))
        log["runs"][0]["results"] += json.loads((self.folder / "place.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
        for result in log["runs"][0]["results"]:
            name = result["locations"][0]["logicalLocations"][0]["name"].rpartition("/")[2]
            place = result["locations"][0].get("physicalLocation")
            if place is None or place["region"]["startLine"] == 1:
                continue
            lines = (self.root / place["artifactLocation"]["uri"]).read_text(encoding="utf-8").splitlines()
            near = "\n".join(lines[place["region"]["startLine"] - 1:][:8])
            whole = name in near or name.rpartition("-")[0].rpartition("-")[0] in near  # a pod of a workload
            self.check(f"place of {name}", [] if whole else [f"is not at {place}"])

    def hostile_names(self):
        pods = self.folder / "hostile pods#1.json"
        pods.write_text(json.dumps({"pods": [{"name": HOSTILE, "gpus": 64}, {"name": HOSTILE + "2", "gpus": 1}]}),
                        encoding="utf-8")
        self.reports("hostile", ["place", "fixtures/cluster.json", str(pods)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(options.root.resolve(), options.binary.resolve(), Path(folder))
        for title, command in COMMANDS.items():
            checks.reports(title, command)
        checks.hostile_names()
        checks.rules()
        checks.locations()
    for failure in checks.failures:
        print(f"FAILED {failure}")
    print(f"report formats: {checks.count} checks, {len(checks.failures)} failures")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
