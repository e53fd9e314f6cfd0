#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of the bad input suite must itself refuse what is wrong."""
import unittest

from framework import Case


def run(script, status=2, message="w.yaml:1: bad", never=None):
    case = Case("x", ["-c", script], {"w.yaml": "a: 1\n"}, status, message, never=never)
    return case.run("/bin/sh", time_limit=1)[0]


class Judge(unittest.TestCase):
    def test_right_status_and_message_pass(self):
        self.assertEqual(run("echo w.yaml:1: bad >&2; exit 2"), [])

    def test_files_are_there(self):
        self.assertEqual(run("cat w.yaml; echo w.yaml:1: bad; exit 2", message="a: 1"), [])

    def test_another_status_fails(self):
        self.assertIn("exit status 0, expected 2", run("echo w.yaml:1: bad"))

    def test_another_message_fails(self):
        self.assertEqual(len(run("echo bad; exit 2")), 1)

    def test_a_signal_fails(self):
        self.assertIn("crashed: status -11", run("echo w.yaml:1: bad; kill -SEGV $$"))

    def test_a_status_of_a_signal_fails_even_when_expected(self):
        self.assertIn("crashed: status 139", run("echo w.yaml:1: bad; exit 139", status=139))

    def test_a_hang_fails(self):
        self.assertEqual(run("sleep 60"), ["did not end within 1 s"])

    def test_a_hang_in_a_child_fails(self):
        self.assertEqual(run("sleep 60 & wait"), ["did not end within 1 s"])

    def test_noise_of_an_exception_fails(self):
        self.assertEqual(len(run("echo w.yaml:1: bad; echo terminate called; exit 2")), 1)

    def test_what_must_never_come_fails(self):
        self.assertEqual(len(run("echo w.yaml:1: bad; exit 2", never="bad")), 1)

    def test_an_empty_line_behind_the_message_fails(self):
        self.assertEqual(run("echo w.yaml:1: bad; echo; exit 2"), ["an empty line is behind the message"])


if __name__ == "__main__":
    unittest.main()
