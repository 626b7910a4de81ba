#!/usr/bin/env python3
"""usage: make_plimsoll_c.py plimsoll.h DIRECTORY MODULE...

Writes plimsoll_c.f90, Fortran declarations of the structures, enumerators and functions in plimsoll.h, for the modules
that wrap them in a convenient interface. The types of these modules declare methods. Those that a module does not
define only convert their arguments: writes them to TYPE.inc for each type. Also copies the modules, with their names for
messages of gfortran, so that no path of this machine becomes a part of the library.
"""
import ctypes
import pathlib
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
ARRAYS = {"argv", "features", "ids", "index", "moves", "objects", "position", "ranks"}
# Arguments that may be NULL, for which Fortran passes addresses.
OPTIONAL = {("plimsoll_next_phase", "summary"), ("plimsoll_plan", "strategy")}

# Types with methods, with the intent of `self`.
TYPES = {"plimsoll_balancer": "inout", "plimsoll_load_recorder": "in"}
# Methods whose names differ from those of their functions.
FUNCTION_NAMES = {
    "register_object_group": "register_group",
    "remove_object": "remove",
    "id": "id_of",
    "begin_work": "begin",
    "end_work": "end",
    "message_to_object": "message",
    "broadcast_to_object": "broadcast",
    "add_writable_shared_id": "writable_shared",
    "add_read_only_shared_id": "read_only_shared",
}
REGISTER_METHODS = r"register_(id_)?(plain|int32|int64)"
# Integers in C that are logical in Fortran.
FLAGS = {"available", "measured", "migratable", "on"}


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


def split_argument(text):
    """Type, asterisks and name of an argument."""
    return re.fullmatch(r"(?:const )?(.*?) ?(\**) ?(\w+)", text).groups()


def argument(function, text):
    """Declares an argument of a function."""
    kind, pointers, name = split_argument(text)
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


def functions_of(header):
    """Result, name and arguments of each function of the header."""
    for result, name, arguments in re.findall(r"^([\w ]+[ *]+)(plimsoll_\w+)\(([^)]*)\);", header, re.M):
        if name not in NOT_FOR_FORTRAN:
            yield result.strip(), name, arguments


def derived_methods(self_type, modules):
    """Names of the methods that a type declares, without those that the modules or register_methods define."""
    declared = re.search(rf"^ *type\b[^\n]*:: {self_type}$(.*?)^ *end type", modules, re.M | re.S)[1]
    names = re.findall(r"\w+", " ".join(re.findall(r"^ *procedure\b.*?:: (.*)", declared, re.M)))
    defined = re.findall(r"^ *(?:subroutine|function) (\w+)\(", modules, re.M)
    return [name for name in names if name not in defined and not re.fullmatch(REGISTER_METHODS, name)]


def method_function(name):
    """Name of the function that a method calls, and its arguments that Fortran programs do not pass."""
    value = re.fullmatch(r"set_(phase_|rank_)?(int32|int64|real|text)", name)
    if not value:
        given = {"place": "place(attribute)"} if name == "remove_value" else {}
        return "plimsoll_" + FUNCTION_NAMES.get(name, name), given
    place, kind = value.groups()
    given = {"place": f"plimsoll_place_{place[:-1]}", "object": "no_object"} if place else {"place": "place(attribute)"}
    return "plimsoll_set_" + ("integer" if kind.startswith("int") else kind), given


def converted(name, kind, pointers):
    """Declares an argument of a method, and passes it to C."""
    if pointers:
        return f"character(*), intent(in) :: {name}", f"c_text({name})"
    if name in FLAGS:
        return f"logical, intent(in) :: {name}", f"merge(1, 0, {name})"
    return f"{value_type(kind)}, intent(in) :: {name}", name


def method(self_type, name, functions):
    """Defines a method that calls a function. A status becomes the last argument."""
    function_name, given = method_function(name)
    if function_name not in functions:
        sys.exit(f"make_plimsoll_c.py: {self_type} declares {name}, but plimsoll.h does not declare {function_name}")
    result, arguments = functions[function_name]
    names, declared, passed = ["self"], [f"class({self_type}), intent({TYPES[self_type]}) :: self"], ["self%c"]
    for text in arguments.split(",")[1:]:
        kind, pointers, argument_name = split_argument(" ".join(text.split()))
        declaration, expression = converted(argument_name, kind, pointers)
        if name.endswith("int32") and argument_name == "value":
            declaration, expression = "integer(c_int32_t), intent(in) :: value", "int(value, c_int64_t)"
        passed.append(given.get(argument_name, expression))
        if argument_name not in given:
            names.append(argument_name)
            declared.append(declaration)
    if "place(attribute)" in passed:
        names.append("attribute")
        declared.append("logical, intent(in), optional :: attribute")
    if result == "int":
        names.append("stat")
        declared.append("integer, intent(out) :: stat")
    if result not in ("int", "void"):
        declared.append(f"{value_type(result)} :: returned")
    kind = "subroutine" if result in ("int", "void") else "function"
    yield f"{kind} {name}({', '.join(names)})" + (" result(returned)" if kind == "function" else "")
    yield from (f"  {text}" for text in declared)
    assignment = {"void": "call ", "int": "stat = "}.get(result, "returned = ")
    yield f"  {assignment}{function_name}({', '.join(passed)})"
    yield f"end {kind}"


def register_methods(self_type):
    """Defines the procedures of register_object: with an index of either kind or none, with or without an ID."""
    types = {"collection": "integer(c_int64_t)", "number": "integer(c_int64_t)", "home": "integer"}
    for prefix, options in (("", [*types, "migratable", "measured"]), ("id_", ["collection", "measured"])):
        given = ["id"] if prefix else []
        for kind in ("plain", "int32", "int64"):
            index = [] if kind == "plain" else ["index"]
            yield f"function register_{prefix}{kind}({', '.join(['self', *given, *index, *options])}) result(object)"
            yield f"  class({self_type}), intent(in) :: self"
            yield from (f"  type(plimsoll_object_id), intent(in) :: {name}" for name in given)
            yield from (f"  integer(c_{kind}_t), intent(in) :: {name}(:)" for name in index)
            yield from (f"  {types.get(name, 'logical')}, intent(in), optional :: {name}" for name in options)
            yield from ([] if index else ["  integer(c_int64_t) :: index(0)"])
            yield from ["  type(plimsoll_object_handle) :: object", "  type(plimsoll_object_spec) :: spec"]
            for name in options:
                value = name if name in types else f"merge(1, 0, {name})"
                yield f"  if (present({name})) spec%{name} = {value}"
            passed = ", ".join(["self%c", *given, "size(index)", "int(index, c_int64_t)", "spec"])
            yield f"  object = plimsoll_register{prefix and '_id'}({passed})"
            yield "end function"


def declarations(header):
    """Declares all entities of the header, without comments."""
    for members, name in re.findall(r"typedef struct \{(.*?)\} (\w+);", header, re.S):
        yield from structure(header, name, members)
    for name, enumerators in re.findall(r"enum (\w+) \{(.*?)\}", header, re.S):
        yield from enumeration(name, enumerators)
    yield from (f"public :: {name}" for _, name, _ in functions_of(header))
    yield "interface"
    for parts in functions_of(header):
        yield from (f"  {line}" for line in function(*parts))
    yield "end interface"


def main():
    header = re.sub(r"/\*.*?\*/", "", pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), flags=re.S)
    folder = pathlib.Path(sys.argv[2])
    sources = {pathlib.Path(path).name: pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[3:]}
    for name, text in sources.items():
        (folder / name).write_text(f'# 1 "{name}"\n{text}', encoding="utf-8")
    modules = "\n".join(sources.values())
    module = ["module plimsoll_c", "  use, intrinsic :: iso_c_binding", "  implicit none", "  private"]
    lines = [*module, *(f"  {line}" for line in declarations(header)), "end module"]
    (folder / "plimsoll_c.f90").write_text("\n".join(lines) + "\n", encoding="utf-8")
    functions = {name: (result, arguments) for result, name, arguments in functions_of(header)}
    for self_type in TYPES:
        lines = [line for name in derived_methods(self_type, modules) for line in method(self_type, name, functions)]
        if self_type == "plimsoll_load_recorder":
            lines += register_methods(self_type)
        (folder / f"{self_type}.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
