#!/usr/bin/env python3
"""usage: run_tests_test.py RUN_TESTS: checks that the script counts each case of GoogleTest programs, and prints failures."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = sys.argv.pop(1)
PRESETS = {
    "version": 6,
    "configurePresets": [{"name": "ci", "generator": "Ninja", "binaryDir": "${sourceDir}/build/ci"}],
    "testPresets": [{"name": "ci", "configurePreset": "ci", "output": {"outputOnFailure": True}}],
}
# A program that behaves as GoogleTest does: it writes its file after its last case.
PROGRAM = """#!{python}
import os, sys
cases = {cases}
names = list(cases)
listed = "--gtest_list_tests" in sys.argv
report = [word[len("--gtest_output=xml:"):] for word in sys.argv if word.startswith("--gtest_output=xml:")]
if not listed:
    names = names[int(os.environ.get("GTEST_SHARD_INDEX", 0))::int(os.environ.get("GTEST_TOTAL_SHARDS", 1))]
text = ""
for name in names:
    outcome = cases[name]
    if listed:
        text += '<testcase name="%s" file="a.cpp" line="1" />' % name
        continue
    print("[ RUN      ] Suite." + name, flush=True)
    if outcome == "crash":
        os.abort()
    if outcome == "exit":
        os._exit(0)
    print("[  FAILED  ]" if outcome == "failed" else "[       OK ]", "Suite." + name, flush=True)
    inside = dict(passed="", skipped='<skipped message="m"/>', failed='<failure message="m"/>')[outcome]
    result = "skipped" if outcome == "skipped" else "completed"
    text += '<testcase name="%s" status="run" result="%s" classname="Suite">%s</testcase>' % (name, result, inside)
if report:
    open(report[0], "w").write('<testsuites><testsuite name="Suite">' + text + '</testsuite></testsuites>')
sys.exit({status} if not listed and "failed" not in cases.values() else 1)
"""


class RunTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.build = self.root / "build/ci"
        self.build.mkdir(parents=True)
        (self.root / "scripts").mkdir()
        shutil.copy(SCRIPT, self.root / "scripts/run-tests")
        self.write("scripts/build", "#!/bin/sh\necho build: $*\n")
        self.write("CMakePresets.json", json.dumps(PRESETS))

    def write(self, path, text):
        (self.root / path).write_text(text)
        (self.root / path).chmod(0o755)
        return self.root / path

    def add(self, name, command, properties=""):
        words = " ".join(f'"{word}"' for word in command)
        with open(self.build / "CTestTestfile.cmake", "a", encoding="utf-8") as file:
            file.write(f"add_test({name} {words})\n")
            if properties:
                file.write(f"set_tests_properties({name} PROPERTIES {properties})\n")

    def add_program(self, name, cases, status=0, shards=1, properties=""):
        program = self.write(name, PROGRAM.format(python=sys.executable, cases=cases, status=status))
        for shard in range(shards):
            test = f"{name}.{shard}" if shards > 1 else name
            self.add(test, [program, f"--gtest_output=xml:{self.build}/test-results/{test}.xml"],
                     f"{properties} ENVIRONMENT GTEST_TOTAL_SHARDS={shards};GTEST_SHARD_INDEX={shard}".replace(";", r"\;"))

    def run_script(self, *arguments):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GTEST_")}
        run = subprocess.run([self.root / "scripts/run-tests", *arguments, "ci"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, env=environment, check=False)
        self.output = run.stdout
        return run.returncode

    def expect(self, last_line, *lines, status):
        self.assertEqual(self.run_script(), status, self.output)
        self.assertEqual(self.output.splitlines()[-1], last_line, self.output)
        for line in lines:
            self.assertIn(line, self.output.splitlines())

    def test_counts_each_case_of_programs_and_each_other_test(self):
        self.add_program("first", {"A": "passed", "B": "skipped", "C": "passed"})
        self.add("other", ["true"])
        self.add("skips_itself", ["sh", "-c", "exit 77"], "SKIP_RETURN_CODE 77")
        self.expect("3 passed, 0 failed, 2 skipped", status=0)

    def test_names_failed_cases(self):
        self.add_program("first", {"A": "passed", "B": "failed"})
        self.add("other", ["false"])
        self.expect("1 passed, 2 failed, 0 skipped", "failed: first: Suite.B", "failed: other", status=1)
        self.assertIn("[  FAILED  ] Suite.B", self.output)
        self.assertNotIn("Suite.A", self.output)

    def test_counts_cases_without_result_as_failed(self):
        self.add_program("first", {"A": "passed", "B": "crash", "C": "passed"})
        self.expect("0 passed, 3 failed, 0 skipped", "failed: first: Suite.C", "[ RUN      ] Suite.B", status=1)

    def test_counts_cases_that_end_the_program_with_success(self):
        self.add_program("first", {"A": "passed", "B": "exit"})
        self.expect("0 passed, 2 failed, 0 skipped", status=1)

    def test_counts_cases_of_all_shards_once(self):
        self.add_program("first", {"A": "passed", "B": "passed", "C": "skipped"}, shards=2)
        self.expect("2 passed, 0 failed, 1 skipped", status=0)

    def test_counts_cases_of_complete_shards_if_another_crashes(self):
        self.add_program("first", {"A": "passed", "B": "crash", "C": "passed", "D": "passed"}, shards=2)
        self.expect("2 passed, 2 failed, 0 skipped", "failed: first: Suite.B", "failed: first: Suite.D", status=1)

    def test_counts_failure_after_last_case(self):
        self.add_program("first", {"A": "passed"}, status=1)
        self.expect("1 passed, 1 failed, 0 skipped", status=1)

    def test_counts_missing_programs_as_failed(self):
        self.add("other", [self.root / "missing"])
        self.add("first", [self.root / "missing", "--gtest_output=xml:a.xml"])
        self.expect("0 passed, 2 failed, 0 skipped", status=1)

    def test_ignores_results_of_earlier_runs(self):
        self.add_program("first", {"A": "passed"})
        self.expect("1 passed, 0 failed, 0 skipped", status=0)
        self.write("first", "#!/bin/sh\nexit 1\n")
        self.expect("0 passed, 1 failed, 0 skipped", status=1)

    def test_runs_long_tests_if_asked(self):
        self.add_program("first", {"A": "passed"})
        self.add_program("second", {"A": "passed", "B": "passed"}, properties="LABELS long")
        self.expect("1 passed, 0 failed, 0 skipped", status=0)
        self.assertIn("build: ci", self.output.splitlines())
        self.assertEqual(self.run_script("--long"), 0)
        self.assertIn("build: ci all long_tests", self.output.splitlines())
        self.assertEqual(self.output.splitlines()[-1], "3 passed, 0 failed, 0 skipped")

    def test_fails_without_tests(self):
        self.write("build/ci/CTestTestfile.cmake", "")
        self.assertNotEqual(self.run_script(), 0)
        self.assertEqual(self.output.splitlines()[-1], "0 passed, 0 failed, 0 skipped")


unittest.main()
