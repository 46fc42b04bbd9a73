#!/usr/bin/env python3
"""Job traces through `gpusched gang`: the figures that other simulators gave for the same jobs.

usage: traces_test.py --binary PATH [--data FOLDER] [NAME]

NAME chooses the rows whose trace or mode contains it. The traces are read from FOLDER, else from $GPUSCHED_DATA_DIR, else
from ../shared/data beside the project, else those that the project carries; rows of a trace that is not there are
skipped and counted.

Rules behind the figures: everything that ends at a time, then the arrivals in file order, then one pass; nobody is
evicted; jobs larger than the cluster and jobs that never ran are left out. Percentiles by nearest rank, slowdown
bounded at 10 s. Rows marked PAI also came out of Alibaba's PAI simulator (clusterdata v2020), the others of one
independent implementation.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

PHILLY = "philly-gavel/philly_vc_jobs.csv"
LUBLIN = "swf/lublin_256.swf"
NASA = "swf/NASA-iPSC-1993-3.1-cln.swf"
TIRESIAS = "tiresias/60_job.csv"
CARRIED = {PHILLY: "tests/conformance/data/traces/philly_vc_jobs.csv", TIRESIAS: "fixtures/traces/60_job.csv"}

# trace, queue, GPUs, mode, policy: mean JCT, mean wait, wait p50, p95, p99, makespan, utilisation, bounded slowdown
POOLS = [
    (PHILLY, "6c71a0", "128", "fifo", "493343.08 387822.76 470131 616231 659013 4475315 0.5302 53.034"),
    (PHILLY, "6c71a0", "128", "befifo", "365212.57 259692.24 233895 611559 669305 4315744 0.5498 29.695"),  # PAI
    (PHILLY, "6c71a0", "128", "sjf", "168859.77 63339.44 20144 215964 524222 4207974 0.5639 3.891"),  # PAI
    (PHILLY, "6c71a0", "128", "easy", "469899.98 364379.65 446629 608678 652522 4434312 0.5351 45.306"),
    (PHILLY, "ee9e8c", "320", "fifo", "250472.68 96837.80 16471 388148 431361 6171061 0.6464 10.609"),
    (PHILLY, "ee9e8c", "320", "befifo", "195209.00 41574.12 0 234487 707656 6329118 0.6303 3.918"),
    (PHILLY, "ee9e8c", "320", "sjf", "175407.70 21772.82 0 56982 564656 6352279 0.6280 1.624"),
    (PHILLY, "ee9e8c", "320", "easy", "222607.07 68972.19 4148 356918 405645 6136583 0.6500 4.968"),
    (LUBLIN, "", "256", "fifo", "2393306.53 2388443.76 2397893 4383794 4711457 12482549 0.6549 66502.476"),
    (LUBLIN, "", "256", "befifo", "68635.41 63772.64 2522 217310 1278291 8966268 0.9117 764.413"),
    (LUBLIN, "", "256", "sjf", "52366.08 47503.32 0 25400 1160851 9694517 0.8433 31.192"),
    (LUBLIN, "", "256", "easy", "102018.76 97155.99 23070 598413 843392 8730698 0.9363 590.054"),
    (NASA, "", "128", "fifo", "780.29 8.08 0 0 0 7949022 0.4661 1.026"),
    (NASA, "", "128", "easy", "776.28 4.07 0 0 0 7949022 0.4661 1.012"),
    (TIRESIAS, "", "16", "fifo", "200.82 22.40 0 90 152 3335 0.4990 1.164"),
    (TIRESIAS, "", "16", "easy", "194.13 15.72 0 64 143 3335 0.4990 1.111"),
]

# The same on nodes of 8 GPUs: first-fit, best-fit and worst-fit by idle GPUs. mean JCT, mean wait, makespan
NODES = [
    ("6c71a0", "16x8", "befifo", "first-fit", "446511.04 340990.71 4458990"),  # PAI
    ("6c71a0", "16x8", "befifo", "binpack", "445446.23 339925.90 4458559"),  # PAI
    ("6c71a0", "16x8", "befifo", "spread", "297368.46 191848.14 4193165"),  # PAI
    ("6c71a0", "16x8", "sjf", "first-fit", "186262.23 80741.90 4316744"),
    ("6c71a0", "16x8", "sjf", "binpack", "184065.87 78545.55 4317519"),
    ("6c71a0", "16x8", "sjf", "spread", "253420.04 147899.71 4206445"),
    ("ee9e8c", "40x8", "befifo", "first-fit", "205939.76 52304.88 6582696"),
    ("ee9e8c", "40x8", "befifo", "binpack", "208367.25 54732.37 6626126"),
    ("ee9e8c", "40x8", "befifo", "spread", "267949.71 114314.82 6853054"),
    ("ee9e8c", "40x8", "sjf", "first-fit", "190478.80 36843.92 6613392"),
    ("ee9e8c", "40x8", "sjf", "binpack", "190943.18 37308.30 6690260"),
    ("ee9e8c", "40x8", "sjf", "spread", "220278.36 66643.48 6841427"),
]


def rows():
    for trace, queue, gpus, mode, expected in POOLS:
        yield f"pool {Path(trace).stem} {queue}".strip(), trace, queue, gpus, mode, "binpack", expected
    for queue, gpus, mode, policy, expected in NODES:
        yield f"nodes {Path(PHILLY).stem} {queue}", PHILLY, queue, gpus, mode, policy, expected


def find(folder, trace):
    candidates = [Path(folder) / trace] if folder else []
    if not folder:
        if "GPUSCHED_DATA_DIR" in os.environ:
            candidates.append(Path(os.environ["GPUSCHED_DATA_DIR"]) / trace)
        candidates.append(PROJECT.parent / "shared" / "data" / trace)
    if trace in CARRIED:
        candidates.append(PROJECT / CARRIED[trace])
    return next((path for path in candidates if path.is_file()), None)


def ask(binary, path, queue, gpus, mode, policy):
    words = [binary, "gang", "--gpus", gpus, str(path), "--mode", mode, "--policy", policy, "--oversized", "drop", "-q", "-o", "json"]
    done = subprocess.run(words + (["--queue", queue] if queue else []), capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 2:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def figures(report, count):
    every = report["metrics"]["all"]
    mean = [f"{every['jct']['mean']:.4f}", f"{every['wait']['mean']:.4f}"]
    if count == 3:
        return mean + [str(report["makespan"])]
    percentiles = [f"{every['wait'][p]:.0f}" for p in ("p50", "p95", "p99")]
    return mean + percentiles + [str(report["makespan"]), f"{report['utilisation']:.4f}",
                                 f"{every['boundedSlowdown']['mean']:.3f}"]


def same(mine, theirs):
    """Equal at the digits that are printed; a tie in the last digit may have been rounded either way."""
    digits = len(theirs.partition(".")[2])
    return abs(float(mine) - float(theirs)) <= 0.5 * 10 ** -digits + 1e-9


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--data")
    parser.add_argument("name", nargs="?", default="")
    arguments = parser.parse_args()
    families, skipped = {}, 0
    for family, trace, queue, gpus, mode, policy, expected in rows():
        if arguments.name not in f"{family} {mode}":
            continue
        path = find(arguments.data, trace)
        if path is None or (queue and f"\n{queue}," not in path.read_text()):
            skipped += 1
            continue
        wanted = expected.split()
        got = figures(ask(arguments.binary, path, queue, gpus, mode, policy), len(wanted))
        equal = len(got) == len(wanted) and all(map(same, got, wanted))
        if not equal:
            print(f"{family} {gpus} {mode} {policy}\n  ours   {' '.join(got)}\n  theirs {expected}")
        good, all_rows = families.get(family, (0, 0))
        families[family] = (good + equal, all_rows + 1)
    for family, (good, all_rows) in families.items():
        print(f"{family}: {good} of {all_rows} equal")
    if skipped:
        print(f"{skipped} rows skipped: their traces are not here")
    return 0 if families and all(good == all_rows for good, all_rows in families.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
