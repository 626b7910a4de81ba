#!/usr/bin/env python3
"""usage: rejected_calls_test.py COMMAND...

Checks that the command, which compiles rejected_calls.cpp, prints an error for each call in it, with the text in its comment.
"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

CALL = re.compile(r"^ +(\S.*;) +// (.*)$")
ERROR = re.compile(r"rejected_calls\.cpp:(\d+):\d+: +required from here\n.*error: static assertion failed: (.*)")


class RejectedCalls(unittest.TestCase):
    def test_explain_why_they_do_not_compile(self):
        output = subprocess.run(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8").stdout
        lines = Path(__file__).with_name("rejected_calls.cpp").read_text().splitlines()
        calls = [(number, *found.groups()) for number, line in enumerate(lines, start=1) if (found := CALL.match(line))]
        self.assertEqual(len(calls), 14, "CALL in this test no longer finds all calls")
        for number, call, reason in calls:
            with self.subTest(call):
                messages = [message for line, message in ERROR.findall(output) if int(line) == number]
                self.assertTrue(any(reason in message for message in messages), output if not messages else messages)


if __name__ == "__main__":
    COMMAND = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
