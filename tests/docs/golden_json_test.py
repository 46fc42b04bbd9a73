#!/usr/bin/env python3
"""Holds every JSON document in the expected outputs of the golden cases against the JSON Schemas of docs/formats.

usage: golden_json_test.py [--root PROJECT_ROOT]

Every kind of document must have a schema, and no document may have keys that its schema does not name: a new key is added
there, and to the page beside it. An output counts when all of it is one JSON document of ours.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from schemas import KINDS, Schemas

def documents(root):
    """(case, document) of every golden output that is a document of ours."""
    for path in sorted((root / "tests/golden").glob("*/*/stdout")):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError):
            continue
        if isinstance(document, dict) and str(document.get("apiVersion", "")).startswith("gpusched/"):
            yield f"{path.parent.parent.name}/{path.parent.name}", document


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    options = parser.parse_args()
    schemas = Schemas(options.root.resolve() / "docs/formats", strict=True)
    counts = Counter()
    failures = []
    for case, document in documents(options.root.resolve()):
        kind = document.get("kind")
        counts[kind] += 1
        if kind not in KINDS:
            failures.append(f"{case}: there is no schema for {kind}")
            continue
        failures += [f"{case}: {problem}" for problem in schemas.errors(*KINDS[kind], document)]
    failures += [f"no golden case prints a {kind}" for kind in KINDS if not counts[kind] and kind != "VersionReport"]
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"golden JSON: {sum(counts.values())} documents of {len(counts)} kinds, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
