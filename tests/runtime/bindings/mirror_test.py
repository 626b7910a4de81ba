#!/usr/bin/env python3
"""Compares structures, enumerations and functions of plimsoll_c.f90 with plimsoll.h, which it mirrors.

Usage: mirror_test.py plimsoll.h plimsoll_c.f90
"""

import ctypes
import pathlib
import re
import sys
import unittest

C_TYPES = {
    "int": "c_int",
    "MPI_Fint": "c_int",
    "uint32_t": "c_int32_t",
    "int64_t": "c_int64_t",
    "uint64_t": "c_int64_t",
    "double": "c_double",
    "plimsoll_object": "plimsoll_object_handle",
    "plimsoll_id": "plimsoll_object_id",
    "plimsoll_load_model": "c_funptr",
    "plimsoll_phase_end_hook": "c_funptr",
    "plimsoll_phase_start_hook": "c_funptr",
    "plimsoll_migration_hook": "c_funptr",
}
STRUCTURES = {
    "plimsoll_object": "plimsoll_object_handle",
    "plimsoll_id": "plimsoll_object_id",
    "plimsoll_spec": "plimsoll_object_spec",
    "plimsoll_summary": "plimsoll_phase_summary",
    "plimsoll_move": "plimsoll_move",
    "plimsoll_migration_plan": "plimsoll_c_plan",
    "plimsoll_transport": "plimsoll_c_transport",
    "plimsoll_edge": "plimsoll_edge",
    "plimsoll_plan_input": "plimsoll_c_plan_input",
}
ENUMERATIONS = {"plimsoll_category": "plimsoll_category_", "plimsoll_value_place": "plimsoll_place_"}
# These take an MPI_Comm; Fortran calls plimsoll_start_fortran and plimsoll_plan_objects_fortran instead.
NOT_FOR_FORTRAN = {"plimsoll_start", "plimsoll_plan_objects"}

header = re.sub(r"/\*.*?\*/", "", pathlib.Path(sys.argv[1]).read_text(), flags=re.S)
mirror = pathlib.Path(sys.argv[2]).read_text().lower()
mirror = re.sub(r"!.*", "", re.sub(r"&\s*\n", "", mirror))


def c_member(declaration):
    """Fortran type and name of a member of a C structure."""
    function = re.fullmatch(r"\w+ \(\*(\w+)\)\(.*\)", declaration)
    if function:
        return "c_funptr", function.group(1)
    kind, pointer, name = re.fullmatch(r"(.*?) ?(\*?) ?(\w+)", declaration).groups()
    return "c_ptr" if pointer else C_TYPES[kind], name


def c_structures():
    found = re.findall(r"typedef struct \{(.*?)\} (\w+);", header, re.S)
    return {
        name: [c_member(" ".join(member.split())) for member in members.split(";") if member.strip()]
        for members, name in found
    }


def fortran_structures():
    """Members of each structure: type, name and initial value as in C."""
    values = {"c_null_ptr": "NULL", "c_null_funptr": "NULL", "plimsoll_object_id(0)": "0"}
    found = re.findall(r"type, bind\(c\), public :: (\w+)\n(.*?)end type", mirror, re.S)
    return {
        name: [
            (kind, member, values.get(value, value))
            for kind, member, value in re.findall(r"(?:integer|real|type)\((\w+)\) :: (\w+) = (\S+)", members)
        ]
        for name, members in found
    }


def numbered(enumerators):
    """Names and values of enumerators: without an explicit value, each is one more than the previous one."""
    result, value = {}, -1
    for enumerator in enumerators.split(","):
        name, _, given = (part.strip() for part in enumerator.partition("="))
        value = int(given) if given else value + 1
        result[name.lower()] = value
    return result


def fortran_argument(declaration):
    """How C passes the argument: its type, or "pointer"."""
    attributes = declaration.replace(" ", "")
    kind = re.match(r"(?:integer|real|type|character)\((?:kind=)?(\w+)\)", attributes).group(1)
    is_pointer = ",value" not in attributes or kind == "c_ptr"
    return "pointer" if is_pointer else kind


def fortran_functions():
    found = re.findall(r"^ *(function|subroutine) (\w+)\(([^)]*)\) bind\(c\)(.*?)end \1", mirror, re.S | re.M)
    functions = {}
    for _, name, arguments, body in found:
        declared = {}
        for declaration, names in re.findall(r"^ *(\w+\([^)]*\)[^:\n]*) :: ([^\n]*)", body, re.M):
            for variable in re.findall(r"\w+", re.sub(r"\(\*\)", "", names)):
                declared[variable] = fortran_argument(declaration)
        result = re.match(r" result\((\w+)\)", body)
        # Function results are values although they have no `value` attribute.
        result_type = "void"
        if result:
            declaration = re.search(r"^ *(?:integer|real|type)\((\w+)\) :: %s$" % result.group(1), body, re.M)
            result_type = "pointer" if declaration.group(1) == "c_ptr" else declaration.group(1)
        functions[name] = (result_type, [declared[a.strip()] for a in arguments.split(",") if a.strip()])
    return functions


def c_type(text):
    if "*" in text:
        return "pointer"
    text = re.sub(r"\bconst\b", "", text).strip()
    return "c_int" if text.startswith("enum ") else C_TYPES.get(text, text)


def c_functions():
    functions = {}
    for result, name, arguments in re.findall(r"^([\w ]+[ *]+)(plimsoll_\w+)\(([^)]*)\);", header, re.M):
        if name in NOT_FOR_FORTRAN:
            continue
        types = [re.match(r"(.*?)\w+$", a.strip()).group(1) for a in re.sub(r"\s+", " ", arguments).split(",")]
        types = [] if arguments == "void" else [c_type(t.strip()) for t in types]
        functions[name] = (c_type(result.strip()), types)
    return functions


class Mirror(unittest.TestCase):
    maxDiff = None

    def test_declares_members_of_c_structures(self):
        fortran = fortran_structures()
        c = c_structures()
        self.assertEqual(set(c), set(STRUCTURES))
        for name, members in c.items():
            self.assertEqual([m[:2] for m in fortran[STRUCTURES[name]]], members, name)

    def test_initialises_structures_like_c(self):
        for name, members in c_structures().items():
            initialiser = re.search(rf"#define {name.upper()}_INIT[\\\s]*\{{(.*?)\}}", header)
            if not initialiser:
                continue
            fields = [(m, ctypes.c_int32 if k in ("c_int", "c_int32_t") else ctypes.c_int64) for k, m in members]
            size = ctypes.sizeof(type(name, (ctypes.Structure,), {"_fields_": fields}))
            values = [v.strip() for v in initialiser.group(1).split(",")]
            self.assertEqual(values[0], f"sizeof({name})")
            expected = [str(size), *values[1:]]
            self.assertEqual([m[2] for m in fortran_structures()[STRUCTURES[name]]], expected, name)

    def test_declares_enumerators_of_c(self):
        fortran = {}
        for enumerators in re.findall(r"enumerator ::(.*)", mirror):
            fortran.update(numbered(enumerators))
        expected = {}
        for name, enumerators in re.findall(r"enum (\w+) \{(.*?)\}", header, re.S):
            for enumerator, value in numbered(enumerators).items():
                expected[enumerator.replace("plimsoll_", ENUMERATIONS[name], 1)] = value
        self.assertEqual(fortran, expected)
        self.assertEqual(len(expected), 14)

    def test_declares_functions_of_c(self):
        c = c_functions()
        self.assertEqual(fortran_functions(), c)
        self.assertGreaterEqual(len(c), 55)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
