#!/usr/bin/env python3
"""usage: mutation_test.py PLIMSOLL PLUGIN PREFIX

Checks that the tests of the documents find errors. Each case changes one place of a document in a copy, and expects that
the test reports it. PLIMSOLL and PLUGIN are those of documentation_test.py, PREFIX that of snippets_test.py.
"""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the next three are in the source folder
import documentation_test
import snippets_test
from fixtures import SOURCE

MEASURE = "docs/tutorials/measure-your-code.md"
SOLVER = "docs/how-to/write-a-layout-solver.md"


class DocumentationCheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = Path(self.folder.name)

    def copy(self, page, old="", new=""):
        """Creates a source tree that consists of one page, and replaces the first OLD in it."""
        text = (SOURCE / page).read_text()
        self.assertIn(old, text, f"{page} no longer contains the text that this test changes")
        (self.source / page).parent.mkdir(parents=True, exist_ok=True)
        (self.source / page).write_text(text.replace(old, new, 1))
        for name in ("README.md", "CONTRIBUTING.md"):
            if page != name:
                (self.source / name).touch()

    def documentation_errors(self, test, *change):
        """The messages of a test of documentation_test.py for a changed page."""
        self.copy(*change)
        changed = type("Changed", (documentation_test.Documentation,), {"source": self.source})
        result = unittest.TestResult()
        unittest.TestSuite([changed(test)]).run(result)
        self.assertEqual(result.errors, [])
        return "".join(message for _, message in result.failures)

    def snippet_errors(self, page, language, *change):
        """The message of snippets_test.py for the blocks of a changed page in a language."""
        self.copy(page, *change)
        try:
            groups = snippets_test.groups_of(self.source)
            snippets_test.check_group(snippets_test.TOOLS, self.source, (page, language), groups[page, language])
        except AssertionError as error:
            return str(error)
        return ""

    def test_finds_changed_number_of_output(self):
        self.assertEqual(self.documentation_errors("test_shows_outputs_of_commands", MEASURE), "")
        self.assertIn("-valid: 0 errors, 0 warnings in 4 files (16 phase records, 273 tasks",
                      self.documentation_errors("test_shows_outputs_of_commands", MEASURE, "272 tasks", "273 tasks"))

    def test_finds_unknown_option(self):
        test, page = "test_uses_existing_commands_and_options", "docs/how-to/place-ranks.md"
        self.assertEqual(self.documentation_errors(test, page), "")
        self.assertIn('unknown option "--node"', self.documentation_errors(test, page, "--nodes hosts.txt", "--node hosts.txt"))

    def test_finds_unknown_command(self):
        self.assertIn("unknown subcommand", self.documentation_errors("test_uses_existing_commands_and_options", MEASURE,
                                                                      "$ plimsoll validate", "$ plimsoll valdate"))

    def test_finds_changed_line_of_python(self):
        self.assertEqual(self.snippet_errors(SOLVER, "python"), "")
        self.assertIn("KeyError", self.snippet_errors(SOLVER, "python", 'problem["totaltasks"]', 'problem["total"]'))

    def test_finds_changed_line_of_c(self):
        self.assertIn("plimsoll_stop", self.snippet_errors(MEASURE, "c", "plimsoll_end(recorder, block)",
                                                           "plimsoll_stop(recorder, block)"))

    def test_finds_changed_command_of_compiler(self):
        self.assertIn("plimsoll-runtim", self.snippet_errors(MEASURE, "c", "plimsoll-runtime) -lstdc++ -lm",
                                                             "plimsoll-runtim) -lstdc++ -lm"))

    def test_finds_new_language(self):
        self.assertIn('blocks of language "rust"', self.snippet_errors(MEASURE, "rust", "```cpp", "```rust"))


if __name__ == "__main__":
    documentation_test.use_programs(*sys.argv[1:3])
    snippets_test.TOOLS = snippets_test.Tools(sys.argv[3])
    unittest.main(argv=sys.argv[:1])
