#!/usr/bin/env python3
"""usage: check_documentation_test.py CHECK_DOCUMENTATION: checks that the script finds what lacks a comment."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = sys.argv.pop(1)


class CheckDocumentation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def findings(self):
        """File, line and name of each finding."""
        result = subprocess.run([SCRIPT, self.root], capture_output=True, text=True)
        findings = result.stdout.splitlines()
        self.assertEqual(result.returncode, 1 if findings else 0, result.stderr)
        return [" ".join(re.match(r"(.*?): warning: (?:Member|Compound) ([\w:]+)", line).groups()) for line in findings]

    def test_finds_undocumented_entities_of_cpp_headers(self):
        self.write("plimsoll/a/a.hpp", "namespace plimsoll::a {\nstruct Bare {\n  int member;\n};\n"
                                       "/// Commented.\nstruct Good {\n  int member;\n};\nvoid bare(int);\n"
                                       "/// Commented.\nvoid good(int);\n}\n")
        self.assertEqual(self.findings(), ["plimsoll/a/a.hpp:2 plimsoll::a::Bare", "plimsoll/a/a.hpp:9 bare"])

    def test_finds_undocumented_entities_of_c_headers(self):
        self.write("plimsoll.h", "/** Commented. */\ntypedef struct {\n  int good; /**< commented */\n  int bare_member;\n} good;\n"
                                 "/** Commented. */\nenum e {\n  GOOD, /**< commented */\n  BARE\n};\n"
                                 "void bare_function(int a);\n#define BARE_MACRO 1\n")
        self.assertEqual(self.findings(), ["plimsoll.h:11 bare_function", "plimsoll.h:12 BARE_MACRO",
                                           "plimsoll.h:4 bare_member", "plimsoll.h:7 BARE"])

    def test_accepts_documented_c_headers(self):
        self.write("plimsoll.h", "#ifndef PLIMSOLL_H\n#define PLIMSOLL_H\n/** Commented. */\nvoid good(int a);\n#endif\n")
        self.assertEqual(self.findings(), [])


if __name__ == "__main__":
    unittest.main()
