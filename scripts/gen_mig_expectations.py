#!/usr/bin/env python3
"""Writes tests/conformance/data/mig-configs.jsonl: what becomes of each configuration of gpu-operator on each MIG board.

usage: gen_mig_expectations.py > tests/conformance/data/mig-configs.jsonl

Works from src/mig/data/mig-geometry.json alone and shares nothing with the program, so that the test that reads the file
compares two ways of reading the same facts. A configuration is accepted on a board when one of its rules has the board's
PCI id (or none) and the board has the rule's profiles in that number, by trying every set of starts; or when mig-parted
0.14 would generate it from the board: all-<profile> at the largest count, all-balanced with the plain profiles.
"""

import json
from itertools import product
from pathlib import Path

DATA = json.loads((Path(__file__).resolve().parents[1] / "src/mig/data/mig-geometry.json").read_text())
ENGINES = ("copy_engines", "decoders", "encoders", "jpeg", "ofa")

# The list still carries names that drivers of March 2025 gave the profiles of GB200. 1g.24gb is not among them: four of it
# are another board's profile.
EARLY_NAMES = {"gb200-186gb": {"1g.24gb+me": "1g.23gb+me", "3g.95gb": "3g.93gb", "4g.95gb": "4g.93gb",
                               "7g.189gb": "7g.186gb"}}


def legal(board, placed):
    budget = board.get("engine_budget") or {}
    taken = [s for profile, start in placed for s in range(start, start + profile["memory_slices"])]
    if len(taken) != len(set(taken)) or any(s >= board["memory_slices"] for s in taken):
        return False
    if sum(p["compute_slices"] for p, _ in placed) > board["compute_slices"]:
        return False
    names = [p["name"] for p, _ in placed]
    if any(names.count(p["name"]) > p["max_instances"] for p, _ in placed):
        return False
    return all(budget.get(e) is None or sum(p[e] or 0 for p, _ in placed) <= budget[e] for e in ENGINES)


def fits(board, devices):
    """Whether some set of starts holds `devices`, a map of profile name to count."""
    profiles = {p["name"]: p for p in board["profiles"]}
    if any(name not in profiles for name in devices):
        return False
    wanted = [profiles[name] for name, count in devices.items() for _ in range(count)]
    if any(not p["starts"] for p in wanted) or sum(p["compute_slices"] for p in wanted) > board["compute_slices"]:
        return False
    return any(legal(board, list(zip(wanted, starts))) for starts in product(*(p["starts"] for p in wanted)))


def generated(board):
    configs = {"all-" + p["name"].replace("+", "."): {p["name"]: p["max_instances"]} for p in board["profiles"]}
    plain = {p["compute_slices"]: p["name"] for p in reversed(board["profiles"]) if not p["attributes"]}
    if board["compute_slices"] in (4, 7):
        balanced = {plain[1]: 2, plain[2]: 1}
        if board["compute_slices"] == 7:
            balanced[plain[3]] = 1
        configs["all-balanced"] = balanced
    return configs


def outcome(config, board):
    """The devices that the configuration gives on the board, or None."""
    for rule in config["rules"]:
        ids, devices = rule["pci_device_ids"], rule["mig_devices"]
        if ids is not None and not set(ids) & set(board["pci_device_ids"] or []):
            continue
        early = EARLY_NAMES.get(board["id"], {})
        devices = {early.get(name, name): count for name, count in devices.items()}
        if fits(board, devices):
            return devices
    made = generated(board).get(config["name"])
    return made if made is not None and fits(board, made) else None


def main():
    boards = [b for b in DATA["boards"] if all(p["starts"] for p in b["profiles"])]
    for config in DATA["mig_parted_configs"]["configs"]:
        accepted = {board["id"]: outcome(config, board) for board in boards}
        enabled = any(rule["mig_enabled"] for rule in config["rules"])
        print(json.dumps({"config": config["name"], "migEnabled": enabled, "boards": len(boards),
                          "accepted": {k: v for k, v in accepted.items() if v is not None}}))


if __name__ == "__main__":
    main()
