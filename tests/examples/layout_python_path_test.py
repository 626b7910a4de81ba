"""usage: layout_python_path_test.py PLIMSOLL_LAYOUT_PY

A file in the current directory must not replace a standard Python module when a layout class runs from there.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

LAYOUT = """
import colorsys  # not imported by anything else

class Layout:
    def __init__(self):
        raise SystemExit("the class of the current directory is run with " + colorsys.__name__ + " " + str(hasattr(colorsys, "rgb_to_hsv")))
"""


def python_with_pulp():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import pulp"], capture_output=True).returncode == 0:
            return python
    print("no PuLP: skipped")
    sys.exit(77)


def main():
    python = python_with_pulp()
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "my_own.py").write_text(LAYOUT)
        (here / "colorsys.py").write_text("raise SystemExit('a file of the current directory was imported')\n")
        run = subprocess.run(
            [python, sys.argv[1], "my_own.Layout"], cwd=folder, input=json.dumps({}), capture_output=True, text=True
        )
    assert "is run with colorsys True" in run.stderr, run.stderr


main()
