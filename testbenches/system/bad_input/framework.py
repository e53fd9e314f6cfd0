# SPDX-License-Identifier: Apache-2.0
"""A case: files, a command line, the exit status and the message that must come.

The command is right about bad input when it ends by itself, in time, with the status that says
whose fault it was, and with a message that names the place. Anything else fails: a signal, an
exhausted time limit, another status, a message without the place.
"""
import os
import re
import signal
import subprocess
import tempfile

TIME_LIMIT = 20  # seconds for one command

FAILED_EXPECTATION = 1
BAD_INPUT = 2
MACHINE_STOPPED = 3

BOTH = ("cycle", "functional")

# Nothing of this may ever come out of the command.
FORBIDDEN = re.compile(
    r"terminate called|[Aa]ssertion|Sanitizer|runtime error:|bad_alloc|std::|basic_string|"
    r"^Warning: \(|^Error: \(|^Fatal: \(|vector::|map::at", re.MULTILINE)


class Case:
    def __init__(self, name, arguments, files, status, message, mode=None, never=None, stdin=""):
        self.name = name if mode is None else f"{name}.{mode}"
        self.arguments = list(arguments)
        self.files = files
        self.status = status
        # Every pattern must be found somewhere in what the command prints.
        self.messages = [message] if isinstance(message, str) else list(message)
        self.never = never
        self.stdin = stdin.encode() if isinstance(stdin, str) else stdin
        if mode is not None:
            self.arguments += ["--mode", mode]

    def run(self, command, time_limit=TIME_LIMIT):
        """Returns (problems, transcript); no problems means that the case holds."""
        with tempfile.TemporaryDirectory(prefix="archipelago-bad-input-") as folder:
            for path, contents in self.files.items():
                path = os.path.join(folder, path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                data = contents() if callable(contents) else contents  # made when it is needed
                with open(path, "wb") as file:
                    file.write(data.encode() if isinstance(data, str) else data)
            # A machine that stops abandons the host's thread with all it owns: no leak to report.
            environment = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1",
                               ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
            process = subprocess.Popen(
                [command] + self.arguments, cwd=folder, env=environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True)
            try:
                output, _ = process.communicate(self.stdin, timeout=time_limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, _ = process.communicate()
                return [f"did not end within {time_limit} s"], output.decode(errors="replace")
        output = output.decode(errors="replace").replace("\r\n", "\n")
        return self.judge(process.returncode, output), output

    def judge(self, status, output):
        problems = []
        if status < 0 or status >= 128:
            problems.append(f"crashed: status {status}")
        elif status != self.status:
            problems.append(f"exit status {status}, expected {self.status}")
        for pattern in self.messages:
            if not re.search(pattern, output, re.MULTILINE):
                problems.append(f"the message has nothing like /{pattern}/")
        for unwanted in (FORBIDDEN, self.never and re.compile(self.never, re.MULTILINE)):
            noise = unwanted and unwanted.search(output)
            if noise:
                problems.append(f"the output has {noise.group(0)!r}")
        if output.endswith("\n\n"):
            problems.append("an empty line is behind the message")
        return problems


class Suite:
    """Collects cases; a workload case becomes one case per mode."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.cases = []

    def command(self, name, arguments, status, message, files=None, never=None, stdin=""):
        """`never`: what must not come besides the message."""
        self.cases.append(Case(f"{self.prefix}.{name}", arguments, files or {}, status, message,
                               never=never, stdin=stdin))

    def workload(self, name, text, status, message, files=None, options=(), modes=BOTH, never=None):
        """`message`: a pattern, a list of patterns, or one of these per mode."""
        for mode in modes:
            wanted = message[mode] if isinstance(message, dict) else message
            self.cases.append(
                Case(f"{self.prefix}.{name}", ["run", "w.yaml", "--quiet", *options],
                     {"w.yaml": text, **(files or {})}, status, wanted, mode, never))
