#!/usr/bin/env python3
"""Runs plimsoll-validator, for pipelines that call vt's validator of LB data files by this name."""
import os
import shutil
import sys


def main():
    name = "plimsoll-validator"
    beside = os.path.join(os.path.dirname(os.path.realpath(__file__)), name)
    program = beside if os.access(beside, os.X_OK) else shutil.which(name)
    if program is None:
        print(f"{name}: cannot be found; add the directory of plimsoll to PATH", file=sys.stderr)
        sys.exit(3)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
