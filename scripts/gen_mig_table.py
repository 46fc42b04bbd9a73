#!/usr/bin/env python3
"""Write the MIG tables of src/mig from a geometry document.

usage: gen_mig_table.py GEOMETRY.json [--reduced OUT.json] [--output-dir src/mig]

GEOMETRY.json is src/mig/data/mig-geometry.json, or a fuller document of the same kind (boards under "gpus", with notes);
--reduced writes the part of it that the tables need. Written: geometry_table.inc (boards and profiles) and
named_config_table.inc (mig-parted's named configurations).
"""
import argparse
import json
import pathlib
import re

VARIANTS = {(): "kPlain", ("me",): "kMedia", ("me.all",): "kAllMedia", ("-me",): "kNoMedia", ("gfx",): "kGraphics"}
ENGINES = ("copy_engines", "decoders", "encoders", "jpeg", "ofa")
BOARD_KEYS = ("id", "products", "pci_device_ids", "architecture", "memory_total_mib", "memory_nominal_gb", "sm_total",
              "compute_slices", "memory_slices", "max_instances", "engine_budget", "verification")
PROFILE_KEYS = ("name", "attributes", "compute_slices", "memory_slices", "starts", "max_instances", "gi_profile_id",
                "memory_mib", "sm") + ENGINES
HEADER = "// Written by scripts/gen_mig_table.py from data/mig-geometry.json; change that file, not this one.\n" \
         "// clang-format off\n"


def reduce(document):
    """The boards, named configurations and sources of a document, without notes."""
    boards = []
    for board in document.get("boards") or document["gpus"]:
        row = {key: board[key] for key in BOARD_KEYS}
        # A remark in brackets is not part of a product's name; a board known from a configuration group only has none.
        names = [name for name in board["products"] if "config group only" not in name]
        row["products"] = [re.sub(r" \(.*\)$", "", name) for name in names]
        row["profiles"] = [{key: profile[key] for key in PROFILE_KEYS} for profile in board["profiles"]]
        boards.append(row)
    configs = document["mig_parted_configs"]
    used = {name for board in boards for name in board["verification"]["sources"]} | {configs["source"]}
    sources = {name: text if isinstance(text, str) else f"{text['kind']}: {text['where']}"
               for name, text in document["sources"].items() if name in used}
    return {"boards": boards, "mig_parted_configs": {key: configs[key] for key in ("source", "configs")},
            "sources": sources}


def render_json(document):
    """JSON with one profile, configuration or source a line, so that a change of the data has a readable diff."""
    lines = ['{"boards": [']
    for i, board in enumerate(document["boards"]):
        fields = [f"  {json.dumps(key)}: {json.dumps(board[key])}" for key in BOARD_KEYS]
        profiles = ",\n".join("    " + json.dumps(profile) for profile in board["profiles"])
        end = "}," if i + 1 < len(document["boards"]) else "}"
        lines.append(" {" + ",\n".join(fields).lstrip() + ',\n  "profiles": [\n' + profiles + "]" + end)
    configs = document["mig_parted_configs"]
    lines.append(f'],\n"mig_parted_configs": {{"source": {json.dumps(configs["source"])}, "configs": [')
    lines.append(",\n".join(" " + json.dumps(config) for config in configs["configs"]))
    lines.append(']},\n"sources": {')
    lines.append(",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in document["sources"].items()))
    return "\n".join(lines) + "}}\n"


def number(value, unknown):
    return unknown if value is None else value


def engines(row):
    return "{" + ", ".join(str(number(row and row[name], -1)) for name in ENGINES) + "}"


def quoted_list(names):
    return ", ".join(f'"{name}"' for name in names)


def identifier(board):
    return "".join(part.capitalize() for part in board["id"].split("-"))


def profile_row(profile, board):
    starts = sum(1 << start for start in profile["starts"] or [])
    name = profile["name"]
    double = not profile["attributes"] and any(
        other is not profile and other["compute_slices"] == profile["compute_slices"] and not other["attributes"]
        and (other["memory_slices"] or 0) < (profile["memory_slices"] or 0) for other in board["profiles"])
    return (f'  {{"{name}", Variant::{VARIANTS[tuple(profile["attributes"])]}, {str(double).lower()}, '
            f'{profile["compute_slices"]}, {number(profile["memory_slices"], 0)}, 0x{starts:03x}, '
            f'{profile["max_instances"]}, {number(profile["gi_profile_id"], -1)}, {number(profile["memory_mib"], 0)}, '
            f'{number(profile["sm"], 0)}, {engines(profile)}}},\n')


def geometry_table(document):
    boards = document["boards"]
    out = [HEADER, "//\n// Sources:\n"]
    out += [f"//   {name}: {text}\n" for name, text in document["sources"].items()]
    out.append("\n// {name, variant, double memory, compute slices, memory slices, starts (bit per memory slice), max instances,\n"
               "//  GI profile id (-1 unknown), MiB (0 unknown), SM (0 unknown), {copy, decoder, encoder, JPEG, OFA} (-1 unknown)}\n")
    for board in boards:
        marks = board["verification"]
        out.append(f'\n// {board["id"]}: profiles {marks["profiles"]}; placements {marks["placements"]}.\n'
                   f'// Sources: {", ".join(marks["sources"])}\n')
        name = identifier(board)
        out.append(f'constexpr std::string_view kProducts{name}[] = {{{quoted_list(board["products"])}}};\n')
        out.append(f"constexpr Profile kProfiles{name}[] = {{\n")
        out += [profile_row(profile, board) for profile in board["profiles"]]
        out.append("};\n")
    out.append("\n// {id, products, architecture, compute slices, memory slices (0 unknown), total MiB (0 unknown), nominal GB,\n"
               "//  SM (0 unknown), most instances at once, starts known, engine budget, profiles}\n"
               "constexpr Board kBoards[] = {\n")
    for board in boards:
        name = identifier(board)
        known = str(all(profile["starts"] is not None for profile in board["profiles"])).lower()
        out.append(f'  {{"{board["id"]}", kProducts{name}, "{board["architecture"]}", {board["compute_slices"]}, '
                   f'{number(board["memory_slices"], 0)}, {number(board["memory_total_mib"], 0)}, '
                   f'{number(board["memory_nominal_gb"], 0)}, {number(board["sm_total"], 0)}, {board["max_instances"]}, '
                   f'{known}, {engines(board["engine_budget"])}, kProfiles{name}}},\n')
    out.append("};\n// clang-format on\n")
    return "".join(out)


def named_config_table(document):
    configs = document["mig_parted_configs"]
    boards = document["boards"]
    out = [HEADER, f'//\n// Source: {configs["source"]}, {document["sources"][configs["source"]]}\n//\n'
           "// {name, bit per board of kBoards (kAnyBoard: no device id given), MIG enabled, {profile, count} ...}\n"
           "// Rules of one name stand together, in the source's order.\n"
           "constexpr ConfigRule kConfigRules[] = {\n"]
    for config in configs["configs"]:
        for rule in config["rules"]:
            ids = rule["pci_device_ids"]
            mask = "kAnyBoard" if ids is None else hex(sum(
                1 << i for i, board in enumerate(boards) if set(ids) & set(board["pci_device_ids"])))
            counts = ", ".join(f'{{"{name}", {count}}}' for name, count in rule["mig_devices"].items())
            out.append(f'  {{"{config["name"]}", {mask}, {str(rule["mig_enabled"]).lower()}, {{{{{counts}}}}}}},\n')
    out.append("};\n// clang-format on\n")
    return "".join(out)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("geometry", type=pathlib.Path)
    parser.add_argument("--reduced", type=pathlib.Path, help="write the reduced document to this file")
    parser.add_argument("--output-dir", type=pathlib.Path, default=root / "src/mig")
    options = parser.parse_args()
    document = reduce(json.loads(options.geometry.read_text(encoding="utf-8")))
    if options.reduced:
        options.reduced.write_text(render_json(document), encoding="utf-8")
    (options.output_dir / "geometry_table.inc").write_text(geometry_table(document), encoding="utf-8")
    (options.output_dir / "named_config_table.inc").write_text(named_config_table(document), encoding="utf-8")


if __name__ == "__main__":
    main()
