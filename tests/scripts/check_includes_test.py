#!/usr/bin/env python3
"""usage: check_includes_test.py CHECK_INCLUDES: checks that the script finds each kind of invalid include."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = sys.argv.pop(1)
TABLE = """
| module | purpose | uses |
|---|---|---|
| `runtime` | top | lbdata, support |
| `lbdata` | middle | support |
| `support` | bottom | fmt |
"""


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("docs/explanation/architecture.md", TABLE)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def findings(self):
        result = subprocess.run([sys.executable, SCRIPT, self.root], capture_output=True, text=True)
        findings = result.stdout.splitlines()
        self.assertEqual(result.returncode, 1 if findings else 0, result.stderr)
        return findings

    def test_accepts_headers_of_used_modules_and_own_private_ones(self):
        self.write("src/runtime/a/a.cpp", '#include <vector>\n#include <plimsoll/lbdata/x.hpp>\n#include "runtime/a/a.hpp"\n')
        self.write("src/runtime/b.cpp", "#include <plimsoll.h>\n#include <plimsoll/support.hpp>\n")
        self.write("include/plimsoll.h", "#include <mpi.h>\n")
        self.assertEqual(self.findings(), [])

    def test_finds_include_of_module_above(self):
        self.write("include/plimsoll/support/io.hpp", "\n#include <plimsoll/lbdata/reader.hpp>\n")
        self.assertEqual(self.findings(), ["include/plimsoll/support/io.hpp:2: plimsoll/lbdata/reader.hpp: "
                                           "`support` does not use `lbdata` (docs/explanation/architecture.md)"])

    def test_finds_include_of_whole_interface_of_module_above(self):
        self.write("include/plimsoll/lbdata.hpp", "#include <plimsoll/runtime.hpp>\n#include <plimsoll.h>\n")
        self.assertEqual(len(self.findings()), 2)

    def test_finds_include_of_private_header_of_module_below(self):
        self.write("src/lbdata/a.cpp", '#include "support/io/raw.hpp"\n')
        self.assertEqual(self.findings(), ["src/lbdata/a.cpp:1: support/io/raw.hpp: private header of `support`; "
                                           "`lbdata` may include public headers only"])

    def test_finds_include_of_internal_header_in_installed_header(self):
        self.write("include/plimsoll/support/parse.hpp", "#include <plimsoll/support/internal/text.hpp>\n")
        self.write("include/plimsoll/lbdata/internal/x.hpp", "#include <plimsoll/support/internal/text.hpp>\n")
        self.assertEqual(self.findings(), ["include/plimsoll/support/parse.hpp:1: plimsoll/support/internal/text.hpp: "
                                           "header that is not installed; installed headers may not include it"])

    def test_finds_module_missing_from_table(self):
        self.write("src/report/a.cpp", "")
        self.assertEqual(self.findings(), ["src/report/a.cpp: module `report` is missing from the table in docs/explanation/architecture.md"])

    def test_finds_table_row_that_uses_module_above(self):
        self.write("docs/explanation/architecture.md", TABLE.replace("| fmt |", "| fmt, runtime |"))
        self.assertEqual(self.findings(), ["docs/explanation/architecture.md: `support` uses `runtime`, which is not below it"])


if __name__ == "__main__":
    unittest.main()
