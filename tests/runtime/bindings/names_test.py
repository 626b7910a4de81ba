#!/usr/bin/env python3
"""Checks that C and Fortran users see their own names in all messages of the runtime.

Usage: names_test.py PROJECT_DIR
"""

import pathlib
import re
import sys
import unittest

project = pathlib.Path(sys.argv[1])
runtime = project / "src" / "runtime"
MODULES = ("plimsoll.f90", "plimsoll_balancing.f90", "plimsoll_planning.f90")
header = (project / "include" / "plimsoll.h").read_text()
module = "".join((runtime / "bindings" / name).read_text().lower() for name in MODULES)

# Functions of the program.
OTHER_NAMES = {
    "pack()",
    "size_bytes()",
    "unpack()",
}


def table():
    """Names in C++, with those in C and Fortran."""
    source = (runtime / "bindings" / "last_error.cpp").read_text()
    rows = re.findall(r'InterfaceName\{\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"\}', source)
    regular = re.search(r"regular_names = \{(.*?)\}", source, re.S)[1]
    return {cpp: (c, fortran) for cpp, c, fortran in rows} | {
        name: ("plimsoll_" + name, name) for name in re.findall(r'"([^"]*)"', regular)
    }
def texts():
    """String literals of the sources, without comments; neighbouring literals are joined."""
    for path in sorted(runtime.rglob("*.[ch]pp")):
        if path.parent.name == "bindings":
            continue
        source = re.sub(r"//.*", "", re.sub(r"#include.*", "", path.read_text()))
        source = re.sub(r'"\s*\n\s*"', "", source)
        for text in re.findall(r'"((?:[^"\\]|\\.)*)"', source):
            yield path, text
        # unknown_object("begin") produces a text with "begin()".
        for name in re.findall(r'\b(?:unknown_object|has_object|is_owner)\("(\w+)"', source):
            yield path, name + "()"


class Names(unittest.TestCase):
    def test_table_has_each_name(self):
        known = table()
        found = set()
        for path, text in texts():
            for name in re.findall(r"(?<![\w:.])[A-Za-z_][\w:]*\(\)", text):
                found.add(name)
                self.assertIn(name, set(known) | OTHER_NAMES, f"{path}: {text}")
            # plimsoll::auto_idle is a target of CMake.
            self.assertNotRegex(text, r"\b(?!plimsoll::auto_idle\b)\w+::\w+", f"{path}: a C++ name without counterpart")
        self.assertGreater(len(found), 10)

    def test_names_exist(self):
        for cpp, (c, fortran) in table().items():
            for name in re.findall(r"\w+(?=\(\))", c):
                self.assertRegex(header, rf"\b{name}\(", cpp)
            for name in re.findall(r"\w+(?=\(\))", fortran):
                self.assertRegex(module, rf"\b{name}\b", cpp)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
