#!/usr/bin/env python3
"""usage: manual_test.py PLIMSOLL

Tests the texts of the command: help, man pages, completions in real shells, and their width and characters.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PLIMSOLL = Path(sys.argv.pop(1)).resolve()

# Words of a command line, the last of them begun, and candidates that complete it. "!" marks a word that is no candidate.
COMPLETIONS = [
    ("plimsoll ba", "balance"),
    ("plimsoll layout s", "solve submit !list"),
    ("plimsoll balance data --str", "--strategy"),
    ("plimsoll balance data --strategy Greedy", "GreedyLB GreedyRefineLB !RefineLB"),
    ("plimsoll layout solve --cost ", "day total"),
    ("plimsoll strategies Ref", "RefineLB RefineSwapLB"),
    ("plimsoll completions ", "bash zsh fish"),
    ("plimsoll help exit", "exit-codes"),
    ("plimsoll help ba", "balance"),
    ("plimsoll info some", "some-directory/ some-file"),
    ("plimsoll balance data --output some", "some-directory/ !some-file"),
    ("plimsoll compare data --strategies GreedyLB,Refine", "GreedyLB,RefineLB"),
]
BASH_QUERY = r"""
source "$1"
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"
  [[ $line == *' ' ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _plimsoll 2>/dev/null
  word=${COMP_WORDS[COMP_CWORD]}
  if ((${#COMPREPLY[@]} == 0)); then mapfile -t COMPREPLY < <(compgen -f -- "$word"); fi  # as -o default
  for reply in "${COMPREPLY[@]}"; do
    if [[ -d $reply ]]; then reply+=/; fi
    printf '%s\t' "$reply"
  done
  echo
done
"""
FISH_QUERY = r"""
source $argv[1]
while read -l line
  for candidate in (complete -C "$line")
    printf '%s\t' (string split -f 1 \t -- $candidate)
  end
  echo
end
"""


def plimsoll(*words, **options):
    return subprocess.run([PLIMSOLL, *words], capture_output=True, encoding="utf-8", timeout=60, **options)


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.share = cls.folder / "share"
        assert plimsoll("help", "--write", cls.share).returncode == 0
        (cls.folder / "some-directory").mkdir()
        (cls.folder / "some-file").touch()

    def check_candidates(self, output):
        lines = output.split("\n")
        for (begun, expected), line in zip(COMPLETIONS, lines, strict=False):
            found = line.split("\t")
            with self.subTest(begun):
                for candidate in expected.split():
                    if candidate.startswith("!"):
                        self.assertNotIn(candidate[1:], found)
                    else:
                        self.assertIn(candidate, found)

    def ask(self, shell, query, script):
        begun = "".join(line + "\n" for line, _ in COMPLETIONS)
        done = subprocess.run([shell, *query, script], input=begun, capture_output=True, encoding="utf-8", cwd=self.folder,
                              timeout=60, env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(done.stderr, "")
        self.check_candidates(done.stdout)

    def test_completes_in_bash(self):
        script = self.share / "bash-completion/completions/plimsoll"
        self.ask("bash", ["-c", BASH_QUERY, "bash"], script)

    def test_completes_in_fish(self):
        if not shutil.which("fish"):
            self.skipTest("needs fish")
        self.ask("fish", ["-N", "-c", FISH_QUERY], self.share / "fish/vendor_completions.d/plimsoll.fish")

    def test_has_valid_syntax_for_zsh(self):
        if not shutil.which("zsh"):
            self.skipTest("needs zsh")
        script = self.share / "zsh/site-functions/_plimsoll"
        done = subprocess.run(["zsh", "-fn", script], capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_prints_the_installed_completions(self):
        for shell, path in {"bash": "bash-completion/completions/plimsoll", "zsh": "zsh/site-functions/_plimsoll",
                            "fish": "fish/vendor_completions.d/plimsoll.fish"}.items():
            self.assertEqual(plimsoll("completions", shell).stdout, (self.share / path).read_text(), shell)

    def test_writes_a_man_page_per_command(self):
        pages = {page.name for page in (self.share / "man/man1").iterdir()}
        self.assertLessEqual({"plimsoll.1", "plimsoll-balance.1", "plimsoll-help.1", "plimsoll-validator.1",
                              "JSON_data_files_validator.py.1"}, pages)
        checks = [command for command in (["groff", "-ww", "-man", "-z"], ["mandoc", "-T", "lint", "-W", "warning"])
                  if shutil.which(command[0])]
        for page in pages:
            for command in checks:
                with self.subTest(page=page, tool=command[0]):
                    done = subprocess.run([*command, self.share / "man/man1" / page], capture_output=True, encoding="utf-8",
                                          timeout=60)
                    problems = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
                    self.assertEqual(problems, [])  # without a date, builds are reproducible
        if not checks:
            self.skipTest("needs groff or mandoc")

    def test_describes_the_validator_in_its_man_page(self):
        page = (self.share / "man/man1/plimsoll-validator.1").read_text()
        for part in ("\\-\\-dir_path", "plimsoll\\-validator \\-\\-dir_path vt_lb_data", ".SH SEE ALSO\n.BR plimsoll (1)"):
            self.assertIn(part, page)
        self.assertNotIn("EXIT\\-CODES", page)  # topics are on the page of plimsoll only

    def test_keeps_existing_files(self):
        again = plimsoll("help", "--write", self.share)
        self.assertEqual(again.returncode, 2)
        self.assertIn("plimsoll.1", again.stderr)
        self.assertEqual(plimsoll("help", "--write", self.share, "--force").returncode, 0)


class Help(unittest.TestCase):
    def test_shows_subcommands_and_topics(self):
        for words, part in {
                (): "\n  layout solve  ",
                ("topics",): "unknown subcommand or topic",
                ("balance",): "\nUsage: plimsoll balance [OPTIONS] PATH...\n",
                ("exit-codes",): "  2  wrong usage",
                ("layout",): "\nUsage: plimsoll layout [OPTIONS] SUBCOMMAND\n",
                ("layout", "sole"): 'did you mean "solve"?',
                ("info", "data"): 'unexpected argument "data"',
        }.items():
            with self.subTest(words=words):
                shown = plimsoll("help", *words)
                self.assertIn(part, shown.stdout + shown.stderr)
        self.assertEqual(plimsoll("help", "layout", "solve").stdout, plimsoll("layout", "solve", "--help").stdout)


class Text(unittest.TestCase):
    """Text fits 80 columns, is plain ASCII in the locale C, and does not print control characters of names."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        plimsoll("generate", "--ranks", "3", "--footprint", "1e6", "--blocks-per-rank", "2", "--block-bytes", "1e6",
                 "--phases", "2", "-o", cls.folder / "data")

    def run_in_c(self, *words, **options):
        environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | {"LC_ALL": "C"}
        return plimsoll(*words, env=environment, cwd=self.folder, **options)

    def check(self, text):
        for line in text.splitlines():
            self.assertTrue(line.isascii(), line)
            self.assertTrue(len(line) <= 80 or line.startswith("next: "), line)

    def test_fits_in_help(self):
        index = self.run_in_c("help").stdout
        names = [line.split("  ")[1].split() for line in index.splitlines() if re.match("  [a-z]", line)]
        self.assertIn(["layout", "solve"], names)
        for name in [[], *names, ["collectives"], ["layout"]]:
            with self.subTest(name=name):
                self.check(self.run_in_c("help", *name).stdout)

    def test_fits_in_results(self):
        for words in (["info", "data"], ["info", "data", "--ranks", "--work", "1,1e-8,0,1e-9"], ["validate", "data"],
                      ["balance", "data", "--strategy", "RefineLB", "--work", "1,1e-8,0"], ["strategies"], ["models"],
                      ["strategies", "RefineLB"], ["strategies", "GraphPartLB"], ["compare", "data", "--ascii"],
                      ["info", "data", "--ascii"], ["layout", "list"]):
            with self.subTest(words=words):
                self.check(self.run_in_c(*words).stdout)

    def test_uses_the_width_in_the_environment(self):
        def widest(columns):
            lines = plimsoll("strategies", env={**os.environ, "COLUMNS": columns}).stdout.splitlines()
            return max(map(len, lines))
        self.assertLessEqual(widest("60"), 60)
        self.assertGreater(widest("300"), 100)

    def test_replaces_control_characters_in_names(self):
        name = "a\nforged\x1b[2J"
        for words in (["generate", "-o", name], ["convert", name, "-o", name + "3"], ["info", name + "/b"], ["validate", name], ["spec", name + "/b"],
                      ["balance", name, "--strategy", "NoLB", "-o", name + "2"], ["report", name, "-o", name + ".html"],
                      ["balance", name, "--strategy", name], ["info", name, "--ranks", "--csv", name + ".csv"],
                      ["collectives", "summary", name], ["layout", "solve", name, "--total_tasks", "4"],
                      ["help", name], [name], ["info", "--" + name], ["export", name, "--format", name, "-o", name]):
            with self.subTest(words=words):
                done = self.run_in_c(*words)
                self.assertNotRegex(done.stdout + done.stderr, r"(?m)^forged|\x1b")


if __name__ == "__main__":
    unittest.main()
