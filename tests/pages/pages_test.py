#!/usr/bin/env python3
"""Open the pages of --report html in Chromium: they render, filter, sort, print, and ask the network for nothing.

usage: tests/pages/pages_test.py --binary build/dev/gpusched [--screenshots FOLDER]

Exits with 77, which CTest shows as skipped, where Chromium or Selenium is not installed.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from browser import Browser

PLACE = "place fixtures/cluster.json fixtures/pods.json --policy spread"
FRAG = "frag fixtures/mixed.yaml --by model"
PENDING = "k8s --nodes fixtures/kind/nodes.json --pods fixtures/kind/pods.json --pod fixtures/kind/gpu-c.json"

ROWS = """return [...document.querySelectorAll(arguments[0] + ' tbody tr')].filter((r) => !r.hidden).map((r) => r.cells[0].innerText.trim())"""
TYPE = """const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event(arguments[2]))"""
MANY_NODES = 1200


def typed(browser, selector, value, event="input"):
    browser.js(TYPE, selector, value, event)
    time.sleep(0.3)  # longer than the pause after which the page filters


def test_place(b):
    b.open(b.write("place", PLACE))
    b.check("title", "Placement" in b.driver.title, b.driver.title)
    b.check("the Pending pod comes with its message", "3 Insufficient nvidia.com/gpu" in b.js(
        "return document.querySelector('#pending .message').innerText"))
    b.check("a row for each pod", len(b.js(ROWS, "#pods")) == 14)
    typed(b, "#pods .tools input", "chat")
    b.check("the text filter", b.js(ROWS, "#pods") == ["chat-0", "chat-1", "chat-2", "chat-3"], b.js(ROWS, "#pods"))
    b.check("the filter says how many", "4 of 14" in b.js("return document.querySelector('#pods .tools').innerText"))
    typed(b, "#pods .tools input", "")
    typed(b, "#pods .tools select", "✗ Pending", "change")
    b.check("the choice of a verdict", b.js(ROWS, "#pods") == ["train-8"], b.js(ROWS, "#pods"))
    typed(b, "#pods .tools select", "", "change")
    test_sort(b)
    test_map(b)
    order = b.tab_order(8)
    b.check("the keyboard goes from the skip link through the contents to the first table",
            order[0].startswith("A:Skip") and order[1].startswith("A:Why") and order[5].startswith("DIV:Why no node"), order)


def test_sort(b):
    head = "document.querySelector('#pods thead th:nth-child(1) button')"
    b.js(f"{head}.click()")
    up = b.js(ROWS, "#pods")
    b.check("sorted by name", up == sorted(up) and b.js(f"return {head}.closest('th').getAttribute('aria-sort')") == "ascending", up)
    b.js(f"{head}.click()")
    b.check("and the other way round", b.js(ROWS, "#pods") == up[::-1])
    b.js("document.querySelector('#fragmentation thead th:nth-child(4) button').click()")
    sizes = b.js(ROWS, "#fragmentation")
    b.check("numbers are sorted as numbers, the largest first", sizes[0] == "8", sizes)


def test_map(b):
    visible = "return [...document.querySelectorAll('#map .node')].filter((n) => !n.hidden).map((n) => n.querySelector('b').innerText)"
    b.check("all nodes are on the map", len(b.js(visible)) == 5)
    typed(b, "#map .tools input", "rerank")
    b.check("nodes are found by a pod", b.js(visible) == ["mig-a"], b.js(visible))
    typed(b, "#map .tools input", "")
    typed(b, "#map .tools select", "shared", "change")
    b.check("and by their state", b.js(visible) == ["l4-a"], b.js(visible))
    typed(b, "#map .tools select", "", "change")
    b.js("document.querySelector('#map tr[data-p] button').focus()")
    b.check("a pod of the list is shown on the map",
            b.js("return document.querySelectorAll('#map .map .on').length") == 2)
    b.js("document.querySelector('#map .node summary').click()")
    b.check("a node tells who holds what", "notebook-0" in b.js("return document.querySelector('#map .who').innerText"))


def test_frag(b):
    b.open(b.write("frag", FRAG))
    b.check("a bar for each size", b.js("return document.querySelectorAll('#fragmentation svg.bar').length") == 4)
    b.check("bars say what they show", "stranded" in b.js("return document.querySelector('svg.bar').getAttribute('aria-label')"))
    b.check("MIG slices", b.js("return document.querySelectorAll('#map .map .m').length") == 8)
    sheets, pdf = b.pages_printed()
    b.check("it prints", 1 <= sheets <= 6 and len(pdf) > 10000, sheets)


def test_pending(b):
    b.open(b.write("pending", PENDING))
    b.check("the message word for word", b.js("return document.querySelector('.message').innerText").startswith(
        "0/1 nodes are available: 1 Insufficient example.com/gpu."))
    b.check("changes that help", "evict gpu/gpu-b" in b.js("return document.querySelector('#answer').innerText"))
    b.check("figures of the node", "requested 2, free 1 of 4" in b.js("return document.querySelector('#nodes').innerText"))


def test_pending_nodes(b):
    """Many nodes: picked by plugin and reason."""
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i:02d}"},
              "spec": {"taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}]} if i % 3 == 0 else {},
              "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110", "nvidia.com/gpu": str(i % 2)}}}
             for i in range(30)]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "wants", "namespace": "ml"},
           "spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "2"}}}]}}
    source = b.folder / "nodes.json"
    source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}))
    (b.folder / "pod.json").write_text(json.dumps(pod))
    b.open(b.write("pending-nodes", f"k8s {source} --pod {b.folder / 'pod.json'}"))
    b.check("a row for each node", len(b.js(ROWS, "#nodes")) == 30)
    labels = b.js("return [...document.querySelectorAll('#nodes .tools label')].map((l) => l.firstChild.textContent)")
    b.check("fields for plugin and reason", labels == ["Find in this table", "plugin", "reasons"], labels)
    b.js("""const s = [...document.querySelectorAll('#nodes .tools select')][0];
            s.value = 'TaintToleration'; s.dispatchEvent(new Event('change'))""")
    b.check("nodes of one plugin", len(b.js(ROWS, "#nodes")) == 10, b.js(ROWS, "#nodes"))
    typed(b, "#nodes .tools input", "n03")
    b.check("and a word", b.js(ROWS, "#nodes") == ["n03"], b.js(ROWS, "#nodes"))


def test_all_pending(b):
    b.open(b.write("all-pending", "k8s fixtures/dump/cluster.json --all-pending"))
    b.check("causes", "fragmented" in b.js("return document.querySelector('#causes').innerText"))
    b.check("pods lead to their answers", b.js("return document.querySelector('#pods a').getAttribute('href')") == "#answer-1")


def test_gang(b):
    b.open(b.write("gang", "gang fixtures/gang-cluster.json fixtures/jobs.json --mode pod"))
    b.check("bars of jobs", b.js("return document.querySelectorAll('#timeline svg.timeline rect:not(.lane)').length") == 5,
            b.js("return document.querySelectorAll('#timeline svg.timeline rect:not(.lane)').length"))
    b.check("what waits looks different", b.js("return document.querySelectorAll('#timeline rect.holds').length") >= 4)
    b.check("the deadlock is marked", b.js("return document.querySelectorAll('#timeline .dead').length") == 1)
    b.check("a row for each job", b.js(ROWS, "#jobs") == ["blocker", "llm-a", "llm-b"])
    b.open(b.write("gang-kueue", "gang fixtures/kueue/queues.yaml fixtures/kueue/workloads.yaml --mode kueue"))
    b.check("admitted workloads", len(b.js(ROWS, "#admitted")) > 0)


def test_chain(b):
    b.open(b.write("chain", "chain fixtures/chain/h100-mixed.json fixtures/chain/workloads.yaml"))
    for section in ("gates", "nodes", "labels", "flavors", "queues", "admitted"):
        b.check(f"rows of {section}", len(b.js(ROWS, "#" + section)) > 0)
    b.check("objects as JSON", b.js("return document.querySelectorAll('#objects pre').length") > 5)
    typed(b, "#labels .tools input", "hbm3.memory")
    b.check("labels are found", len(b.js(ROWS, "#labels")) == 1)


def test_what_if(b):
    b.open(b.write("what-if", "frag fixtures/fragmented.json --cordon dgx-a --remove dgx-b"))
    b.check("the edits come first", b.js("return document.querySelector('main section').id") == "what-if")
    b.check("in their order", len(b.js(ROWS, "#what-if")) >= 2)
    b.check("the map before them, too", b.js("return document.querySelectorAll('[data-map]').length") == 2)


def test_other_kinds(b):
    b.open(b.write("other", "k8s fixtures/dump/cluster.json --verify"))
    b.check("members of a document without a page of its own", b.js("return document.querySelectorAll('dt').length") > 0)


def test_many_nodes(b):
    gpu = {"model": "H100-SXM5-80GB", "count": 8, "memory_gib": 80, "islands": [list(range(8))]}
    nodes = [{"name": f"node-{i:04d}", "gpu": gpu | {"busy": [{"pod": f"pod-{i}", "gpus": list(range(i % 9))}] if i % 9 else []}}
             for i in range(MANY_NODES)]
    source = b.folder / "many.json"
    source.write_text(json.dumps({"nodes": nodes}))
    b.open(b.write("many", f"frag {source}"))
    b.check("many nodes stand in groups", b.js("return document.querySelectorAll('#map .group').length") == 9)
    took = b.js("""
        const begin = performance.now(); const select = document.querySelector('#map .tools select');
        select.value = 'full'; select.dispatchEvent(new Event('change')); document.body.offsetHeight;
        return performance.now() - begin""")
    b.check("and filter within half a second", took < 500, took)
    b.check("by what is free", b.js("return [...document.querySelectorAll('#map .group')].filter((g) => !g.hidden).length") == 1)


def test_without_script(b):
    path = b.write("without-script", PLACE)
    b.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    b.driver.get(path.as_uri())
    b.check("the page says all without its script", "3 Insufficient nvidia.com/gpu" in b.driver.page_source)
    b.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_hostile_names(b):
    evil = "<img src=x onerror=document.title='owned'></td><script>document.title='owned'</script>"
    source = b.folder / "hostile.json"
    gpu = {"model": evil, "count": 2, "memory_gib": 80, "busy": [{"pod": evil + "\u202e\x07", "gpus": [0]}]}
    source.write_text(json.dumps({"nodes": [{"name": evil, "gpu": gpu}]}))
    b.open(b.write("hostile", f"frag {source}"))
    b.check("names are text", b.driver.title != "owned" and b.js("return document.images.length") == 0)
    b.check("and can be read", b.js("return document.querySelector('.node b').innerText") == evil)


TESTS = (test_place, test_frag, test_pending, test_pending_nodes, test_all_pending, test_gang, test_chain, test_what_if,
         test_other_kinds, test_many_nodes, test_without_script, test_hostile_names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    parser.add_argument("--screenshots", type=Path, help="also write pictures of the pages for a person to look at")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(options.binary.resolve(), options.root.resolve(), folder)
        try:
            for test in TESTS:
                test(browser)
            if options.screenshots:
                options.screenshots.mkdir(parents=True, exist_ok=True)
                for page in sorted(Path(folder).glob("*.html")):
                    browser.driver.get(page.as_uri())
                    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 375)):
                        browser.screenshot(options.screenshots / f"{page.stem}-{scheme}-{width}.png", width, scheme)
        finally:
            browser.driver.quit()
    for failure in browser.failures:
        print(f"FAILED {failure}")
    print(f"pages: {browser.checks} checks, {len(browser.failures)} failures")
    return 1 if browser.failures else 0


if __name__ == "__main__":
    sys.exit(main())
