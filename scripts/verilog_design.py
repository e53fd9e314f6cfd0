# SPDX-License-Identifier: Apache-2.0
"""For scripts/verilog-wrapper: a YAML description whose values know their lines, and what Verilator
says of a design."""

import difflib
import re
import xml.etree.ElementTree as ElementTree

import yaml
import yaml_nodes


class Failed(Exception):
    pass


# ---- the description, with its lines -------------------------------------------------------------
class Value:
    """A YAML value that knows its line. `data` is a scalar, a list or a dict of Values."""

    def __init__(self, data, line, key_lines=None):
        self.data = data
        self.line = line
        self.key_lines = key_lines or {}


class Reader:
    def __init__(self, path):
        self.path = path
        self.errors = []

    def error(self, line, text):
        self.errors.append((line, f"{self.path}:{line}: {text}"))

    def stop_if_errors(self):
        if self.errors:
            raise Failed("\n".join(text for _, text in sorted(set(self.errors))))

    def convert(self, node):
        line = yaml_nodes.line_of(node)
        if isinstance(node, yaml.MappingNode):
            data, lines = {}, {}
            for key, value in node.value:
                name = str(key.value)
                if name in data:
                    self.error(yaml_nodes.line_of(key), f"{name}: given twice")
                data[name] = self.convert(value)
                lines[name] = yaml_nodes.line_of(key)
            return Value(data, line, lines)
        if isinstance(node, yaml.SequenceNode):
            return Value([self.convert(v) for v in node.value], line)
        return Value(node.value, line)

    def load(self):
        try:
            node = yaml_nodes.compose(self.path, yaml.SafeLoader)
        except yaml_nodes.Unreadable as error:
            where = f"{self.path}:{error.line}" if error.line else f"{self.path}"
            raise Failed(f"{where}: {'not text' if error.cause == 'text' else error.reason or 'not YAML'}")
        if node is None:
            raise Failed(f"{self.path}:1: empty, expected the key verilog")
        try:
            return self.convert(node)
        except RecursionError:
            raise Failed(f"{self.path}:1: holds itself, or is nested too deep")

    def check_keys(self, value, allowed, where):
        if not isinstance(value.data, dict):
            self.error(value.line, f"{where}: expected keys ({', '.join(allowed)})")
            return False
        for key in value.data:
            if key not in allowed:
                near = difflib.get_close_matches(key, allowed, 1)
                hint = f", did you mean {near[0]}?" if near else f", expected {', '.join(allowed)}"
                self.error(value.key_lines[key], f"{where}.{key}: unknown key{hint}")
        return True

    def text(self, value, where, choices=None):
        if not isinstance(value.data, str) or not value.data:
            self.error(value.line, f"{where}: expected a word")
            return choices[0] if choices else ""
        if choices and value.data not in choices:
            self.error(value.line, f"{where}: \"{value.data}\", expected {' or '.join(choices)}")
            return choices[0]
        return value.data

    def number(self, value, where, least, most):
        text = value.data if isinstance(value.data, str) else ""
        found = re.fullmatch(r"(0[xX][0-9a-fA-F_']+|[0-9][0-9_']*)(?: *([KMGT]iB|B))?", text)
        if not found:
            self.error(value.line, f"{where}: \"{text}\", expected a number")
            return least
        digits = re.sub("[_']", "", found.group(1))
        if len(digits) > 1 and digits.startswith("0") and digits[1] not in "xX":
            self.error(value.line, f"{where}: \"{text}\", octal numbers are not written here")
            return least
        number = int(digits, 0)
        number *= {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}.get(
            found.group(2), 1)
        if not least <= number <= most:
            self.error(value.line, f"{where}: {text}, expected {least} to {most}")
            return least
        return number


# ---- the ports, from Verilator -------------------------------------------------------------------
class Port:
    def __init__(self, name, direction, width, unpacked=False):
        self.name = name
        self.direction = direction
        self.width = width  # 0: not a vector
        self.unpacked = unpacked  # an array of vectors


class Design:
    """What --xml-only says of the elaborated top module."""

    def __init__(self, xml, top):
        root = ElementTree.parse(xml).getroot()
        self.types = {t.get("id"): t for t in root.iter() if t.tag.endswith("dtype")}
        self.modules = {m.get("name"): m for m in root.iter("module")}
        self.top = next(m for m in self.modules.values() if m.get("topModule") == "1")
        self.top_name = self.top.get("origName") or top
        self.ports = {}
        for var in self.top.findall("var"):
            if var.get("dir"):
                kind = var.get("dtype_id")
                self.ports[var.get("name")] = Port(var.get("name"), var.get("dir"), self.width(kind), self.is_unpacked(kind))

    def is_unpacked(self, type_id):
        t = self.types.get(type_id)
        if t is not None and t.tag == "refdtype":
            return self.is_unpacked(t.get("sub_dtype_id"))
        return t is not None and t.tag == "unpackarraydtype"

    def width(self, type_id):
        t = self.types.get(type_id)
        if t is None:
            return 0
        if t.tag == "basicdtype":
            if t.get("left") is None:
                return {"int": 32, "integer": 32, "byte": 8, "shortint": 16, "longint": 64}.get(
                    t.get("name"), 1)
            return abs(int(t.get("left")) - int(t.get("right"))) + 1
        if t.tag in ("refdtype", "enumdtype"):
            return self.width(t.get("sub_dtype_id"))
        if t.tag == "packarraydtype":
            return self.range_of(t) * self.width(t.get("sub_dtype_id"))
        if t.tag == "structdtype":
            return sum(self.width(m.get("sub_dtype_id")) for m in t.findall("memberdtype"))
        return 0

    @staticmethod
    def number(text):
        digits = text.split("'")[-1]
        return int(digits.lstrip("sSh"), 16) if "h" in text else int(text)

    def range_of(self, t):
        left, right = (self.number(c.get("name")) for c in t.find("range").findall("const"))
        return abs(left - right) + 1

    def variables(self):
        """Every one: (path below the top, the scope that holds it, module, the XML's element)."""
        def walk(element, module, scope):
            for e in element:
                name = e.get("name") or ""
                if e.tag == "var":
                    yield f"{scope}.{name}".split(".", 1)[1], scope, module, e
                elif e.tag == "begin" and name:  # of a generate
                    yield from walk(e, module, f"{scope}.{name}")
                elif e.tag == "instance" and e.get("defName") in self.modules:
                    below = self.modules[e.get("defName")]
                    yield from walk(below, below.get("origName"), f"{scope}.{name}")
        yield from walk(self.top, self.top_name, self.top_name)

    def arrays(self):
        """Every array of words: path below the top -> (scope, module, name, bits, words)."""
        found = {}
        for path, scope, module, var in self.variables():
            t = self.types.get(var.get("dtype_id"))
            if t is None or t.tag != "unpackarraydtype" or var.get("dir"):
                continue
            found[path] = (scope, module, var.get("name"), self.width(t.get("sub_dtype_id")),
                           self.range_of(t))
        return found

    def signals(self):
        """Every vector: path below the top -> (scope, module, name, bits)."""
        found = {}
        for path, scope, module, var in self.variables():
            bits = self.width(var.get("dtype_id"))
            if bits != 0 and var.get("param") is None and var.get("localparam") is None:
                found[path] = (scope, module, var.get("name"), bits)
        return found
