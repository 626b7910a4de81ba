#!/usr/bin/env python3
"""usage: [CXX=c++] [LDFLAGS=...] [LAUNCHER=mpiexec] [MPI=openmpi] snippets_test.py PREFIX

Checks the code blocks of the README, CONTRIBUTING.md and docs/ that readers do not save as a file, with the Plimsoll
installed in PREFIX. documentation_test.py compiles and runs the others.

CHECKS contains a function for the blocks of each page and language, and a block without one fails the test. COMPLETIONS
contains the only text that a function adds to them.
"""
import json
import os
import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the next three are in the source folder
from documents import blocks_of, commands_of, paths_of
from fixtures import PROGRAM_WITH_BALANCE, SOURCE
from reader import Reader

# Completions: blocks that are not complete files, and the text that is added to them.
COMPLETIONS = {
    "docs/how-to/balance-your-code.md": """
int main(int argc, char** argv) {
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
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(documentation LANGUAGES CXX C Fortran)
""",
}
BALANCE = "docs/how-to/balance-your-code.md"
MEASURE = "docs/tutorials/measure-your-code.md"
# Languages whose blocks do not contain code of a user.
OTHER_LANGUAGES = {
    "console": "documentation_test.py runs the commands",
    "text": "output, drawings and formats",
}
CODE = re.compile(r"#include|\bmain\(|^\s*(?:use|import) \w+$|find_package\(", re.MULTILINE)  # not in these blocks


def check_functions(reader, source, blocks):
    """Compiles the functions for the first program of the page, and runs them on two ranks."""
    program = next(block.text for block in blocks_of(source / BALANCE, BALANCE) if block.file == "balanced.cpp")
    start = program[:program.index("// How a block migrates")]
    code = "".join([start, *(block.text for block in blocks), COMPLETIONS[BALANCE]])
    (reader.checkout / "functions.cpp").write_text(code)
    reader.run("mpicxx -std=c++20 functions.cpp $(pkg-config --cflags --libs plimsoll-runtime) -o functions",
               check=True)
    reader.run("mpirun -n 2 ./functions --vt_lb_quiet", check=True)


def check_gpu(reader, source, blocks):
    """Compiles the program for CUDA and the class for HIP with fake streams, in which kernels take a millisecond."""
    cuda, hip = blocks
    compile_it = (f"mpicxx -std=c++20 -I{source}/tests/docs/gpu gpu.cpp $(pkg-config --cflags --libs plimsoll-runtime)"
                  " -o gpu")
    (reader.checkout / "gpu.cpp").write_text(cuda.text)
    reader.run(f"{compile_it} && mpirun -n 2 ./gpu --vt_lb_quiet --vt_lb_data --vt_lb_data_dir=gpu_data"
               " --vt_lb_loads=device", check=True)
    output = reader.run("plimsoll info gpu_data --phases 5", check=True).stdout
    assert "16.0 ms" in output, output  # 16 objects on each rank
    rest = cuda.text[cuda.text.index("void launch_kernels"):].replace("cuda", "hip")
    for name in ("StreamCreate", "StreamSynchronize", "StreamDestroy"):
        rest = rest.replace(f"hip{name}", f"cuda{name}")  # not in the block
    (reader.checkout / "gpu.cpp").write_text("#include <cstdio>\n" + hip.text + rest)
    reader.run(f"{compile_it} && mpirun -n 2 ./gpu --vt_lb_quiet", check=True)


def check_zoltan(reader, source, blocks):
    """Compiles, links and runs a block that needs MPI and Zoltan."""
    (block,) = blocks
    if not reader.has("zoltan_openmpi"):
        raise unittest.SkipTest("built without Zoltan")
    (reader.checkout / "my_program.cpp").write_text(block.text + COMPLETIONS[block.place.partition(":")[0]])
    reader.run("c++ -std=c++20 my_program.cpp $(pkg-config --cflags --libs plimsoll-zoltan_openmpi) -o my_program"
               " && ./my_program", check=True)


def check_cmake(reader, source, blocks):
    """Configures and builds a program per block: each block finds packages and links the program my_program."""
    fortran = reader.has("fortran")
    lists = COMPLETIONS["CMakeLists.txt"] if fortran else COMPLETIONS["CMakeLists.txt"].replace(" Fortran)", ")", 1)
    programs = {found.file: found.text for found in blocks_of(source / MEASURE, MEASURE)}
    programs["my_program.cpp"] = PROGRAM_WITH_BALANCE
    for index, block in enumerate(blocks):
        file = "my_program." + ("f90" if "fortran" in block.text else "c" if "runtime" in block.text else "cpp")
        if fortran or not file.endswith("f90"):
            (reader.checkout / f"{index}_{file}").write_text(programs[file])
            name = f"my_program_{index}"
            lists += f"add_executable({name} {index}_{file})\n" + block.text.replace("my_program", name)
    (reader.checkout / "CMakeLists.txt").write_text(lists)
    reader.run("cmake -S . -B build && cmake --build build -j 1", check=True)
    for program in (reader.checkout / "build").glob("my_program_*"):
        reader.run(f"PLIMSOLL_LB_STATISTICS=false mpirun -n 1 {program}", check=True)


def check_test_commands(reader, source, blocks):
    """Checks that the functions of CMake in CONTRIBUTING.md exist."""
    functions = (source / "cmake/PlimsollTest.cmake").read_text()
    for block in blocks:
        name = block.text.partition("(")[0]
        assert f"function({name} " in functions, f"{block.place}: unknown function {name}"


def check_json(reader, source, blocks):
    for block in blocks:
        json.loads(block.text)


def check_data_file(reader, source, blocks):
    (block,) = blocks
    (reader.checkout / "data.0.json").write_text(block.text)
    reader.run("plimsoll validate data.0.json", check=True)


def check_shell(reader, source, blocks):
    for block in blocks:
        reader.run("sh -n", check=True, text=block.text)


def check_layout(reader, source, blocks):
    """Solves a problem with the layout."""
    (block,) = blocks
    (reader.checkout / "mine.yaml").write_text(block.text)
    reader.run("plimsoll layout solve --json_input examples/layout/coupled_model.json --total_tasks 1024"
               " --layout mine.yaml", check=True)


def check_settings(reader, source, blocks):
    """Runs the program of the tutorial in C with the settings, which write its data files to the directory "out"."""
    (block,) = blocks
    (program,) = (found for found in blocks_of(source / MEASURE, MEASURE) if found.language == "c")
    (reader.checkout / "settings.yaml").write_text(block.text)
    (reader.checkout / "my_program.c").write_text(program.text)
    reader.run("mpicc my_program.c $(pkg-config --cflags --libs plimsoll-runtime) -lstdc++ -lm", check=True)
    output = reader.run("mpirun -n 1 ./a.out --vt_input_config_yaml=settings.yaml", check=True).stdout
    assert output == "" and sorted(os.listdir(reader.checkout / "out")) == ["data.0.json.br"], output


def not_for_plimsoll(reader, source, blocks):
    """A file of another tool, of which only the translation can be tested."""


# page, language -> function that checks all blocks of that language on that page
CHECKS = {
    ("CONTRIBUTING.md", "cmake"): check_test_commands,
    ("README.md", "cmake"): check_cmake,
    (BALANCE, "cpp"): check_functions,
    ("docs/how-to/balance-gpu-work.md", "cpp"): check_gpu,
    ("docs/how-to/coming-from-lbaf.md", "yaml"): not_for_plimsoll,
    ("docs/how-to/coming-from-zoltan.md", "cpp"): check_zoltan,
    ("docs/how-to/other-models.md", "sh"): check_shell,
    ("docs/how-to/write-a-layout-solver.md", "json"): check_json,
    ("docs/reference/collective-files.md", "json"): check_json,
    ("docs/reference/layouts.md", "yaml"): check_layout,
    ("docs/reference/lb-data-files.md", "json"): check_data_file,
    ("docs/reference/settings.md", "yaml"): check_settings,
    ("docs/reference/strategies/ZoltanLB.md", "cpp"): check_zoltan,
    ("docs/reference/mpi-calls-file.md", "json"): check_json,
    (MEASURE, "cmake"): check_cmake,
}


def groups_of(source):
    """The blocks with code that no command of the page reads: by page and language."""
    groups = {}
    for path in [source / "CONTRIBUTING.md", *paths_of(source)]:
        name = str(path.relative_to(source))
        commands = " ".join(command.text for command in commands_of(path, name))
        for block in blocks_of(path, name):
            if block.language not in OTHER_LANGUAGES and not (block.file and block.file in commands):
                groups.setdefault((name, block.language), []).append(block)
    return groups


def check_group(source, key, blocks):
    """Checks the blocks of a page in a language, in an empty directory."""
    if key not in CHECKS:
        raise AssertionError(f'{blocks[0].place}: add blocks of language "{key[1]}" to CHECKS in {Path(__file__).name}')
    with Reader(PREFIX) as reader:
        reader.install()
        CHECKS[key](reader, source, blocks)


class Snippets(unittest.TestCase):
    def test_compile_and_run(self):
        for key, blocks in groups_of(SOURCE).items():
            with self.subTest(blocks[0].place):
                check_group(SOURCE, key, blocks)

    def test_specify_their_language(self):
        for path in [SOURCE / "CONTRIBUTING.md", *paths_of(SOURCE)]:
            for block in blocks_of(path, str(path.relative_to(SOURCE))):
                if block.language in OTHER_LANGUAGES:
                    with self.subTest(block.place):
                        self.assertIsNone(CODE.search(block.text), "name the language of this code")

    def test_need_every_check(self):
        self.assertEqual(set(CHECKS) - set(groups_of(SOURCE)), set(), "remove them from CHECKS")


if __name__ == "__main__":
    PREFIX = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
