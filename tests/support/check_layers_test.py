"""Tests of scripts/check_layers.py: small trees with one violation each. Run by CTest and by `python3 -m unittest`."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import check_layers  # noqa: E402


def violations(**files):
    """What the checker says about a tree of these files; a key `src__base__a` is the file src/base/a.cpp."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in files.items():
            suffix = ".hpp" if name.startswith("include") else ".cpp"
            path = root / (name.replace("__", "/") + suffix)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        checker = check_layers.Checker(root)
        checker.run()
        return checker.violations


class CheckLayersTest(unittest.TestCase):
    def assert_one(self, found, place, word):
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(place + ": "), found)
        self.assertIn(word, found[0])

    def test_arrows_are_followed_transitively(self):
        self.assertEqual(violations(src__gang__a='#include "gpusched/base/quantity.hpp"\n'), [])
        self.assertEqual(violations(src__cli__a='#include "gpusched/cel/parser.hpp"\n'), [])
        self.assertEqual(violations(include__gpusched__model__a='#include "gpusched/base/strong_id.hpp"\n'), [])

    def test_include_against_the_arrow(self):
        self.assert_one(violations(src__model__a='#include <vector>\n\n#include "gpusched/mig/geometry.hpp"\n'),
                        "src/model/a.cpp:3", "model may not include mig")
        self.assert_one(violations(include__gpusched__base__a='#include "gpusched/model/ids.hpp"\n'),
                        "include/gpusched/base/a.hpp:1", "base may not include model")
        self.assert_one(violations(src__io__a='#include "gpusched/report/document.hpp"\n'),
                        "src/io/a.cpp:1", "io may not include report")

    def test_private_headers_stay_in_their_room(self):
        self.assertEqual(violations(src__dra__a='#include "dra/search.hpp"\n'), [])
        self.assert_one(violations(src__dra__a='#include "cel/lexer.hpp"\n'), "src/dra/a.cpp:1", "private to cel")
        self.assert_one(violations(include__gpusched__cel__a='#include "cel/lexer.hpp"\n'),
                        "include/gpusched/cel/a.hpp:1", "public header")

    def test_spelling_of_own_includes(self):
        self.assert_one(violations(src__cel__a='#include "../base/x.hpp"\n'), "src/cel/a.cpp:1", "write the path")
        self.assert_one(violations(src__cel__a='#include "lexer.hpp"\n'), "src/cel/a.cpp:1", "write the path")
        self.assert_one(violations(src__cel__a="#include <gpusched/cel/x.hpp>\n"), "src/cel/a.cpp:1", "quotes")

    def test_unknown_rooms(self):
        self.assert_one(violations(src__utils__a="\n"), "src/utils/a.cpp:1", "not a room")
        self.assert_one(violations(src__a="\n"), "src/a.cpp:1", "not a room")
        self.assert_one(violations(src__cel__a='#include "gpusched/utils/x.hpp"\n'), "src/cel/a.cpp:1", "not a room")

    def test_third_party_headers_have_their_rooms(self):
        for header, room, good in (("CLI/CLI.hpp", "io", "cli"), ("nlohmann/json.hpp", "dra", "render"),
                                   ("simdjson.h", "report", "io"), ("yaml-cpp/yaml.h", "render", "io"),
                                   ("zlib.h", "cli", "io"), ("zstd.h", "model", "io")):
            with self.subTest(header):
                line = f"#include <{header}>\n"
                self.assert_one(violations(**{f"src__{room}__a": line}), f"src/{room}/a.cpp:1", header)
                self.assertEqual(violations(**{f"src__{good}__a": line}), [])

    def test_cli11_in_two_files_only(self):
        line = "#include <CLI/CLI.hpp>\n"
        self.assertEqual(violations(src__cli__a=line + line, src__cli__b=line), [])
        self.assert_one(violations(src__cli__a=line, src__cli__b=line, src__cli__c=line), "src/cli/c.cpp:1", "CLI11")

    def test_whole_range_library_nowhere(self):
        line = "#include <range/v3/all.hpp>\n"
        self.assert_one(violations(src__cli__a=line), "src/cli/a.cpp:1", "narrow")
        self.assert_one(violations(tests__unit__a=line), "tests/unit/a.cpp:1", "narrow")
        self.assertEqual(violations(src__dra__a="#include <range/v3/view/zip.hpp>\n"), [])

    def test_pure_rooms_do_not_meet_the_world(self):
        for text in ("#include <iostream>", "#include <fstream>", "#include <filesystem>", "#include <thread>",
                     "#include <sstream>", "auto t = std::chrono::steady_clock::now();", 'std::getenv("HOME");',
                     'std::printf("x");', 'fmt::print("x");'):
            with self.subTest(text):
                self.assert_one(violations(src__gang__a=text + "\n"), "src/gang/a.cpp:1", "pure room")
                self.assertEqual(violations(src__io__a=text + "\n"), [])
                self.assertEqual(violations(src__report__a=text + "\n"), [])

    def test_words_that_only_look_like_it(self):
        for text in ("// steady_clock, getenv", '/* #include <iostream>\n#include <iostream> */',
                     'auto s = "getenv";', "auto n = 0xffff'ffffU;  // 'getenv'", 'auto r = R"(std::shuffle)";',
                     "snprintf(buffer, 9, format);", "log.printf(1);", "#include <chrono>"):
            with self.subTest(text):
                self.assertEqual(violations(src__gang__a=text + "\n"), [])

    def test_random_numbers_come_from_base(self):
        self.assert_one(violations(src__cli__a="std::shuffle(a, b, c);\n"), "src/cli/a.cpp:1", "base/rng")

    def test_table_without_circles(self):
        with self.assertRaises(ValueError):
            check_layers.reachable_rooms({"a": "b", "b": "a"})
        self.assertEqual(check_layers.reachable_rooms({"a": "b", "b": "c", "c": ""})["a"], {"a", "b", "c"})


if __name__ == "__main__":
    unittest.main()
