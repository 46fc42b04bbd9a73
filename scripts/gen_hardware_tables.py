#!/usr/bin/env python3
"""Write the hardware tables of src/io and src/whatif from their data.

usage: gen_hardware_tables.py [--reduce NODE-SHAPES.json] [--data-dir src/io/data] [--output-dir src]

Read are data/gpu-products.json and data/node-shapes.json; written are io/product_table.inc, io/shape_table.inc and
whatif/node_shape_table.inc. --reduce makes data/node-shapes.json anew from a fuller list of shapes (one object per shape, with sources), keeping the rows that only
the reduced file has.
"""
import argparse
import json
import pathlib
import re

HEADER = "// Written by scripts/gen_hardware_tables.py from data/{}; change that file, not this one.\n" \
         "// clang-format off\n"
LINKS = {"none": "kNone", "single-gpu": "kNone", "bridge": "kBridge", "bridge-pairs": "kBridge", "mesh": "kMesh",
         "hybrid-cube-mesh": "kMesh", "nvswitch": "kSwitch", "rack": "kRack", "nvswitch-rack": "kRack",
         "unknown": "kUnknown"}
# Shapes whose list names no GFD product.
PRODUCTS = {"T4G": "NVIDIA-T4G", "RTX PRO 4500 Blackwell": "NVIDIA-RTX-PRO-4500-Blackwell", "GH200": "NVIDIA-GH200"}


def reduce(shapes, present):
    """The members of each shape that the tables need, and the rows of `present` that the fuller list lacks."""
    sources, rows = {}, []
    for shape in shapes:
        gpu, link, numa = shape["gpu"], shape["interconnect"], shape.get("numa") or {}
        names = []
        for text in shape["source"]:
            text = re.sub(r", \d{8,}", "", text)  # a private number of the list's author
            names.append(next((key for key, value in sources.items() if value == text), f"s{len(sources) + 1}"))
            sources.setdefault(names[-1], text)
        fraction = gpu.get("fraction_of_gpu")
        memory = gpu.get("memory_documented") or ""
        rows.append({
            "instance_type": shape["instance_type"], "provider": shape["provider"],
            "product": gpu["nvidia_com_gpu_product"] or PRODUCTS[gpu["model"]],
            "count": 1 if fraction else gpu["count"], "parts": int(fraction.split("/")[1]) if fraction else 1,
            "part_mib": int(memory.split()[0]) if fraction and memory else 0,
            "link": link["kind"], "nvlink_gb_s": link["gb_s_per_gpu_per_direction"], "pcie_gen": shape["pcie_gen"] or 0,
            "numa": numa.get("gpu_nodes") or [], "arch": shape["arch"], "vcpu": shape["vcpu"] or 0,
            "memory_mib": shape["memory_mib"] or 0, "network_mbit": shape.get("network_mbps") or 0,
            "allocatable": allocatable(shape), "verification": shape["verification"], "sources": names})
    known = {row["instance_type"] for row in rows}
    for row in present["shapes"]:
        if row["instance_type"] not in known:
            rows.append(row)
            for name in row["sources"]:
                sources[name] = present["sources"][name]
    return {"shapes": rows, "sources": sources}


def allocatable(shape):
    """What the kubelet leaves of a shape, where its list tells: milli-CPU, MiB, pods."""
    amounts = shape.get("allocatable_by_karpenter")
    if not amounts:
        return []
    cpu, memory = amounts["cpu"], amounts["memory"]
    return [int(cpu[:-1]) if cpu.endswith("m") else int(cpu) * 1000, int(memory.removesuffix("Mi")), amounts["pods"]]


def render_json(document):
    """JSON with one shape or source a line."""
    shapes = ",\n".join(" " + json.dumps(row) for row in document["shapes"])
    sources = ",\n".join(f" {json.dumps(key)}: {json.dumps(text)}" for key, text in document["sources"].items())
    return f'{{"shapes": [\n{shapes}\n],\n"sources": {{\n{sources}\n}}}}\n'


def strings(values):
    return "{" + ", ".join(json.dumps(value) for value in values) + "}"


def source_lines(sources):
    return "//\n// Sources:\n" + "".join(f"//   {key}: {text}\n" for key, text in sources.items())


def product_table(document):
    products = document["products"]
    out = [HEADER.format("gpu-products.json"), source_lines(document["sources"]), "\n"]
    for i, row in enumerate(products):
        out.append(f"constexpr std::string_view kNames{i}[] = {strings(row['names'])};\n")
        if row.get("gke"):
            out.append(f"constexpr std::string_view kGke{i}[] = {strings(row['gke'])};\n")
    out.append("\n// {product, vendor, architecture, MiB from, to, as drivers report it (0 unknown), MB/s of NVLink and PCIe in one\n"
               "//  direction (0: none or unknown), link, names without the vendor's words, values of GKE's label}\n"
               "constexpr Product kProducts[] = {\n")
    for i, row in enumerate(products):
        low, high = row["memory_mib"]
        gke = f"kGke{i}" if row.get("gke") else "{}"
        pcie = pcie_mbps(row["pcie_gen"])
        out.append(f'  {{"{row["product"]}", "{row["vendor"]}", "{row["architecture"]}", {low}, {high}, {row["typical_mib"]}, '
                   f'{round(row["nvlink_gb_s"] * 1000)}, {pcie}, Link::{LINKS[row["link"]]}, kNames{i}, {gke}}},'
                   f'  // {", ".join(row["sources"])}\n')
    out.append("};\n// clang-format on\n")
    return "".join(out)


def pcie_mbps(generation):
    """x16 in one direction: 16 GB/s for generation 3, doubled by each one."""
    return 16000 << (generation - 3) if generation else 0


def shape_table(document):
    out = [HEADER.format("node-shapes.json"), source_lines(document["sources"]),
           "\n// {instance type, provider, product, GPUs, parts of a GPU in each (1: whole), MiB of such a part (0 unknown),\n"
           "//  link, MB/s of NVLink, PCIe and the node's network in one direction (network: 0 unknown), NUMA node of each\n"
           "//  GPU (one digit each, \"\" unknown)}\n"
           "constexpr Shape kShapes[] = {\n"]
    for row in sorted(document["shapes"], key=lambda shape: shape["instance_type"].lower()):
        numa = "".join(str(node) for node in row["numa"])
        out.append(f'  {{"{row["instance_type"]}", "{row["provider"]}", "{row["product"]}", {row["count"]}, {row["parts"]}, '
                   f'{row["part_mib"]}, Link::{LINKS[row["link"]]}, {row["nvlink_gb_s"] * 1000}, '
                   f'{pcie_mbps(row["pcie_gen"])}, {row.get("network_mbit", 0) // 8}, "{numa}"}},  // {", ".join(row["sources"])}; {row["verification"]}\n')
    out.append("};\n// clang-format on\n")
    return "".join(out)


def node_shape_table(document):
    """The shapes of whole GPUs of which the size of the machine is known, for `--add`."""
    rows = [row for row in document["shapes"] if row.get("vcpu") and row["parts"] == 1]
    out = [HEADER.format("node-shapes.json").replace(" data/", " src/io/data/"),
           "//\n// Sources: as in src/io/shape_table.inc; allocatable: Karpenter's figures in s1\n"
           "\n// {provider, instance type, architecture, vCPUs, MiB of memory (0 unknown), allocatable milli-CPU, MiB and pods\n"
           "//  (0 unknown), product, GPUs}\n"
           "constexpr NodeShape kShapes[] = {\n"]
    for row in sorted(rows, key=lambda shape: (shape["provider"], shape["instance_type"].lower())):
        cpu, memory, pods = row["allocatable"] or [0, 0, 0]
        out.append(f'  {{"{row["provider"]}", "{row["instance_type"].split(" (")[0]}", "{row["arch"]}", {row["vcpu"]}, {row["memory_mib"]}, '
                   f'{cpu}, {memory}, {pods}, "{row["product"]}", {row["count"]}}},  // {", ".join(row["sources"])}\n')
    out.append("};\n// clang-format on\n")
    return "".join(out)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reduce", type=pathlib.Path, help="the fuller list of shapes")
    parser.add_argument("--data-dir", type=pathlib.Path, default=root / "src/io/data")
    parser.add_argument("--output-dir", type=pathlib.Path, default=root / "src")
    options = parser.parse_args()
    shapes_file = options.data_dir / "node-shapes.json"
    shapes = json.loads(shapes_file.read_text(encoding="utf-8"))
    if options.reduce:
        shapes = reduce(json.loads(options.reduce.read_text(encoding="utf-8")), shapes)
        shapes_file.write_text(render_json(shapes), encoding="utf-8")
    products = json.loads((options.data_dir / "gpu-products.json").read_text(encoding="utf-8"))
    (options.output_dir / "io/product_table.inc").write_text(product_table(products), encoding="utf-8")
    (options.output_dir / "io/shape_table.inc").write_text(shape_table(shapes), encoding="utf-8")
    (options.output_dir / "whatif/node_shape_table.inc").write_text(node_shape_table(shapes), encoding="utf-8")


if __name__ == "__main__":
    main()
