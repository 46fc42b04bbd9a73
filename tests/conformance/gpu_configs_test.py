#!/usr/bin/env python3
"""Public configuration files of GPU operators: read by the option that is for them, refused with a reason by the others.

usage: gpu_configs_test.py --binary PATH [--field FOLDER]

The files are in ../shared/cases/field-files/configs beside the project, else the sample in tests/conformance/data/gpu-configs.
What each of them is stands in the table below; a file that is not in it must be refused by all three options.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SHARED = PROJECT.parent / "shared/cases/field-files/configs"
SAMPLE = PROJECT / "tests/conformance/data/gpu-configs"

CLUSTER = {"nodes": [{"name": "n", "gpu": {"model": "A100-SXM4-80GB", "count": 2, "memory_gib": 80, "time_slicing": 2}}]}
PODS = {"pods": [{"name": "p", "gpus": 1, "shared": True}]}

KIND = {
    "gpu-operator-configmap-default-mig-parted-config.yaml": "mig",
    "mig-parted-configmap-mig-parted-config-2.yaml": "mig",
    "mig-parted-systemd-default.yaml": "mig",
    "gpu-operator-plugin-config-dpcfg.yaml": "plugin",
    "k8s-ai-conformance-configmap-time-slicing-config.yaml": "plugin",
    "k8s-device-plugin-readme-dpcfg-2.yaml": "plugin",
    "k8s-device-plugin-readme-dpcfg-3.yaml": "plugin",
    "k8s-device-plugin-readme-dpcfg-4.yaml": "plugin",
    "ts-12-ops684.yaml": "plugin",
    "gpushare-scheduler-extender-kubeschedulerconfiguration-sched.yaml": "scheduler",
    "gpushare-scheduler-policy.yaml": "scheduler",
    "koordinator-schedcfg-20220609-resource-reservation.yaml": "scheduler",
    "kwok-schedcfg-podgroup-scheduler-config.yaml": "scheduler",
    "kwok-schedcfg-scheduler-config.yaml": "scheduler",
}
# One of them is in every message about a file of another kind.
REASONS = ("expected", "unknown", "has no key")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--field", type=Path, default=SHARED if SHARED.is_dir() else SAMPLE)
    arguments = parser.parse_args()
    failed, done = [], 0
    with tempfile.TemporaryDirectory() as folder:
        cluster, pods = Path(folder) / "cluster.json", Path(folder) / "pods.json"
        cluster.write_text(json.dumps(CLUSTER))
        pods.write_text(json.dumps(PODS))
        place = ["place", cluster, pods]
        questions = {
            "plugin": [*place, "--device-plugin-config"],
            "mig": ["frag", "--mig-layout", "A100-SXM4-80GB=all-disabled", "--mig-parted-config"],
            "scheduler": [*place, "--view", "extended", "--scheduler-config"],
        }
        for path in sorted(arguments.field.glob("*.yaml")):
            own = KIND.get(path.name)
            for option, words in questions.items():
                answer = subprocess.run([arguments.binary, *map(str, words), path], capture_output=True, timeout=20)
                done += 1
                text = answer.stderr.decode()
                if option == own and answer.returncode == 2:
                    failed.append(f"{path.name} as {option}: refused\n{text}")
                elif option != own and (answer.returncode != 2 or not any(word in text for word in REASONS)):
                    failed.append(f"{path.name} as {option}: exit {answer.returncode}\n{text}")
    for problem in failed:
        print(problem)
    print(f"gpu configurations: {done - len(failed)} of {done} equal")
    return 1 if failed or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
