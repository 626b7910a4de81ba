#!/usr/bin/env python3
"""usage: [CXX=c++] [LDFLAGS=...] [LAUNCHER=mpiexec] [MPI=openmpi] snippets_test.py PREFIX

Compiles and runs the code blocks of the README, CONTRIBUTING.md and docs/, with the Plimsoll installed in PREFIX.

CHECKS contains a function for the blocks of each page and language, and a block without one fails the test. Most blocks
are complete files. COMPLETIONS contains the only text that a function adds to them. C, C++ and Fortran are compiled by the
commands that the documents show.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.dont_write_bytecode = True  # the next two are in the source folder
from documents import blocks_of, commands_of, paths_of
from fixtures import SOURCE

# Completions: blocks that are not complete files, and the text that is added to them.
COMPLETIONS = {
    "docs/how-to/balance-your-code.md": """
int run_functions(int argc, char** argv) {
  plimsoll::Settings settings;
  settings.lb = true;
  settings.lb_name = "RotateLB";
  plimsoll::LoadRecorder recorder(argc, argv, settings);
  plimsoll::Balancer balancer(recorder);
  Blocks blocks;
  const ObjectId parent = recorder.id(recorder.register_object());
  blocks[parent].assign(8, recorder.rank());
  std::vector<int> ranks;
  const std::vector<ObjectId> known = {plimsoll::object_id(1 - recorder.rank(), 1)};
  recorder.next_phase();
  refine(recorder, blocks, parent);
  follow(balancer, known, ranks);
  recorder.next_phase();
  balance(balancer, blocks);
  bool right = blocks.size() == 4 && ranks == std::vector{recorder.rank()};
  for (const auto& [id, cells] : blocks) right = right && cells == std::vector<double>(2, 1 - recorder.rank());
  recorder.close();
  return right ? 0 : 1;
}
""",
    "main() of docs/how-to/balance-your-code.md": """int run_functions(int argc, char** argv);
int main(int argc, char** argv) try {
  if (argc > 1 && argv[1] == std::string_view("functions")) return run_functions(argc, argv);
""",
    "docs/how-to/coming-from-zoltan.md": """
int main() {
  plimsoll::balance::LDStats stats;
  stats.procs.resize(2);
  stats.obj_data = {{1, true}, {1, true}};
  stats.from_proc = {0, 0};
  partition(stats);
  return stats.to_proc[0] == stats.to_proc[1];
}
""",
    "docs/reference/strategies/ZoltanLB.md": """
int main() { return strategies().create("ZoltanLB") == nullptr; }
""",
    "README.md": """
#include <plimsoll/balance/score.hpp>
#include <plimsoll/lbdata/phases.hpp>

int main() {
  const std::vector<double> loads = {1, 3};
  return plimsoll::balance::imbalance(loads) != 0.5 || to_string(plimsoll::lbdata::PhaseRange{1, 2}) != "1-2";
}
""",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(documentation LANGUAGES CXX C Fortran)
""",
}
BALANCE = "docs/how-to/balance-your-code.md"
COLLECTIONS = "docs/how-to/collections.md"
MEASURE = "docs/tutorials/measure-your-code.md"
STRATEGY = "docs/how-to/write-a-strategy.md"
# Files to which the blocks are written: those that the documented commands compile.
PROGRAMS = {"cpp": "own_data.cpp", "c": "own_data.c", "fortran": "own_data.f90"}
# Languages whose blocks do not contain code of a user.
OTHER_LANGUAGES = {
    "console": "documentation_test.py runs the commands",
    "text": "output, drawings and formats",
}
CODE = re.compile(r"#include|\bmain\(|^\s*(?:use|import) \w+$|find_package\(", re.MULTILINE)  # not in blocks of these languages


class Tools:
    """An installed Plimsoll, and the compilers and the launcher that fit it."""

    def __init__(self, prefix):
        self.prefix = Path(prefix).resolve()
        self.launcher = os.environ.get("LAUNCHER", "mpiexec")
        library = next(self.prefix.glob("lib*/**/pkgconfig")).parent
        self.environment = {
            **os.environ,
            "PATH": f"{self.prefix / 'bin'}:{os.environ['PATH']}",
            "PKG_CONFIG_PATH": str(library / "pkgconfig"),
            "LD_LIBRARY_PATH": str(library),
            "LC_ALL": "C.UTF-8",
        }

    def has(self, module):
        """Whether a module is installed: those of Fortran and Zoltan are optional."""
        return self.run(".", f"pkg-config --exists plimsoll-{module}", check=False).returncode == 0

    def prepare(self, folder):
        """Creates the compilers of the documents. They call those of the default MPI of this Plimsoll."""
        for name in ("c++", "mpicxx", "mpicc", "mpifort"):
            compiler = os.environ.get("CXX", name) if name == "c++" else f"{name}.{os.environ.get('MPI', '')}"
            found = shutil.which(compiler) or shutil.which(name)
            if found:
                (folder / name).write_text(f'#!/bin/sh\nexec {found} "$@" $LDFLAGS\n')
                (folder / name).chmod(0o755)

    def run(self, folder, command, check=True, text=None):
        """Runs a command of the shell. An unexpected exit status is a failure with all output."""
        environment = {**self.environment, "PATH": f"{folder}:{self.environment['PATH']}"}
        result = subprocess.run(command, shell=True, cwd=folder, env=environment, encoding="utf-8", input=text or "",
                                timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if check and result.returncode != 0:
            raise AssertionError(f"{command}\nexits with status {result.returncode}:\n{result.stdout}")
        return result


def documented_command(source, page, start):
    """The command of a page that begins with these words."""
    for command in commands_of(source / page, page):
        if command.text.startswith(start):
            return command.text
    raise AssertionError(f'{page}: no command begins with "{start}"')


def check_measured_program(tools, source, folder, blocks):
    """Compiles the program of the tutorial with its command, runs it on two ranks, and validates its data."""
    (block,) = blocks
    file = PROGRAMS[block.language]
    if block.language == "fortran" and not tools.has("fortran"):
        raise unittest.SkipTest("built without Fortran")
    (folder / file).write_text(block.text)
    compiler = {"cpp": "mpicxx", "c": "mpicc", "fortran": "mpifort"}[block.language]
    tools.run(folder, documented_command(source, MEASURE, f"{compiler} "))
    program = f"own_data_{block.language}"
    tools.run(folder, f"{tools.launcher} -n 2 ./{program} --vt_lb_data --vt_lb_statistics=false")
    output = tools.run(folder, "plimsoll validate vt_lb_data").stdout
    assert "valid: 0 errors, 0 warnings in 2 files (6 phase records, 12 tasks" in output, output


def check_balanced_programs(tools, source, folder, blocks):
    """Compiles the complete programs with their commands, and runs all documented commands on two ranks. The other blocks
    are functions for the first program, which runs them too if its first argument is "functions"."""
    balanced, planned = (block.text for block in blocks if "int main(" in block.text)
    functions = [block.text for block in blocks if "int main(" not in block.text]
    start, rest = balanced.split("int main(int argc, char** argv) try {\n")
    balanced = "".join([start, COMPLETIONS["main() of " + BALANCE], rest, *functions, COMPLETIONS[BALANCE]])
    for name, program in (("balanced", balanced), ("planned", planned)):
        (folder / f"{name}.cpp").write_text(program)
        tools.run(folder, documented_command(source, BALANCE, f"mpicxx -std=c++20 -O2 {name}.cpp"))
    for command in commands_of(source / BALANCE, BALANCE):
        if command.text.startswith("mpirun "):
            balancing = command.text.replace("mpirun", f"PLIMSOLL_LB_WHEN=always {tools.launcher}", 1)  # even if it does not pay
            output = tools.run(folder, balancing).stdout
            assert "migrations, new imbalance" in output or "objects migrate" in output, output
    tools.run(folder, f"{tools.launcher} -n 2 ./balanced functions --vt_lb_quiet")


def check_balanced_program(tools, source, folder, blocks):
    """Compiles the program in C or Fortran with its command, and runs it on two ranks."""
    (block,) = blocks
    if block.language == "fortran" and not tools.has("fortran"):
        raise unittest.SkipTest("built without Fortran")
    compiler, file = {"c": ("mpicc", "balanced.c"), "fortran": ("mpifort", "balanced.f90")}[block.language]
    (folder / file).write_text(block.text)
    tools.run(folder, documented_command(source, BALANCE, f"{compiler} "))
    settings = "--vt_lb --vt_lb_name=RefineLB --vt_lb_when=always"
    output = tools.run(folder, f"{tools.launcher} -n 2 ./balanced_{block.language} {settings}").stdout
    assert "migrations, new imbalance" in output, output


def check_threads(tools, source, folder, blocks):
    """Compiles the program with OpenMP, runs it on two ranks with three threads each, and validates its data."""
    (block,) = blocks
    (folder / "own_data.cpp").write_text(block.text)
    tools.run(folder, documented_command(source, MEASURE, "mpicxx ").replace("-O2", "-O2 -fopenmp"))
    tools.run(folder, f"OMP_NUM_THREADS=3 {tools.launcher} -n 2 ./own_data_cpp --vt_lb_data --vt_lb_statistics=false")
    output = tools.run(folder, "plimsoll validate vt_lb_data").stdout
    assert "valid: 0 errors, 0 warnings in 2 files (6 phase records, 606 tasks" in output, output


def check_collections(tools, source, folder, blocks):
    """Compiles the program with its command, runs it on two ranks with balancing, and validates its data. Few phases migrate
    elements, and only they and the next ones are written, because the program has 100 phases."""
    (block,) = blocks
    (folder / "cells.cpp").write_text(block.text)
    tools.run(folder, documented_command(source, COLLECTIONS, "mpicxx "))
    settings = "--vt_lb --vt_lb_name=RotateLB --vt_lb_interval=50 --vt_lb_data --vt_lb_data_elide_identical"
    output = tools.run(folder, f"{tools.launcher} -n 2 ./cells {settings}").stdout
    assert output.count("RotateLB: 4,096 migrations") == 2, output
    output = tools.run(folder, "plimsoll validate vt_lb_data").stdout
    assert "valid: 0 errors" in output, output


def check_strategy(tools, source, folder, blocks):
    """Compiles the test program of a strategy, which includes the class, with the command of the README."""
    strategy, program = blocks
    (folder / "foo_lb.cpp").write_text(strategy.text)
    (folder / "my_program.cpp").write_text(program.text)
    tools.run(folder, documented_command(source, "README.md", "c++ "))
    tools.run(folder, "./my_program")


def check_zoltan(tools, source, folder, blocks):
    """Compiles, links and runs a block that needs MPI and Zoltan."""
    (block,) = blocks
    if not tools.has("zoltan_openmpi"):
        raise unittest.SkipTest("built without Zoltan")
    (folder / "my_program.cpp").write_text(block.text + COMPLETIONS[block.place.partition(":")[0]])
    tools.run(folder, "c++ -std=c++20 my_program.cpp $(pkg-config --cflags --libs plimsoll-zoltan_openmpi) -o my_program")
    tools.run(folder, "./my_program")


def check_cmake(tools, source, folder, blocks):
    """Configures and builds a program per block: each block finds packages and links the program my_program."""
    lists = COMPLETIONS["CMakeLists.txt"]
    language = "Fortran" if tools.has("fortran") else "CXX"
    programs = {found.language: found.text for found in blocks_of(source / MEASURE, MEASURE)}
    programs["cpp"] = COMPLETIONS["README.md"]
    for index, block in enumerate(blocks):
        fortran = "fortran" in block.text
        if fortran and language != "Fortran":
            continue
        kind = "fortran" if fortran else "c" if "runtime" in block.text else "cpp"
        (folder / f"{index}_{PROGRAMS[kind]}").write_text(programs[kind])
        name = f"my_program_{index}"
        lists += f"add_executable({name} {index}_{PROGRAMS[kind]})\n" + block.text.replace("my_program", name)
    if language != "Fortran":
        lists = lists.replace(" Fortran)", ")", 1)
    (folder / "CMakeLists.txt").write_text(lists)
    tools.run(folder, f"cmake -S . -B build -DCMAKE_PREFIX_PATH={tools.prefix} && cmake --build build -j 1")
    for program in (folder / "build").glob("my_program_*"):
        tools.run(folder, f"PLIMSOLL_LB_STATISTICS=false {tools.launcher} -n 1 {program}")


def check_test_commands(tools, source, folder, blocks):
    """Checks that the functions of CMake in CONTRIBUTING.md exist."""
    functions = (source / "cmake/PlimsollTest.cmake").read_text()
    for block in blocks:
        name = block.text.partition("(")[0]
        assert f"function({name} " in functions, f"{block.place}: unknown function {name}"


def check_solver(tools, source, folder, blocks):
    """Runs the solver on the problem of its page."""
    (block,) = blocks
    page = block.place.partition(":")[0]
    problem = next(found.text for found in blocks_of(source / page, page) if found.language == "json")
    (folder / "my_solver").write_text(block.text)
    (folder / "my_solver").chmod(0o755)
    answer = json.loads(tools.run(folder, "./my_solver", text=problem).stdout)
    assert abs(answer["time"] - (3.1 + 2.4)) < 1e-9 and len(answer["places"]) == 2, answer


def check_json(tools, source, folder, blocks):
    for block in blocks:
        json.loads(block.text)


def check_data_file(tools, source, folder, blocks):
    (block,) = blocks
    (folder / "data.0.json").write_text(block.text)
    tools.run(folder, "plimsoll validate data.0.json")


def check_xml(tools, source, folder, blocks):
    for block in blocks:
        xml.etree.ElementTree.fromstring(block.text)


def check_shell(tools, source, folder, blocks):
    for block in blocks:
        tools.run(folder, "sh -n", text=block.text)


def check_layout(tools, source, folder, blocks):
    """Solves a problem with the layout."""
    (block,) = blocks
    (folder / "mine.yaml").write_text(block.text)
    problem = source / "examples/layout/coupled_model.json"
    tools.run(folder, f"plimsoll layout solve --json_input {problem} --total_tasks 1024 --layout mine.yaml")


def check_settings(tools, source, folder, blocks):
    """Runs the program of the tutorial in C with the settings, which write its data files to the directory "out"."""
    (block,) = blocks
    (folder / "settings.yaml").write_text(block.text)
    (program,) = [found for found in blocks_of(source / MEASURE, MEASURE) if found.language == "c"]
    (folder / "own_data.c").write_text(program.text)
    tools.run(folder, documented_command(source, MEASURE, "mpicc "))
    output = tools.run(folder, f"{tools.launcher} -n 1 ./own_data_c --vt_input_config_yaml=settings.yaml").stdout
    assert output == "" and sorted(os.listdir(folder / "out")) == ["data.0.json.br"], output


def not_for_plimsoll(tools, source, folder, blocks):
    """A file of another tool, of which only the translation can be tested."""


# page, language -> function that checks all blocks of that language on that page
CHECKS = {
    ("CONTRIBUTING.md", "cmake"): check_test_commands,
    ("README.md", "cmake"): check_cmake,
    (BALANCE, "c"): check_balanced_program,
    (BALANCE, "cpp"): check_balanced_programs,
    (BALANCE, "fortran"): check_balanced_program,
    (COLLECTIONS, "cpp"): check_collections,
    ("docs/how-to/coming-from-lbaf.md", "yaml"): not_for_plimsoll,
    ("docs/how-to/coming-from-zoltan.md", "cpp"): check_zoltan,
    ("docs/how-to/measure-more.md", "cpp"): check_threads,
    ("docs/how-to/other-models.md", "sh"): check_shell,
    ("docs/how-to/timing-runs.md", "xml"): check_xml,
    ("docs/how-to/write-a-layout-solver.md", "json"): check_json,
    ("docs/how-to/write-a-layout-solver.md", "python"): check_solver,
    (STRATEGY, "cpp"): check_strategy,
    ("docs/reference/collective-files.md", "json"): check_json,
    ("docs/reference/layouts.md", "yaml"): check_layout,
    ("docs/reference/lb-data-files.md", "json"): check_data_file,
    ("docs/reference/settings.md", "yaml"): check_settings,
    ("docs/reference/strategies/ZoltanLB.md", "cpp"): check_zoltan,
    ("docs/reference/mpi-calls-file.md", "json"): check_json,
    (MEASURE, "c"): check_measured_program,
    (MEASURE, "cmake"): check_cmake,
    (MEASURE, "cpp"): check_measured_program,
    (MEASURE, "fortran"): check_measured_program,
}


def groups_of(source):
    """The blocks with code: by page and language."""
    groups = {}
    for path in [source / "CONTRIBUTING.md", *paths_of(source)]:
        name = str(path.relative_to(source))
        for block in blocks_of(path, name):
            if block.language not in OTHER_LANGUAGES:
                groups.setdefault((name, block.language), []).append(block)
    return groups


def check_group(tools, source, key, blocks):
    """Checks the blocks of a page in a language, in an empty directory."""
    if key not in CHECKS:
        raise AssertionError(f'{blocks[0].place}: add blocks of language "{key[1]}" to CHECKS in {Path(__file__).name}')
    with tempfile.TemporaryDirectory() as temporary:
        tools.prepare(Path(temporary))
        CHECKS[key](tools, source, Path(temporary), blocks)


class Snippets(unittest.TestCase):
    def test_compile_and_run(self):
        for key, blocks in groups_of(SOURCE).items():
            with self.subTest(blocks[0].place):
                check_group(TOOLS, SOURCE, key, blocks)

    def test_specify_their_language(self):
        for path in [SOURCE / "CONTRIBUTING.md", *paths_of(SOURCE)]:
            for block in blocks_of(path, str(path.relative_to(SOURCE))):
                if block.language in OTHER_LANGUAGES:
                    with self.subTest(block.place):
                        self.assertIsNone(CODE.search(block.text), "name the language of this code")

    def test_need_every_check(self):
        self.assertEqual(set(CHECKS) - set(groups_of(SOURCE)), set(), "remove them from CHECKS")


if __name__ == "__main__":
    TOOLS = Tools(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
