#!/usr/bin/env python3
"""usage: [CXX=c++] [LDFLAGS=...] [LAUNCHER=mpiexec] [MPI=openmpi] documentation_test.py PREFIX [TEST...]

Checks the README and the pages of docs/ against the Plimsoll installed in PREFIX. A reader follows each page from top
to bottom in an empty directory: saves the blocks that have a file name, runs all commands, and compares the outputs.
Each option and subcommand must exist.
"""
import difflib
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # the next three are in the source folder
from documents import (Block, commands_of, help_of, mentions_of, options_in, options_of, paths_of,
                       problem_of_usage, steps_of)
from fixtures import OWN, SOURCE
from reader import Reader

PREFIX = None

# Commands that begin with these words do not run here.
NOT_RUN = {
    "mpiexec -n 4 -genv LD_PRELOAD": "needs MPICH; tests/alltoallv sets LD_PRELOAD",
    "plimsoll collectives merge run": "needs a program that was killed; tests/interpose/sums has them",
    "plimsoll profile --record mpi --snapshot": "needs a program that runs long; tests/interpose/sums has one",
    "plimsoll collectives summary run/snapshot": "needs a program that runs long; tests/interpose/sums has one",
    "plimsoll import warpx": "needs a run of WarpX; tests/lbdata/importing has such a file",
    "plimsoll import charm": "needs a run of Charm++; tests/lbdata/importing has such a file",
    "plimsoll doctor": "depends on the machine; tests/cli does",
    "plimsoll serve": "serves until it is stopped; tests/cli does",
}
# Further commands that check the programs of a page, and lines that they print.
FURTHER = {
    "docs/how-to/balance-your-code.md": [
        ("mpirun -n 2 ./balanced_c --vt_lb --vt_lb_name=RefineLB --vt_lb_when=always",
         "plimsoll: phase 1: <loads> 66 objects; RefineLB:"),
        ("mpirun -n 2 ./balanced_fortran --vt_lb --vt_lb_name=RefineLB --vt_lb_when=always",
         "plimsoll: phase 1: <loads> 66 objects; RefineLB:"),
    ],
    "docs/how-to/collections.md": [
        ("mpirun -n 2 ./cells --vt_lb --vt_lb_name=RotateLB --vt_lb_interval=50 --vt_lb_data --vt_lb_data_dir=checked "
         "--vt_lb_data_elide_identical", "plimsoll: phase 51: <loads> 4,098 objects; RotateLB:"),
        ("plimsoll validate checked", "valid: 0 errors, 0 warnings in 2 files"),
    ],
    "docs/how-to/measure-more.md": [
        ("OMP_NUM_THREADS=3 mpirun -n 2 ./threads --vt_lb_data --vt_lb_data_dir=checked", ""),
        ("plimsoll validate checked", "valid: 0 errors, 0 warnings in 2 files (6 phase records, 606 tasks"),
    ],
    "docs/tutorials/measure-your-code.md": [
        command for language in ("cpp", "c", "fortran") for command in (
            (f"mpirun -n 2 ./my_program_{language} --vt_lb_data --vt_lb_data_dir=checked_{language}", ""),
            (f"plimsoll validate checked_{language}",
             "valid: 0 errors, 0 warnings in 2 files (6 phase records, 12 tasks"))
    ],
}
# Options in the documents that Plimsoll does not have, and where they belong.
OTHER_OPTIONS = {
    "--app": "mpirun of Open MPI",
    "--build": "cmake",
    "--case": "create_newcase of CIME",
    "--cflags": "pkg-config",
    "--clone": "create_clone of CIME",
    "--compiler": "scripts/install",
    "--components": "scripts/install",
    "--dependencies": "scripts/install",
    "--debug": "plimsoll-validator",
    "--dir_path": "plimsoll-validator",
    "--distribution": "srun",
    "--file": "plimsoll-validator does not accept abbreviations",
    "--file_path": "plimsoll-validator",
    "--file_prefix": "plimsoll-validator",
    "--file_suffix": "plimsoll-validator",
    "--handle-preexisting-dirs": "create_newcase of CIME",
    "--install": "cmake",
    "--keepexe": "create_clone of CIME",
    "--libs": "pkg-config",
    "--otf-cpt": "bench/known_answers.py",
    "--output-root": "create_newcase of CIME",
    "--oversubscribe": "mpirun of Open MPI",
    "--parallel": "cmake",
    "--partial-match": "xmlquery of CIME",
    "--prefix": "cmake",
    "--mpi": "scripts/install",
    "--rankfile": "mpirun of Open MPI",
    "--reset": "case.setup of CIME",
    "--sourcepath": "EasyBuild",
    "--strict-exit": "plimsoll-validator",
    "--tag": "podman",
    "--test-dir": "ctest",
    "--validate_comm_links": "plimsoll-validator",
    "--vt-lb-data": "misspelt on purpose",
    "--vt_LB_data": "misspelt on purpose",
    "--vt_input_config": "prefix of settings",
    "--vt_lb_dta": "misspelt on purpose",
    "--with-lbtime-type": "Charm++",
}
# Parts of the output that differ from run to run.
MASKS = [
    (r"^(plimsoll: phase \d+): .* ([\d,]+ objects(?:; \w+:)?).*", r"\1: <loads> \2"),
    (r"^time: [\d.]+ s; moving particles: maximum [\d.]+ s", "time: <time> s; moving particles: maximum <time> s"),
    (r"\bin [\d.,]+ (?:ns|us|ms|s|min)\.$", "in <time>."),
    (r"\b\d{4}-\d\d-\d\d(?:[T -]\d\d[:-]\d\d[:-]\d\d)?\b", "<date>"),
    (r"\bplimsoll \d+\.\d+\.\d+\b", "plimsoll <version>"),
    (r"(?<![\w.])/(?:tmp|home|work|usr|build)/\S+", "<path>"),
]


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


def problem_of(reader, command):
    """What prevents a reader from running a command, or the difference between what it prints and what the document
    shows, or None.
    """
    result = reader.run(command.text)
    shown = [masked(line) for line in command.output]
    printed = [masked(line) for line in result.stdout.rstrip().split("\n")]
    if command.text.startswith("mpirun "):  # prints more lines, and repeats those of all ranks; may show an error
        shown = [part for line in shown for part in ("...", line)] + ["..."]
        printed = [part for line in printed for part in (line, line.partition(";")[0])]  # may balance later, too
    if result.returncode != 0 and not (command.text.startswith("mpirun ") and command.output):
        return f"{command.place}: {command.text}\nexits with status {result.returncode}:\n{result.stdout}"
    if shown and not agrees(shown, printed):
        return f"{command.text}\n{difference_of(shown, printed, command.place)}"
    return None


def problem_of_page(path, name):
    """The first problem of a reader who follows a page, or None."""
    with Reader(PREFIX) as reader:
        try:
            if name != "README.md":
                reader.install()
            for step in steps_of(path, name):
                if isinstance(step, Block):
                    (reader.checkout / step.file).write_text(step.text)
                elif not step.text.startswith(tuple(NOT_RUN)) and (problem := problem_of(reader, step)):
                    return problem
            for text, line in FURTHER.get(name, []):
                printed = reader.run(text, check=True).stdout
                if line not in "\n".join(map(masked, printed.split("\n"))):
                    return f"{name}: {text}\nlacks {line}:\n{printed}"
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return f"{name}: {error}"
    return None


class Readers(unittest.TestCase):
    def test_can_follow_each_page(self):
        paths = sorted(paths_of(SOURCE), key=lambda path: -path.read_text().count("$(pkg-config"))  # longest first
        with ThreadPoolExecutor(2) as readers:
            for problem in readers.map(lambda path: problem_of_page(path, str(path.relative_to(SOURCE))), paths):
                with self.subTest():
                    self.assertIsNone(problem, problem)


class Documentation(unittest.TestCase):
    source = SOURCE  # mutation_test.py checks changed copies of the documents

    @classmethod
    def setUpClass(cls):
        cls.documents = [(path, str(path.relative_to(cls.source))) for path in paths_of(cls.source)]
        cls.helps = help_of(f"{PREFIX}/bin/plimsoll")

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
        for name in OWN:
            self.assertTrue(any(name in text for text in texts), f'no command reads "{name}": remove it from OWN')
        options = {option for path, _ in self.documents for option in options_in(path.read_text())}
        for option in OTHER_OPTIONS:
            self.assertIn(option, options, "remove it from OTHER_OPTIONS")


if __name__ == "__main__":
    PREFIX = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
