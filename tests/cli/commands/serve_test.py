"""usage: serve_test.py PLIMSOLL

Tests `plimsoll serve` as a browser and an attacker would use it.
"""
import gzip
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

PLIMSOLL = sys.argv.pop(1)
TIMEOUT_S = 60


def phases(count):
    task = '{"entity":{"type":"object","id":1,"home":0,"migratable":true},"node":0,"resource":"cpu","time":1.0}'
    return ",".join(f'{{"id":{phase},"tasks":[{task}]}}' for phase in range(count))


class Serve(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.write("data.0.json.partial", 2)
        self.start(self.folder)
        self.addCleanup(self.stop)

    def start(self, path):
        self.server = subprocess.Popen([PLIMSOLL, "serve", path], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        self.url = urllib.parse.urlsplit(re.fullmatch(r"Open (http://\S+)\n", self.server.stdout.readline())[1])

    def stop(self):
        self.server.send_signal(signal.SIGINT)
        _, errors = self.server.communicate(timeout=TIMEOUT_S)
        self.assertEqual((self.server.returncode, errors), (0, "plimsoll: stopped\n"))

    def write(self, name, n_phases):
        (self.folder / name).write_text('{"metadata":{"rank":0,"type":"LBDatafile"},"phases":[' + phases(n_phases))

    def write_complete(self, name, n_phases):
        self.write(name, n_phases)
        with (self.folder / name).open("a") as file:
            file.write('],"type":"LBDatafile"}')

    def ask(self, path, method="GET"):
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=TIMEOUT_S)
        self.addCleanup(connection.close)
        connection.request(method, path)
        response = connection.getresponse()
        return response, response.read()

    def document(self):
        response, body = self.ask(self.url.path + "data.json")
        self.assertEqual(response.status, 200, body)
        return response.headers["X-Version"], json.loads(gzip.decompress(body))

    def test_sends_viewer_that_connects_to_this_server_only(self):
        self.assertEqual(self.url.hostname, "127.0.0.1")
        response, body = self.ask(self.url.path)
        self.assertEqual(response.status, 200)
        self.assertIn(b"default-src 'none'; connect-src 'self';", body)
        self.assertIn(b'id="report-source"', body)
        self.assertEqual(response.headers["Referrer-Policy"], "no-referrer")

    def test_sends_new_phases_as_they_arrive(self):
        version, before = self.document()
        self.assertEqual(len(before["sections"][0]["info"]["phases"]), 2)
        response, _ = self.ask(self.url.path + "data.json?version=" + version)
        self.assertEqual(response.status, 204)
        self.write("data.0.json.partial", 3)
        newer, after = self.document()
        self.assertNotEqual(newer, version)
        self.assertEqual(len(after["sections"][0]["info"]["phases"]), 3)

    def test_follows_data_sets_named_by_base_and_by_pattern(self):
        for path in ("data", "data.%p.json"):
            self.stop()
            (self.folder / "data.0.json.partial").unlink(missing_ok=True)
            self.write_complete("data.0.json", 2)
            self.start(self.folder / path)
            version, before = self.document()
            self.assertEqual(len(before["sections"][0]["info"]["phases"]), 2)
            (self.folder / "notes.txt").write_text("other files do not matter")
            response, _ = self.ask(self.url.path + "data.json?version=" + version)
            self.assertEqual(response.status, 204)
            self.write_complete("data.0.json", 3)
            newer, after = self.document()
            self.assertNotEqual(newer, version)
            self.assertEqual(len(after["sections"][0]["info"]["phases"]), 3)

    def test_says_why_data_cannot_be_read_and_recovers(self):
        (self.folder / "data.0.json.partial").write_text("")
        response, body = self.ask(self.url.path + "data.json")
        self.assertEqual(response.status, 503)
        self.assertIn("no phase has data on all ranks", json.loads(body)["message"])
        self.write("data.0.json.partial", 1)
        self.assertEqual(len(self.document()[1]["sections"][0]["info"]["phases"]), 1)

    def test_sends_nothing_without_the_secret_or_from_the_file_system(self):
        secret = self.url.path
        self.assertRegex(secret, r"^/[0-9a-f]{32}/$")
        for path in ("/", "/data.json", secret[:-2] + "/", secret + "../data.json", secret + "data.0.json.partial",
                     secret + "../../etc/passwd", secret + "%2e%2e/%2e%2e/etc/passwd", "//etc/passwd"):
            response, body = self.ask(path)
            self.assertEqual(response.status, 404, path)
            self.assertNotIn(b"root:", body)

    def test_is_read_only(self):
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            response, _ = self.ask(self.url.path + "data.json", method)
            self.assertGreaterEqual(response.status, 400, method)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["data.0.json.partial"])


    def test_answers_while_other_clients_send_nothing(self):
        idle = [socket.create_connection((self.url.hostname, self.url.port)) for _ in range(50)]
        for connection in idle:
            self.addCleanup(connection.close)
            connection.sendall(b"GET / HTTP/1.1\r\n")
        self.assertEqual(self.ask(self.url.path)[0].status, 200)

    def test_states_its_command_line(self):
        self.assertEqual(self.document()[1]["command"],
                         ["plimsoll", "serve", str(self.folder), "--strategies", "none"])

    def test_states_that_other_machines_can_connect(self):
        server = subprocess.Popen([PLIMSOLL, "serve", self.folder, "--host", "0.0.0.0"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(server.communicate, timeout=TIMEOUT_S)
        self.addCleanup(server.terminate)
        self.assertTrue(server.stdout.readline().startswith(f"Open http://{socket.gethostname()}:"))
        self.assertEqual(server.stdout.readline(),
                         "Other machines can connect: whoever knows this address can read the data.\n")

    def test_does_not_share_its_port(self):
        self.assert_refused(["serve", self.folder, "--port", str(self.url.port)], 3, "cannot listen on 127.0.0.1")

    def test_rejects_wrong_use_at_the_start(self):
        for arguments, status, message in (
                (["--host", ""], 2, "the name must not be empty"),
                (["--host", "192.0.2.1"], 3, "cannot listen on 192.0.2.1"),
                (["--port", "65536"], 2, "invalid value 65536 for --port: expected 0 to 65535"),
                (["--port", "-1"], 2, "invalid value -1 for --port"),
                (["--phases", "x"], 2, "x"),
                (["--strategies", "Foo"], 2, "Foo"),
                ([self.folder / "missing"], 3, "missing")):
            self.assert_refused(["serve", self.folder, *arguments], status, message)

    def test_reports_failures_of_the_system(self):
        server = subprocess.run([PLIMSOLL, "serve", self.folder], capture_output=True, text=True, timeout=TIMEOUT_S,
                                env=os.environ | {"TMPDIR": "/nonexistent"})
        self.assertEqual(server.returncode, 3)
        self.assertIn("cannot create a directory for temporary files", server.stderr)

    def assert_refused(self, arguments, status, message):
        result = subprocess.run([PLIMSOLL, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(result.returncode, status, arguments)
        self.assertIn(message, result.stderr)


unittest.main()
