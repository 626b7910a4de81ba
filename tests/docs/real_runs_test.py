#!/usr/bin/env python3
"""usage: real_runs_test.py PLIMSOLL SHARED

Checks the outputs in docs/tutorials/coupled-model.md against the real runs in SHARED/data, with the program PLIMSOLL.
Exits with status 77 if the runs are absent.
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # documents.py is in the source folder
from documentation_test import agrees, difference_of
from documents import blocks_of

PAGE = Path(__file__).parent.parent.parent / "docs/tutorials/coupled-model.md"
# Directory in which the reader keeps the run, its directory in data/cime/cmeps, and its tasks, by block of the page.
RUNS = [("control", "951330.240713-104012", 2048), ("spinup", "5782313.240823-112250", 3072)]
WIDTH = 80  # columns of the terminal in the page


def output_of(name, folder, tasks):
    """What the program prints for a run in a directory called `name`."""
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / name).symlink_to(folder)
        profile = next(Path(home, name).glob("*_timing.*"))
        command = [PLIMSOLL, "layout", "solve", profile.relative_to(home), "--total_tasks", str(tasks)]
        environment = {"COLUMNS": str(WIDTH), "LC_ALL": "C.UTF-8"}
        return subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True, text=True).stdout


class CoupledModel(unittest.TestCase):
    def test_shows_outputs_of_real_runs(self):
        blocks = [block for block in blocks_of(PAGE, PAGE.name) if block.language == "text"]
        self.assertEqual(len(blocks), len(RUNS), "each block of text is the output for one run")
        for block, (name, folder, tasks) in zip(blocks, RUNS):
            with self.subTest(block.place):
                printed = [line.rstrip() for line in output_of(name, CMEPS / folder, tasks).splitlines()]
                shown = [*block.text.splitlines(), "..."]
                self.assertTrue(agrees(shown, printed), difference_of(shown, printed, block.place))


if __name__ == "__main__":
    PLIMSOLL, CMEPS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / "data/cime/cmeps"
    if not CMEPS.is_dir():
        print(f"skipped: {CMEPS} is absent")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
