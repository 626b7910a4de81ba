#!/usr/bin/env python3
"""usage: make_plimsoll_c.py plimsoll.h > plimsoll_c.f90

Writes Fortran declarations of the structures, enumerators and functions in plimsoll.h, for the modules that wrap them
in a convenient interface.
"""
import ctypes
import re
import sys

# Structures, with their Fortran names, which programs use.
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
NUMBERS = {
    "int": "integer(c_int)",
    "MPI_Fint": "integer(c_int)",
    "uint32_t": "integer(c_int32_t)",
    "int64_t": "integer(c_int64_t)",
    "uint64_t": "integer(c_int64_t)",
    "double": "real(c_double)",
}
# In Fortran, PLIMSOLL_BROADCAST would be the subroutine plimsoll_broadcast.
ENUMERATIONS = {"plimsoll_category": "plimsoll_category_", "plimsoll_value_place": "plimsoll_place_"}
# These take an MPI_Comm; Fortran calls plimsoll_start_fortran and plimsoll_plan_objects_fortran instead.
NOT_FOR_FORTRAN = {"plimsoll_start", "plimsoll_plan_objects"}
ARRAYS = {"argv", "ids", "index", "moves", "objects", "position", "ranks"}
# Arguments that may be NULL, for which Fortran passes addresses.
OPTIONAL = {("plimsoll_next_phase", "summary"), ("plimsoll_plan", "strategy")}


def value_type(kind):
    """Fortran type of a value in C."""
    if kind in STRUCTURES:
        return f"type({STRUCTURES[kind]})"
    if kind.startswith("enum "):
        return NUMBERS["int"]
    return NUMBERS.get(kind, "type(c_funptr)")  # all other types are functions


def member(declaration):
    """Type and name of a member of a structure."""
    function = re.fullmatch(r"\w+ \(\*(\w+)\)\(.*\)", declaration)
    if function:
        return "type(c_funptr)", function[1]
    kind, pointer, name = re.fullmatch(r"(.*?) ?(\*?) ?(\w+)", declaration).groups()
    return "type(c_ptr)" if pointer else value_type(kind), name


def size_bytes(types):
    """Size of a structure with members of these types."""
    fields = [("", ctypes.c_int32 if kind in (NUMBERS["int"], NUMBERS["uint32_t"]) else ctypes.c_int64) for kind in types]
    return ctypes.sizeof(type("", (ctypes.Structure,), {"_fields_": fields}))


def structure(header, name, members):
    """Declares a structure, with the initial values of C."""
    members = [member(" ".join(text.split())) for text in members.split(";") if text.strip()]
    initialiser = re.search(rf"#define {name.upper()}_INIT[\\\s]*\{{(.*?)\}}", header)
    values = [text.strip() for text in initialiser[1].split(",")] if initialiser else ["0"] * len(members)
    if initialiser:
        values[0] = str(size_bytes([kind for kind, _ in members]))
    yield f"type, bind(c), public :: {STRUCTURES[name]}"
    for (kind, variable), value in zip(members, values, strict=True):
        if kind in ("type(c_ptr)", "type(c_funptr)"):
            value = kind[5:-1].replace("c_", "c_null_")
        elif kind.startswith("type("):
            value = f"{kind[5:-1]}({value})"
        yield f"  {kind} :: {variable} = {value}"
    yield "end type"


def enumeration(name, enumerators):
    """Declares an enumeration."""
    names = [text.strip().lower().replace("plimsoll_", ENUMERATIONS[name], 1) for text in enumerators.split(",")]
    yield from ["enum, bind(c)", *(f"  enumerator :: {text}" for text in names), "end enum"]
    yield from (f"public :: {text.split()[0]}" for text in names)


def argument(function, text):
    """Declares an argument of a function."""
    kind, pointers, name = re.fullmatch(r"(?:const )?(.*?) ?(\**) ?(\w+)", text).groups()
    if not pointers:
        return f"{value_type(kind)}, value :: {name}"
    if pointers == "*" and (kind in ("void", "plimsoll_recorder") or (function, name) in OPTIONAL):
        return f"type(c_ptr), value :: {name}"
    if text.startswith("const char*"):
        return f"character(kind=c_char), intent(in) :: {name}(*)"
    intent = "in" if text.startswith("const ") else "inout"
    kind = "type(c_ptr)" if pointers == "**" else value_type(kind)
    return f"{kind}, intent({intent}) :: {name}{'(*)' if name in ARRAYS else ''}"


def function(result, name, arguments):
    """Declares a function, or a subroutine if it returns nothing."""
    arguments = [] if arguments == "void" else [" ".join(text.split()) for text in arguments.split(",")]
    names = ", ".join(re.search(r"\w+$", text)[0] for text in arguments)
    kind = "subroutine" if result == "void" else "function"
    yield f"{kind} {name}({names}) bind(c)" + ("" if result == "void" else " result(returned)")
    yield from ["  import", *(f"  {argument(name, text)}" for text in arguments)]
    if result != "void":
        yield f"  {'type(c_ptr)' if '*' in result else value_type(result)} :: returned"
    yield f"end {kind}"


def declarations(header):
    """Declares all entities of the header, without comments."""
    for members, name in re.findall(r"typedef struct \{(.*?)\} (\w+);", header, re.S):
        yield from structure(header, name, members)
    for name, enumerators in re.findall(r"enum (\w+) \{(.*?)\}", header, re.S):
        yield from enumeration(name, enumerators)
    functions = re.findall(r"^([\w ]+[ *]+)(plimsoll_\w+)\(([^)]*)\);", header, re.M)
    functions = [(result.strip(), *rest) for result, *rest in functions if rest[0] not in NOT_FOR_FORTRAN]
    yield from (f"public :: {name}" for _, name, _ in functions)
    yield "interface"
    for parts in functions:
        yield from (f"  {line}" for line in function(*parts))
    yield "end interface"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        header = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    print("module plimsoll_c\n  use, intrinsic :: iso_c_binding\n  implicit none\n  private")
    for line in declarations(header):
        print(f"  {line}")
    print("end module")


if __name__ == "__main__":
    main()
