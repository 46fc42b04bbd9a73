"""Tests of the golden and the document runner against a stand-in for the binary: a difference must be seen.

Run by CTest and by `python3 -m unittest`.
"""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))
import docs_test  # noqa: E402
import run_golden  # noqa: E402

# Says what it is told and what it sees; exits with the number in its last argument.
STAND_IN = """#!/bin/sh
echo "args $1"
echo "env $GPUSCHED_SEED$TZ" >&2
[ -z "$3" ] || echo written >"$3"
exit "${2:-0}"
"""


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.binary = self.root / "stand-in"
        self.binary.write_text(STAND_IN, encoding="utf-8")
        self.binary.chmod(0o755)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def quietly(self, function, *arguments):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            result = function(*arguments)
        return result, printed.getvalue()


class GoldenTest(RunnerTest):
    def case(self, **files):
        for name, text in files.items():
            self.write(f"tests/golden/place/basic/{name}", text)
        (found,) = run_golden.find_cases(self.root, "place/basic", True)
        return found

    def test_equal(self):
        case = self.case(cmd='gpusched "$CASE" 3\n', stdout="args tests/golden/place/basic\n", stderr="env UTC\n", exit="3\n")
        self.assertEqual(case.compare(self.binary), "")

    def test_each_difference_is_shown(self):
        report = self.case(cmd="gpusched b 1\n", stdout="args a\n").compare(self.binary)
        for text in ("-args a\n+args b\n", "+env UTC\n", "exit code 1, expected 0\n"):
            self.assertIn(text, report)

    def test_missing_newline_is_a_difference(self):
        report = self.case(cmd="gpusched a 2>/dev/null", stdout="args a").compare(self.binary)
        self.assertIn("No newline at end of file", report)

    def test_failure_in_front_of_a_pipe_is_seen(self):
        case = self.case(cmd="gpusched a 139 2>/dev/null | cat\n", stdout="args a\n")
        self.assertEqual(case.compare(self.binary), "exit code 139, expected 0\n")

    def test_written_files_and_their_paths(self):
        case = self.case(cmd="gpusched a 0 $TMP/x 2>/dev/null; cat $TMP/x; echo $TMP\n", stdout="args a\nwritten\n$TMP\n")
        self.assertEqual(case.compare(self.binary), "")

    def test_run_counts_failures(self):
        self.case(cmd="gpusched a\n")
        failed, printed = self.quietly(run_golden.run, run_golden.find_cases(self.root, "", False), self.binary)
        self.assertEqual(failed, 1)
        self.assertIn("FAILED place/basic\ngpusched a\n", printed)
        self.assertIn("0 of 1 cases", printed)

    def test_update_writes_and_removes(self):
        case = self.case(cmd="gpusched a 0 2>/dev/null\n", stdout="old\n", stderr="old\n", exit="1\n")
        self.assertTrue(case.update(self.binary))
        self.assertEqual(sorted(path.name for path in case.folder.iterdir()), ["cmd", "stdout"])
        self.assertEqual((case.folder / "stdout").read_text(), "args a\n")
        self.assertFalse(case.update(self.binary))


class DocumentTest(RunnerTest):
    def check(self, text):
        self.write("README.md", text)
        documents = docs_test.find_documents(self.root, "docs/README", True)
        return self.quietly(docs_test.check, documents, self.root, self.binary)

    def assert_fails(self, text, words):
        failed, printed = self.check(text)
        self.assertEqual(failed, 1, printed)
        self.assertIn(words, printed)

    def test_equal_blocks(self):
        for output in ("args a\nenv UTC", "...", "...\nenv UTC", "args a\n...", "args a\n...\nenv UTC"):
            with self.subTest(output):
                self.assertEqual(self.check(f"# T\n```console\n$ gpusched a\n{output}\n```\n")[0], 0)
        self.assertEqual(self.check("```console\n$ gpusched a 2>/dev/null\nargs a\n$ gpusched b 2>&1\nargs b\nenv UTC\n```\n")[0], 0)

    def test_dots_stand_for_any_lines(self):
        for expected, good in ((["..."], True), (["a", "..."], True), (["...", "c"], True), (["a", "...", "c"], True),
                               (["...", "b", "..."], True), (["a", "b", "...", "c"], True), (["a", "b", "...", "b", "c"], False),
                               (["...", "c", "...", "b", "..."], False), (["a"], False), (["...", "a"], False)):
            with self.subTest(expected):
                self.assertEqual(docs_test.matches(expected, ["a", "b", "c"]), good)

    def test_difference(self):
        self.assert_fails("```console\n$ gpusched a 2>/dev/null\nargs b\n```\n", "-args b\n+args a\n")

    def test_exit_code(self):
        self.assertEqual(self.check("```console\n$ gpusched a 1 2>/dev/null  # exit 1\nargs a\n```\n")[0], 0)
        self.assertEqual(self.check("```console\n$ gpusched a 1 2>/dev/null\nargs a\n$ echo $?\n1\n```\n")[0], 0)
        self.assert_fails("```console\n$ gpusched a 1 2>/dev/null\nargs a\n```\n", "exit code 1, expected 0")
        self.assert_fails("```console\n$ gpusched a 2>/dev/null  # exit 1\nargs a\n```\n", "exit code 0, expected 1")

    def test_continued_and_indented_commands(self):
        self.assertEqual(self.check("- x\n  ```console\n  $ gpusched \\\n      a 2>/dev/null\n  args a\n  ```\n")[0], 0)

    def test_other_blocks_are_not_run(self):
        self.assertEqual(self.check("```sh\n$ false\n```\n```\n$ false\n```\n")[0], 0)

    def test_the_project_is_not_written_to(self):
        self.write("fixtures/x", "old\n")
        text = "```console\n$ gpusched a 0 fixtures/x 2>/dev/null\nargs a\n$ cat fixtures/x\nwritten\n```\n"
        self.assertEqual(self.check(text)[0], 0)
        self.assertEqual((self.root / "fixtures/x").read_text(), "old\n")

    def test_dead_links(self):
        self.write("docs/there.md", "")
        self.assertEqual(self.check("[a](docs/there.md#x) [b](https://example.org/x)\n")[0], 0)
        self.assert_fails("\n[a](docs/not-there.md)\n", "README.md:2: the link docs/not-there.md leads nowhere")

    def test_update(self):
        text = "a\n```console\n$ gpusched a 2>/dev/null\n$ gpusched b 2>/dev/null\nold\nold\n```\n```console\n$ gpusched c\n...\nold\n```\nz\n"
        self.write("README.md", text)
        documents = docs_test.find_documents(self.root, "", False)
        _, printed = self.quietly(docs_test.update, documents, self.root, self.binary)
        self.assertIn("edit by hand: $ gpusched c", printed)
        self.assertEqual((self.root / "README.md").read_text(), text.replace("$ gpusched b", "args a\n$ gpusched b").replace(
            "/dev/null\nold\nold", "/dev/null\nargs b"))


if __name__ == "__main__":
    unittest.main()
