#!/usr/bin/env python3
"""usage: [LAUNCHER=mpiexec] documentation_test.py PLIMSOLL PLUGIN [OWN_DATA DISTANT_EXCHANGE]

Checks the README and the pages of docs/ against the program PLIMSOLL: runs their commands and compares the outputs, and
checks that each option and subcommand exists. The other arguments are programs of examples/. Without OWN_DATA, commands
with mpirun do not run.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the next two are in the source folder
from documents import commands_of, help_of, mentions_of, options_in, options_of, paths_of, problem_of_usage
from fixtures import FIXTURES, SOURCE

PLIMSOLL = PLUGIN = None  # set by use_programs()
MPI_PROGRAMS = []

# Commands that begin with these words do not run here.
NOT_RUN = {
    "plimsoll profile -- mpirun -n 64": "too many ranks for most machines",
    "c++": "needs an installed Plimsoll; snippets_test.py runs it",
    "make build": "builds Plimsoll",
    "make demo": "builds Plimsoll",
    "mpicc": "needs an installed Plimsoll; snippets_test.py runs it",
    "mpicxx": "needs an installed Plimsoll; snippets_test.py runs it",
    "mpiexec -n 4 -genv LD_PRELOAD /usr/local": "needs an installed Plimsoll; tests/alltoallv sets LD_PRELOAD",
    "mpifort": "needs an installed Plimsoll; snippets_test.py runs it",
    "mpirun -n 2 ./balanced": "needs an installed Plimsoll; snippets_test.py runs it",
    "mpirun -n 2 ./planned": "needs an installed Plimsoll; snippets_test.py runs it",
    "mpirun -n 4 -x LD_PRELOAD=/usr/local": "needs an installed Plimsoll; tests/alltoallv sets LD_PRELOAD",
    "plimsoll balance DIR --strategy <prefix>": "needs an installed Plimsoll and Zoltan; tests/zoltan does",
    "plimsoll serve": "serves until it is stopped; tests/cli does",
    "plimsoll layout submit": "needs CIME, or a model; tests/cli does with a stand-in",
}
# Options in the documents that Plimsoll does not have, and where they belong.
OTHER_OPTIONS = {
    "--app": "mpirun of Open MPI",
    "--build": "cmake",
    "--case": "create_newcase of CIME",
    "--cflags": "pkg-config",
    "--clone": "create_clone of CIME",
    "--dir_path": "LBAF's validator",
    "--distribution": "srun",
    "--file_path": "LBAF's validator",
    "--file_prefix": "LBAF's validator",
    "--file_suffix": "LBAF's validator",
    "--handle-preexisting-dirs": "create_newcase of CIME",
    "--install": "cmake",
    "--keepexe": "create_clone of CIME",
    "--libs": "pkg-config",
    "--output-root": "create_newcase of CIME",
    "--oversubscribe": "mpirun of Open MPI",
    "--parallel": "cmake",
    "--prefix": "cmake",
    "--rankfile": "mpirun of Open MPI",
    "--reset": "case.setup of CIME",
    "--test-dir": "ctest",
    "--validate_comm_links": "LBAF's validator",
    "--vt-lb-data": "misspelt on purpose",
    "--vt_LB_data": "misspelt on purpose",
    "--vt_input_config": "prefix of settings",
    "--vt_lb_dta": "misspelt on purpose",
    "--with-lbtime-type": "Charm++",
}
# Parts of the output that differ from run to run.
MASKS = [
    (r"^(plimsoll: phase \d+): .* (\d+ objects)$", r"\1: <loads> \2"),
    (r"\bin [\d.,]+ (?:ns|µs|ms|s|min)\.$", "in <time>."),
    (r"\b\d{4}-\d\d-\d\d(?:[T -]\d\d[:-]\d\d[:-]\d\d)?\b", "<date>"),
    (r"\bplimsoll \d+\.\d+\.\d+\b", "plimsoll <version>"),
    (r"(?<![\w.])/(?:tmp|home|work|usr|build)/\S+", "<path>"),
]


def use_programs(plimsoll, plugin, *mpi_programs):
    global PLIMSOLL, PLUGIN, MPI_PROGRAMS
    PLIMSOLL, PLUGIN, *MPI_PROGRAMS = (Path(program).resolve() for program in (plimsoll, plugin, *mpi_programs))


def masked(line):
    for pattern, replacement in MASKS:
        line = re.sub(pattern, replacement, line)
    return line.rstrip()


def agrees(shown, printed):
    """Whether the lines shown in a document are those printed; a line "..." stands for any number of lines."""
    if "..." not in shown:
        return shown == printed
    first = shown.index("...")
    if shown[:first] != printed[:first]:
        return False
    rest = shown[first + 1:]
    return not rest or any(agrees(rest, printed[start:]) for start in range(first, len(printed) + 1))


def difference_of(shown, printed, place):
    return "\n".join(difflib.unified_diff(shown, printed, place, "program", lineterm="", n=1))


def runs(text, absent):
    """Whether a command can run here. Adds the outputs of commands that need MPI programs, which may be absent, to
    `absent`, because other commands read them.
    """
    words = text.split()
    if "mpirun" in text and not MPI_PROGRAMS:
        absent.update(after for word, after in zip(words, words[1:]) if word == "-o")
        return False
    return not text.startswith(tuple(NOT_RUN)) and absent.isdisjoint(words)


def link_programs(folder):
    """Creates the files that users have: examples, programs, and the launcher of their MPI."""
    (folder / "examples").symlink_to(SOURCE / "examples")
    (folder / "libFooLB.so").symlink_to(PLUGIN)
    if MPI_PROGRAMS:
        own_data, distant_exchange = MPI_PROGRAMS
        (folder / "own_data_cpp").symlink_to(own_data)
        (folder / "distant_exchange").symlink_to(distant_exchange)
        (folder / "app").symlink_to(distant_exchange)
        (folder / "mpirun").write_text(f'#!/bin/sh\nexec {os.environ["LAUNCHER"]} "$@"\n')
        (folder / "mpirun").chmod(0o755)


class Documentation(unittest.TestCase):
    source = SOURCE  # mutation_test.py checks changed copies of the documents

    @classmethod
    def setUpClass(cls):
        os.environ["PATH"] = f"{PLIMSOLL.parent}:{os.environ['PATH']}"
        os.environ["LC_ALL"] = "C.UTF-8"
        cls.documents = [(path, str(path.relative_to(cls.source))) for path in paths_of(cls.source)]
        cls.helps = help_of(PLIMSOLL)

    def prepare(self, folder, text):
        """Creates what a command reads, and removes what it wrote when it was run before."""
        words = text.split()
        outputs = [word for option, word in zip(words, words[1:]) if option in ("-o", "--lb-data", "--pe_output")]
        outdated = [*outputs, *(["plimsoll-profile"] if text.startswith("plimsoll profile ") else [])]
        if text.startswith("plimsoll ") and "vt_lb_data" in words:
            outdated.append("vt_lb_data")  # mpirun wrote it; the documents show the data of fixtures.py
        for name in outdated:
            shutil.rmtree(folder / name, ignore_errors=True)
            (folder / name).unlink(missing_ok=True)
        for word in words:
            name = word.removeprefix("./").partition("/")[0]
            created = name + "_1" if name == "lbt_timing_run" else name
            if name in FIXTURES and word not in outputs and not (folder / created).exists():
                FIXTURES[name](folder / name)

    def check_output(self, folder, command):
        """Runs a command, and compares what it prints with what the document shows."""
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        result = subprocess.run(command.text, shell=True, cwd=folder, env=environment, timeout=120, encoding="utf-8",
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        shown = [masked(line) for line in command.output]
        printed = [masked(line) for line in result.stdout.rstrip().split("\n")]
        difference = difference_of(shown, printed, command.place)
        if command.text.startswith("mpirun "):  # prints more lines, and repeats those of all ranks; may show an error
            shown = [part for line in shown for part in ("...", line)] + ["..."]
        else:
            self.assertEqual(result.returncode, 0, f"{command.text}\n{result.stdout}")
        self.assertTrue(not shown or agrees(shown, printed), f"{command.text}\n{difference}")

    def test_shows_outputs_of_commands(self):
        for path, name in self.documents:
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                link_programs(folder)
                absent = set()
                for command in commands_of(path, name):
                    if runs(command.text, absent):
                        with self.subTest(command.place):
                            self.prepare(folder, command.text)
                            self.check_output(folder, command)

    def test_uses_existing_commands_and_options(self):
        for path, name in self.documents:
            for command in [*commands_of(path, name), *mentions_of(path, name)]:
                with self.subTest(command.place):
                    self.assertIsNone(problem_of_usage(command.text, self.helps), command.text)
        known = options_of(self.helps)
        for path, name in self.documents:
            known.update(re.findall(r"^\| `(--vt_\w+)` \| `PLIMSOLL_", path.read_text(), re.MULTILINE))
        for path, name in self.documents:
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                for option in options_in(line):
                    with self.subTest(f"{name}:{number}"):
                        self.assertTrue(option in known or option in OTHER_OPTIONS, f"unknown option {option}")

    def test_uses_known_options_in_examples_of_help(self):
        for subcommand, text in self.helps.items():
            for line in re.findall(r"^  plimsoll .*", text.partition("\nUsage:")[0], re.MULTILINE):
                with self.subTest(subcommand=subcommand):
                    self.assertIsNone(problem_of_usage(line, self.helps), line)

    def test_needs_every_exception(self):
        texts = [command.text for path, name in self.documents for command in commands_of(path, name)]
        for start in NOT_RUN:
            found = any(text.startswith(start) for text in texts)
            self.assertTrue(found, f'no document shows "{start}": remove it from NOT_RUN')
        options = {option for path, _ in self.documents for option in options_in(path.read_text())}
        for option in OTHER_OPTIONS:
            self.assertIn(option, options, "remove it from OTHER_OPTIONS")


if __name__ == "__main__":
    use_programs(*sys.argv[1:])
    unittest.main(argv=sys.argv[:1])
