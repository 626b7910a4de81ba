#!/usr/bin/env python3
"""usage: check_words_test.py CHECK_WORDS: checks that the script finds each rule's words in changed lines, and no others."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = sys.argv.pop(1)

# rule, sentence that breaks it
WRONG = [
    (1, "x is no value for parameter y"),
    (1, "The nodes are none of the ranks."),
    (1, "No rank is known."),
    (3, "There is a phase without data."),
    (3, "If there are objects, they are placed."),
    (3, "Overwrites a data set that is there; is there one?"),
    (5, "Writes one file a call."),
    (5, "Few objects a rank cost 24 bytes a message."),
    (5, "It prints 3 ms a phase."),
    (6, "The greatest load decides."),
    (6, "Finds the least work."),
    (9, "Empty files are passed over."),
    (9, "The block is left out."),
    (9, "Buffers are not looked at."),
    (9, "The ranks are said."),
    (10, "time is -1, not 0 or more"),
    (10, "cuts is {}, not from 1 to 1000"),
    (10, "speed is {}, not above 0"),
]
RIGHT = """The strategy is no longer needed, and at least one rank is known. A node is not a rank. Their loads matter.
The least loaded rank of a least-squares line gets a call per phase. Look at the table. It is a phase, and sends one message to a rank.
unknown strategy; invalid time -1 for task 3: must be >= 0. Nothing over 100 bytes, and not more than 3 calls.
`least` and `greatest` are keys, and so are "least" and "greatest".
"""


class CheckWords(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):  # set if this runs in a hook of git
            os.environ.pop(name, None)
        self.git("init", "--quiet")
        self.commit()

    def git(self, *arguments):
        identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
                    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", *arguments], cwd=self.root, env={**os.environ, **identity}, check=True)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "x")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.git("add", "--all")

    def findings(self):
        result = subprocess.run([sys.executable, SCRIPT, "HEAD"], cwd=self.root, capture_output=True, text=True)
        findings = result.stdout.splitlines()
        self.assertEqual(result.returncode, 1 if findings else 0, result.stderr)
        return findings

    def test_finds_violations_of_each_rule_in_each_kind_of_text(self):
        kinds = {"a.md": "{}", "docs/b.md": "| `x` | {} |", "src/c.cpp": "int a;  // {}", "src/d.cpp": 'fail("{}");',
                 "src/e.hpp": "/* {} */", "src/f.h": 'R"({})"', "src/g.c": "/*\n * {} */", "src/h.f90": "x = 1 ! {}"}
        for path, kind in kinds.items():
            self.write(path, "".join(kind.replace("{}", sentence) + "\n" for _, sentence in WRONG))
        findings = self.findings()
        for path, kind in kinds.items():
            for number, (rule, sentence) in enumerate(WRONG, start=1):
                line = 2 * number if "\n" in kind else number
                start = f"{path}:{line}: "
                rules = [finding for finding in findings if finding.startswith(start)]
                with self.subTest(sentence=sentence, path=path):
                    self.assertTrue(rules)
                    for finding in rules:
                        self.assertRegex(finding, rf': ".+" \(rule {rule} of texts in CONTRIBUTING.md\): use ".+"')

    def test_finds_violations_in_names_of_tests(self):
        self.write("tests/a_test.cpp", "TEST(Plugin, WhatIsNoSharedLibraryIsRefused) {}\nTEST_F(Plugin, IsLeftOut) {}\n")
        self.write("tests/a_test.py", "def test_there_is_one(self):\n")
        self.assertEqual([finding.partition(":")[0] + finding.partition('"')[2].partition('"')[0] for finding in self.findings()],
                         ["tests/a_test.cppIs No Shared", "tests/a_test.cppLeft Out", "tests/a_test.pythere is"])

    def test_accepts_plain_sentences_in_each_kind_of_text(self):
        self.write("a.md", RIGHT)
        self.write("a.cpp", "".join(f"// {line}\n" for line in RIGHT.replace("`least` and `greatest`", "x and y").splitlines()))
        self.assertEqual(self.findings(), [])

    def test_accepts_code_keys_and_commands(self):
        self.write("a.md", "Text.\n```console\n$ echo there is no x\n```\n")
        self.write("a.cpp", 'int there_is, left; auto least = field("greatest"); bool is_no = 1\'000;\n')
        self.write("a.txt", "There is one.\n")
        self.assertEqual(self.findings(), [])

    def test_accepts_quoted_formats_of_other_tools(self):
        self.write("src/collectives/files/writer.cpp", '"there is one file a rank"\n')
        self.assertEqual(self.findings(), [])

    def test_accepts_violations_in_unchanged_lines(self):
        self.write("a.md", "There is one.\n\nEnd.\n")
        self.commit()
        self.write("a.md", "There is one.\n\nThere are two.\nEnd.\n")
        self.assertEqual(self.findings(), ['a.md:3: "There are" (rule 3 of texts in CONTRIBUTING.md): '
                                           'use "exists", "missing", "unknown", or a subject and a verb'])

    def test_accepts_deleted_files(self):
        self.write("a.md", "There is one.\n")
        self.commit()
        (self.root / "a.md").unlink()
        self.assertEqual(self.findings(), [])


if __name__ == "__main__":
    unittest.main()
