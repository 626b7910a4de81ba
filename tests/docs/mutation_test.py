#!/usr/bin/env python3
"""usage: mutation_test.py PREFIX

Checks that the tests of the documents find errors. Each case changes one place of a document in a copy, and expects
that the test reports it. PREFIX and the variables are those of documentation_test.py.
"""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the next three are in the source folder
import documentation_test
import snippets_test
from fixtures import SOURCE

DATA_FILES = "docs/reference/lb-data-files.md"
MEASURE = "docs/tutorials/measure-your-code.md"
PLACE = "docs/how-to/place-ranks.md"
REPORT = "docs/how-to/look-at-a-report.md"
SOLVER = "docs/how-to/write-a-layout-solver.md"
STRATEGY = "docs/how-to/choose-a-strategy.md"


class DocumentationCheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = Path(self.folder.name)

    def copy(self, page, old="", new=""):
        """Creates a source tree that consists of one page, and replaces the first OLD in it."""
        text = (SOURCE / page).read_text()
        self.assertIn(old, text, f"{page} no longer contains the text that this test changes")
        for name in ("README.md", "CONTRIBUTING.md", page):
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            (self.source / name).touch()
        (self.source / page).write_text(text.replace(old, new, 1))

    def reader_problem(self, page, *change):
        """The problem of a reader of a changed page."""
        self.copy(page, *change)
        return documentation_test.problem_of_page(self.source / page, page) or ""

    def usage_errors(self, *change):
        """What the test of commands and options reports for a changed page."""
        self.copy(*change)
        changed = type("Changed", (documentation_test.Documentation,), {"source": self.source})
        result = unittest.TestResult()
        unittest.TestSuite([changed("test_uses_existing_commands_and_options")]).run(result)
        self.assertEqual(result.errors, [])
        return "".join(message for _, message in result.failures)

    def snippet_errors(self, page, language, *change):
        """The message of snippets_test.py for the blocks of a changed page in a language."""
        self.copy(page, *change)
        key = page, language
        try:
            snippets_test.check_group(self.source, key, snippets_test.groups_of(self.source)[key])
        except AssertionError as error:
            return str(error)
        return ""

    def test_finds_changed_number_of_output(self):
        self.assertEqual(self.reader_problem(STRATEGY), "")
        self.assertIn("-max memory per rank           1.9 GiB    5.7 GiB",
                      self.reader_problem(STRATEGY, "1.9 GiB    5.6 GiB", "1.9 GiB    5.7 GiB"))

    def test_finds_missing_command_that_creates_a_file(self):
        self.assertIn("data: ", self.reader_problem(REPORT, "    plimsoll generate -o data\n"))

    def test_finds_missing_name_of_file(self):
        self.assertIn("my_solver", self.reader_problem(SOLVER, "`my_solver`", "a file"))
        self.assertIn('blocks of language "python"', self.snippet_errors(SOLVER, "python", "`my_solver`", "a file"))

    def test_finds_command_that_the_demo_does_not_provide(self):
        readme = "README.md"
        self.assertIn("plimsoll: command not found", self.reader_problem(readme, "$ export PATH", "$ export PLACE"))
        self.assertIn("unknown subcommand layout",
                      self.reader_problem(readme, "$ plimsoll balance", "$ plimsoll layout list\n$ plimsoll balance"))

    def test_finds_unknown_option(self):
        self.assertEqual(self.usage_errors(PLACE), "")
        self.assertIn('unknown option "--node"', self.usage_errors(PLACE, "--nodes hosts.txt", "--node hosts.txt"))

    def test_finds_unknown_command(self):
        self.assertIn("unknown subcommand", self.usage_errors(MEASURE, "$ plimsoll validate", "$ plimsoll valdate"))

    def test_finds_changed_line_of_python(self):
        self.assertEqual(self.reader_problem(SOLVER), "")
        self.assertIn("KeyError", self.reader_problem(SOLVER, 'problem["totaltasks"]', 'problem["total"]'))

    def test_finds_changed_line_of_program(self):
        self.assertIn("next_phas", self.reader_problem(MEASURE, "recorder.next_phase()", "recorder.next_phas()"))

    def test_finds_changed_command_of_compiler(self):
        self.assertIn("plimsoll-runtim", self.reader_problem(MEASURE, "plimsoll-runtime) -o", "plimsoll-runtim) -o"))

    def test_finds_changed_line_of_data_file(self):
        self.assertIn("data.0.json", self.snippet_errors(DATA_FILES, "json", '"bytes": 8192.0', '"bytes": -1'))

    def test_finds_new_language(self):
        self.assertIn('blocks of language "rust"', self.snippet_errors(DATA_FILES, "rust", "```json", "```rust"))


if __name__ == "__main__":
    documentation_test.PREFIX = snippets_test.PREFIX = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
