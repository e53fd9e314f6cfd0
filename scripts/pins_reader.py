# SPDX-License-Identifier: Apache-2.0
"""Reads the pins of blocks, configs/pins/<block>.yaml (configs/pins/README.md has the schema), for scripts/gen_pins.py."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from gen_regs import Loader

EXPRESSION = re.compile(r"[\w\s+*<()-]+\Z")
HANDSHAKE = ("valid", "ready")
# Which state a pin shows, in words: the clock edge is the one that ends the cycle.
EDGES = {"before": "state before the edge", "after": "state after the edge", "cycle": "what happens in the cycle"}


@dataclass
class Field:
    """A pin of a port, or of a message that several ports carry."""
    name: str
    bits: int
    count: str  # expression, or None: no array
    texts: list  # what it means: one for all lanes of the port, or one for each
    place: str
    elements: int = 1
    member: str = None  # in C++, where its name does not follow from the port's
    type: str = None
    initial: str = "0"
    apart: bool = False  # not in the port's struct
    rows: str = None  # the member is an array of so many of these: pins <port>_<field>0 and so on
    edge: str = None  # of a state: a key of EDGES

    def element(self):
        return self.type or f"uint{next(n for n in (8, 16, 32, 64) if self.bits <= n)}_t"

    def cpp_type(self):
        """The member's type, and whether it is an array."""
        inner = f"std::array<{self.element()}, {self.count}>" if self.count else self.element()
        return (f"std::array<{inner}, {self.rows}>" if self.rows else inner), bool(self.count or self.rows)


@dataclass
class Message:
    name: str  # of its C++ struct
    about: str = ""
    base: "Message" = None
    fields: list = field(default_factory=list)  # its own
    order: list = field(default_factory=list)  # all, as they lie on pins
    equal: bool = False  # has operator==
    place: str = ""
    shared: bool = False  # of a file that blocks include


@dataclass
class Port:
    name: str
    place: str
    lanes: str = None  # ports <name>0 and so on, oldest message first
    member: str = None
    struct: Message = None
    owns: bool = False  # its struct is of this port alone
    inside: bool = False  # valid is in the struct, too
    listed: list = None  # [macro, first field, last field]
    edge: str = None  # of its outputs that do not say it themselves
    fields: dict = field(default_factory=lambda: {"in": [], "out": []})

    def direction(self):
        """Of its struct: that of valid, else that in which it has fields."""
        for way in ("in", "out"):
            if any(f.name == "valid" for f in self.fields[way]):
                return way
        return "in" if any(f.name not in HANDSHAKE for f in self.fields["in"]) else "out"

    def in_struct(self, f, way):
        return (self.struct is not None and way == self.direction() and not f.apart
                and (self.inside or f.name not in HANDSHAKE))

    def member_name(self, f, way):
        """Of the C++ value: of the struct's member, or of In or Out."""
        if f.member is not None:
            return f.member
        if self.in_struct(f, way):
            return f.name
        prefix = self.name if self.struct is not None or self.member is None else self.member
        return f"{prefix}_{f.name}" if prefix else f.name

    def struct_member(self):
        return self.name if self.member is None else self.member


@dataclass
class Pin:
    port: str
    field: str
    where: str  # in C++
    offset: str  # of that, an expression in C++
    bits: int
    count: int
    bytes: int  # of an element
    text: str
    edge: str = None

    def name(self):
        return f"{self.port}_{self.field}"

    def meaning(self):
        return f"{self.text} ({EDGES[self.edge]})" if self.edge else self.text


@dataclass
class Block:
    name: str = ""
    title: str = ""
    about: str = ""
    file: str = ""
    elastic: dict = field(default_factory=dict)
    exact_only: str = None
    clock: dict = field(default_factory=dict)  # when the chip stops it
    packed: bool = False  # the Verilog has arrays as [n-1:0][bits-1:0], else as one vector
    constants: dict = field(default_factory=dict)  # name -> (expression, meaning, type)
    values: dict = field(default_factory=dict)  # of the constants
    enums: dict = field(default_factory=dict)
    aliases: dict = field(default_factory=dict)  # name -> (meaning, C++)
    messages: dict = field(default_factory=dict)
    shared: list = field(default_factory=list)  # files of messages it includes
    ports: list = field(default_factory=list)

    def class_name(self):
        return "".join(word.capitalize() for word in self.name.split("_")) + "Pins"

    def pins(self, way):
        for port in self.ports:
            lanes = self.values[port.lanes] if port.lanes else 1
            for lane in range(lanes):
                for f in port.fields[way]:
                    yield from self.pins_of(port, lane, f, way)

    def pins_of(self, port, lane, f, way):
        index = f"[{lane}]" if port.lanes else ""
        member, element = port.member_name(f, way), int(f.element()[4:-2]) // 8
        size = element * f.elements
        if port.in_struct(f, way):
            struct = port.struct.name if port.struct.shared else f"P::{port.struct.name}"
            where = f"{port.struct_member()}{index}.{member}"
            offset = f"offsetof({way.capitalize()}, {port.struct_member()}) + offsetof({struct}, {member})"
            offset += f" + {lane} * sizeof({struct})" if port.lanes else ""
        else:
            where = member + index
            offset = f"offsetof({way.capitalize()}, {member})" + (f" + {lane * size}" if port.lanes else "")
        name = port.name + (str(lane) if port.lanes else "")
        for row in range(self.values[f.rows] if f.rows else 1):
            text = f.texts[row if f.rows else lane] if len(f.texts) > 1 else f.texts[0]
            number, at, further = (str(row), f"[{row}]", f" + {row * size}") if f.rows else ("", "", "")
            yield Pin(name, f.name + number, where + at, offset + further, f.bits, f.elements, element, text, f.edge)


class Reader(Loader):
    """Reads one file. `shared` has the messages of files that blocks include, by file."""

    def __init__(self, path, shared):
        super().__init__(str(path))
        self.path = path
        self.shared = shared
        self.block = Block(file=path.name)

    def load(self):
        node = self.parse(str(self.path))
        readers = {"block": self.read_name, "title": self.read_title, "about": self.read_about, "elastic": self.read_elastic,
                   "exact_only": self.read_exact_only, "clock": self.read_clock, "verilog": self.read_verilog,
                   "constants": self.read_constants, "enums": self.read_enums, "include": self.read_include,
                   "aliases": self.read_aliases, "messages": self.read_messages, "ports": self.read_ports}
        entries = dict((k.value, (k, v)) for k, v in self.pairs(node, "block")) if node is not None else {}
        for word, (key, _) in entries.items():
            if word not in readers:
                self.unknown(key, "block", list(readers))
        for word, read in readers.items():  # in this order: what is used later is known
            if word in entries:
                read(entries[word][1])
        if node is not None and not self.block.title:
            self.fail(self.file, "title is missing")
        if self.block.name:
            self.check_names()
            self.check_elastic(entries)
            self.check_clock(entries)
        return self.block

    # --- what stands at the top

    def read_name(self, node):
        self.block.name = self.name(node, "block") or ""
        if self.block.name and self.path.stem != self.block.name:
            self.fail(self.place(node), f"block {self.block.name}: the file is called {self.path.name}")

    def read_title(self, node):
        self.block.title = self.text(node, "title") or ""

    def read_about(self, node):
        self.block.about = self.text(node, "about") or ""

    def read_exact_only(self, node):
        self.block.exact_only = self.text(node, "exact_only")

    def read_verilog(self, node):
        value = self.text(node, "verilog")
        if value not in ("packed", "flat"):
            self.fail(self.place(node), f"verilog: {value}: expected packed or flat")
        self.block.packed = value == "packed"

    def read_elastic(self, node):
        self.read_words(node, "elastic", ["inputs", "outputs", "faults", "served"], self.block.elastic)

    def read_clock(self, node):
        self.read_words(node, "clock", ["stops", "wakes", "resident", "empty"], self.block.clock)

    def read_words(self, node, what, known, into):
        for key, value in self.pairs(node, what):
            if key.value not in known:
                self.unknown(key, what, known)
            else:
                into[key.value] = self.text(value, f"{what}: {key.value}") or ""

    def read_constants(self, node):
        for key, value in self.pairs(node, "constants"):
            name = self.name(key, "constant")
            items = self.items(value, key.value) if isinstance(value, yaml.SequenceNode) else [value]
            parts = [self.text(i, key.value) for i in items]
            if name is None or None in parts:
                continue
            if not 1 <= len(parts) <= 3:
                self.fail(self.place(value), f"{name}: expected VALUE or [VALUE, meaning, type]")
                continue
            number = self.evaluate(items[0], name)
            if number is not None:
                self.block.values[name] = number
                self.block.constants[name] = (parts + ["", "unsigned"][len(parts) - 1:]
                                              if len(parts) < 3 else parts)

    def read_enums(self, node):
        """NAME: [values], or with a meaning: {about:, values:}, each value with one of its own where that is a map."""
        for key, value in self.pairs(node, "enums"):
            name, about = self.name(key, "enum"), ""
            if isinstance(value, yaml.MappingNode):
                entries = {k.value: v for k, v in self.pairs(value, key.value)}
                about = self.text(entries["about"], "about") if "about" in entries else ""
                value = entries.get("values", value)
            if isinstance(value, yaml.MappingNode):
                values = [(self.name(k, key.value), self.text(v, k.value)) for k, v in self.pairs(value, key.value)]
            else:
                values = [(self.name(i, key.value), "") for i in self.items(value, key.value)]
            if name is not None:
                self.block.enums[name] = (about, values)

    def read_aliases(self, node):
        """[count, bits, meaning] of an array, the count of an array of any type, or a name of an included file."""
        for key, value in self.pairs(node, "aliases"):
            name = self.name(key, "alias")
            items = value.value if isinstance(value, yaml.SequenceNode) else [value]
            parts = [self.text(i, key.value) for i in items]
            if name is None or None in parts:
                continue
            if len(parts) == 1 and any(parts[0] in {**f.messages, **f.aliases} for f in self.included()):
                self.block.aliases[name] = ("", f"using {name} = {parts[0]};")
            elif len(parts) > 3:
                self.fail(self.place(value), f"{name}: expected [count, bits, meaning], a count or a message")
            elif None not in [self.evaluate(i, name) for i in items[:2]]:
                element = f"uint{parts[1]}_t" if len(parts) > 1 else "T"
                about = parts[2] if len(parts) == 3 else ""
                template = "template <class T>\n" if len(parts) == 1 else ""
                self.block.aliases[name] = (about, f"{template}using {name} = std::array<{element}, {parts[0]}>;")

    def included(self):
        return [self.shared[name] for name in self.block.shared]

    def read_include(self, node):
        for item in self.items(node, "include"):
            name = self.text(item, "include")
            if name not in self.shared:
                self.fail(self.place(item), f"include: {name}: no such file of messages "
                                            f"({', '.join(sorted(self.shared)) or 'none'})")
                continue
            self.block.shared.append(name)
            self.block.messages.update({m.name: m for m in self.shared[name].messages.values()})

    # --- expressions, fields

    def evaluate(self, node, what):
        """The value of an expression of constants and integers; None after an error."""
        text = self.text(node, what)
        if text is None:
            return None
        unknown = [n for n in re.findall(r"\b[A-Za-z_]\w*", text) if n not in self.block.values]
        if unknown:
            self.fail(self.place(node), f"{what}: unknown constant {unknown[0]}")
            return None
        plain = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)u\b", r"\1", text)
        try:
            value = eval(plain, {"__builtins__": {}}, dict(self.block.values)) if EXPRESSION.match(plain) else None
        except (SyntaxError, TypeError, ValueError):
            value = None
        if not isinstance(value, int) or value < 0:
            self.fail(self.place(node), f"{what}: '{text}' is no number")
            return None
        self.block.values[text] = value
        return value

    def read_field(self, key, node, message):
        """A Field, or None after an error. `message` gives the width to a row that has a text only."""
        what = key.value
        if self.name(key, "field") is None:
            return None
        if isinstance(node, yaml.ScalarNode):
            same = next((f for f in message.order if f.name == what), None) if message else None
            if same is None:
                self.fail(self.place(node), f"{what}: expected [bits, meaning] or [count, bits, meaning]")
                return None
            return Field(what, same.bits, same.count, [self.text(node, what)], self.place(key), same.elements)
        items = list(self.items(node, what))
        options = items.pop() if items and isinstance(items[-1], yaml.MappingNode) else None
        if len(items) not in (2, 3):
            self.fail(self.place(node), f"{what}: expected [bits, meaning] or [count, bits, meaning]")
            return None
        count = self.evaluate(items[0], f"{what}: count") if len(items) == 3 else 1
        bits = self.evaluate(items[-2], f"{what}: bits")
        texts = self.read_texts(items[-1], what)
        if None in (count, bits) or None in texts:
            return None
        if not 1 <= bits <= 64:
            self.fail(self.place(items[-2]), f"{what}: {bits} bits: expected 1 to 64")
            return None
        if len(items) == 3 and not 1 <= count <= 4096:
            self.fail(self.place(items[0]), f"{what}: {count} elements: expected 1 to 4096")
            return None
        found = Field(what, bits, items[0].value if len(items) == 3 else None, texts, self.place(key), count)
        self.read_options(found, options)
        return found

    def read_texts(self, node, what):
        if isinstance(node, yaml.SequenceNode):
            return [self.text(i, what) for i in node.value]
        return [self.text(node, what)]

    def read_options(self, found, options):
        known = ["member", "type", "initial", "apart", "rows", "edge"]
        for key, value in self.pairs(options, found.name) if options is not None else []:
            if key.value not in known:
                self.unknown(key, found.name, known)
            elif key.value == "rows" and self.evaluate(value, f"{found.name}: rows") is None:
                return
            elif key.value == "apart":
                found.apart = self.text(value, "apart") == "true"
            elif key.value == "edge":
                found.edge = self.read_edge(value)
            else:
                setattr(found, key.value, self.text(value, f"{found.name}: {key.value}"))
        if found.type is not None and not re.fullmatch(r"uint(8|16|32|64)_t", found.type):
            self.fail(self.place(options), f"{found.name}: type {found.type}: expected uint8_t to uint64_t")
        elif found.type is not None and int(found.type[4:-2]) < found.bits:
            self.fail(self.place(options), f"{found.name}: {found.type} has no {found.bits} bits")

    def read_edge(self, node):
        value = self.text(node, "edge")
        if value not in EDGES:
            self.fail(self.place(node), f"edge: {value}: expected {', '.join(EDGES)}")
        return value

    # --- messages and ports

    def read_messages(self, node):
        for key, value in self.pairs(node, "messages"):
            message = Message(self.name(key, "message"), place=self.place(key))
            for word, body in self.pairs(value, key.value):
                if word.value == "about":
                    message.about = self.text(body, "about") or ""
                elif word.value == "fields":
                    self.read_fields(body, message, None, message.order)
                else:
                    self.unknown(word, key.value, ["about", "fields"])
            message.fields = [f for f in message.order
                              if message.base is None or f not in message.base.order]
            self.block.messages[message.name] = message

    def read_fields(self, node, message, widths, into):
        """Fields in order; `message: NAME` puts those of a message in its place."""
        base = None
        for key, value in self.pairs(node, "fields"):
            if key.value != "message":
                found = self.read_field(key, value, widths)
                if found is not None:
                    into.append(found)
                continue
            base = self.find_message(value)
            if base is not None:
                into.extend(base.order)
                if message is not None:
                    message.base = base
        return base

    def find_message(self, node):
        name = self.text(node, "message")
        if name not in self.block.messages:
            self.fail(self.place(node), f"message {name}: there is none of this name")
        return self.block.messages.get(name)

    def read_ports(self, node):
        for key, value in self.pairs(node, "ports"):
            if self.name(key, "port") is not None:
                self.read_port(key, value)

    def read_port(self, key, node):
        port = Port(key.value, self.place(key))
        self.block.ports.append(port)
        known = ["about", "struct", "member", "lanes", "inside", "equal", "listed", "edge", "in", "out"]
        entries = dict((k.value, (k, v)) for k, v in self.pairs(node, f"port {port.name}"))
        for word, (at, _) in entries.items():
            if word not in known:
                self.unknown(at, f"port {port.name}", known)
        get = lambda word: entries[word][1] if word in entries else None
        flag = lambda word: word in entries and self.text(get(word), word) == "true"
        if get("lanes") is not None and self.evaluate(get("lanes"), "lanes") is not None:
            port.lanes = self.text(get("lanes"), "lanes")
        if get("member") is not None:
            port.member = self.text(get("member"), "member")
        if get("listed") is not None:
            port.listed = [self.text(i, "listed") for i in self.items(get("listed"), "listed")]
        port.inside = flag("inside")
        if get("edge") is not None:
            port.edge = self.read_edge(get("edge"))
        if get("struct") is not None:
            self.read_struct(port, get("struct"))
        if port.owns:
            port.struct.about = self.text(get("about"), "about") if get("about") is not None else ""
            port.struct.equal = flag("equal")
        for way in ("in", "out"):
            if get(way) is not None:
                self.read_way(port, way, get(way))
        self.finish_port(port)

    def read_struct(self, port, node):
        """The name of the port's own message, or of one of the block's."""
        name = self.name(node, "struct")
        if name is None:
            return
        port.struct = self.block.messages.get(name)
        port.owns = port.struct is None
        if port.owns:
            port.struct = Message(name, place=self.place(node))
            self.block.messages[name] = port.struct

    def read_way(self, port, way, node):
        base = self.read_fields(node, port.struct if port.owns else None, port.struct, port.fields[way])
        if base is not None and port.struct is None:
            port.struct = base

    def finish_port(self, port):
        for f in port.fields["out"]:
            f.edge = f.edge or port.edge
            if port.name == "state" and f.edge is None:
                self.fail(f.place, f"state_{f.name}: edge is missing: expected {', '.join(EDGES)}")
        if port.owns:
            way = port.direction()
            inherited = port.struct.base.order if port.struct.base is not None else []
            port.struct.order = [f for f in port.fields[way] if f in inherited or port.in_struct(f, way)]
            port.struct.fields = [f for f in port.struct.order if f not in inherited]
        lanes = self.block.values[port.lanes] if port.lanes else 1
        for f in port.fields["in"] + port.fields["out"]:
            rows = self.block.values[f.rows] if f.rows else 1
            if len(f.texts) not in (1, lanes * rows):
                self.fail(f.place, f"{f.name}: {len(f.texts)} meanings, expected 1 or {lanes * rows}")

    # --- rules that span entries

    def check_names(self):
        if self.errors:
            return
        for kind, key in (("pin", Pin.name), ("member", lambda pin: pin.where)):
            for ways in (("in", "out"),) if kind == "pin" else (("in",), ("out",)):
                seen = set()
                for way in ways:
                    for pin in self.block.pins(way):
                        if key(pin) in seen:
                            place = next(p.place for p in self.block.ports if pin.port.startswith(p.name))
                            self.fail(place, f"{kind} {key(pin)}: there are two of this name")
                        seen.add(key(pin))

    def check_elastic(self, entries):
        """Ports and pins that the contract names are the block's."""
        if self.errors:
            return
        if ("elastic" in entries) == ("exact_only" in entries):
            self.fail(self.file, "expected elastic or exact_only, one of both")
            return
        pins = {pin.name() for way in ("in", "out") for pin in self.block.pins(way)}
        ports = {pin.port for way in ("in", "out") for pin in self.block.pins(way)}
        for key, text in self.block.elastic.items():
            place = self.place(entries["elastic"][1])
            for word in text.split():
                for name in re.split(r"[=+]", re.split(r"[/?]", word)[0]):
                    if name not in (pins if key == "faults" else ports):
                        self.fail(place, f"elastic: {key}: {name}: the block has none of this name")

    def check_clock(self, entries):
        """Pins and ports that say when the clock stops are the block's."""
        if self.errors or not self.block.clock:
            return
        place = self.place(entries["clock"][1])
        outputs = {pin.name() for pin in self.block.pins("out")}
        ports = {pin.port for way in ("in", "out") for pin in self.block.pins(way)}
        for key, text in self.block.clock.items():
            for word in text.split():
                name = word[1:] if key == "stops" and word.startswith("!") else word
                if name not in (outputs if key in ("stops", "empty") else ports):
                    self.fail(place, f"clock: {key}: {name}: the block has none of this name")


# --- the folder

def load(folder):
    """(blocks, files of messages, errors), in order of name."""
    shared, blocks, errors = {}, [], []
    readers = [Reader(path, shared) for path in sorted(Path(folder).glob("*.yaml"))]
    # Files of messages first: blocks use them.
    texts = {r: r.path.read_text(encoding="utf-8", errors="replace") for r in readers}
    for reader in sorted(readers, key=lambda r: bool(re.search(r"^block:", texts[r], re.M))):
        block = reader.load()
        errors += reader.errors
        if block.name:
            blocks.append(block)
        else:
            shared[reader.path.stem] = block
            for message in block.messages.values():
                message.shared = True
    return blocks, shared, errors
