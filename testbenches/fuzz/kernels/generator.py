# SPDX-License-Identifier: Apache-2.0
"""Random OpenCL C kernels that are the same program on the device and on the host: no undefined
behaviour, no order of atomics that shows, no float operation that either may round as it likes."""

import functools
import random

# Bits of the integer types; signed ones are negative.
INTEGERS = {"uchar": 8, "char": -8, "ushort": 16, "short": -16,
            "uint": 32, "int": -32, "ulong": 64, "long": -64}
UNSIGNED = {"char": "uchar", "short": "ushort", "int": "uint", "long": "ulong"}
# Vectors of integers the prelude has everything for.
INTEGER_VECTORS = ("uint2", "uint4", "uint8", "int2", "ulong2", "ushort4", "uchar4")
FLOAT_VECTORS = ("float2", "float4")
ATOMICS = ("add", "or", "and", "xor", "min", "max")
# Those that return the old value, by the bits of their type.
OLD_ATOMICS = {32: ("add", "sub", "xchg", "and", "or", "xor", "min", "max", "cmpxchg"),
               64: ("add", "sub", "xchg", "cmpxchg")}
LITERALS = {
    "float": ("0.0f", "1.0f", "(-1.5f)", "3.25f", "1e10f", "(-1e-3f)", "0.1f", "123456.7f", "(-0.0f)",
              "3e38f"),
    "double": ("0.0", "1.0", "(-1.5)", "3.25", "1e100", "(-1e-3)", "0.1", "123456.7", "(-0.0)",
               "1e-310", "1e308")}

INPUT_DWORDS = 1024            # of the buffer all items read
ITEM_DWORDS = 16               # of global memory each item has for itself
ITEM_LOCAL_DWORDS = 8          # and of local memory
ATOMIC_DWORDS = 16             # of global memory for each atomic
ATOMIC_LOCAL_DWORDS = 4        # and of local memory
BIG = 40                       # elements of the private array that is too large for registers


def split(kind):
    """("uint", 4) of uint4."""
    scalar = kind.rstrip("0123456789")
    return scalar, int(kind[len(scalar):] or 1)


def unsigned(kind):
    scalar, _ = split(kind)
    return UNSIGNED.get(scalar, scalar) + kind[len(scalar):]


class Generator:
    """text() of one seed is always the same. What a statement may use is in self.variables."""

    def __init__(self, seed, group_size):
        self.random = random.Random(seed)
        self.group_size = group_size
        self.variables = []      # (name, type)
        self.constants = set()   # names of those that are not assigned to
        self.functions = []      # (name, types of arguments)
        self.lines = []
        self.depth = 0
        self.names = 0
        self.in_function = False
        self.kinds = ["uint"] * 5 + ["int"] * 4 + ["ulong", "long", "uchar", "char", "ushort", "short"]
        floats, doubles, vectors = (self.random.random() < p for p in (0.6, 0.5, 0.6))
        self.kinds += ["float"] * 3 * floats + ["double"] * 2 * doubles
        self.kinds += INTEGER_VECTORS * vectors + FLOAT_VECTORS * (vectors and floats)
        self.has_array = self.random.random() < 0.5   # of 16 dwords
        self.has_big = self.random.random() < 0.3

    # ---- expressions

    def literal(self, kind):
        scalar, lanes = split(kind)
        if lanes > 1:
            return f"(({kind})(" + ", ".join(self.literal(scalar) for _ in range(lanes)) + "))"
        if scalar in LITERALS:
            return self.random.choice(LITERALS[scalar])
        bits = abs(INTEGERS[scalar])
        value = self.random.choice((0, 1, 2, 3, 5, 7, 16, 31, 63, 64, 255, (1 << bits) - 1, 1 << bits - 1,
                                    (1 << bits - 1) - 1, self.random.getrandbits(bits)))
        return f"(({scalar})0x{value % (1 << bits):x}{'ul' if bits == 64 else 'u'})"

    def converted(self, text, kind, to):
        """An expression of type `kind` as one of type `to`; None where there is no way."""
        scalar, lanes = split(kind)
        to_scalar, to_lanes = split(to)
        if kind == to:
            return text
        if lanes > 1 and lanes == to_lanes:
            both = scalar in INTEGERS and to_scalar in INTEGERS
            return f"convert_{to}({text})" if both else None
        if lanes > 1:
            lane = f"({text}).s{self.random.randrange(lanes)}"
            return self.converted(lane, scalar, to)
        if to_lanes > 1:
            return f"(({to})({self.converted(text, kind, to_scalar)}))"
        if to in INTEGERS and kind not in INTEGERS:
            return f"TO_{to}_{kind}({text})"
        return f"(({to})({text}))"

    def leaf(self, kind):
        own = [name for name, its in self.variables if its == kind]
        if own and self.random.random() < 0.85:
            return self.random.choice(own)
        if self.random.random() < 0.5:
            text = self.converted(*self.random.choice(self.variables), kind)
            if text:
                return text
        return self.literal(kind)

    def expression(self, kind, depth):
        scalar, lanes = split(kind)
        if depth <= 0 or self.random.random() < 0.12:
            return self.leaf(kind)
        how = self.random.random()
        if how < 0.1:
            other = self.random.choice(self.kinds)
            text = self.converted(self.expression(other, depth - 1), other, kind)
            if text:
                return text
        if how < 0.2:
            condition = self.condition(depth - 1)
            return f"({condition} ? {self.expression(kind, depth - 1)} : {self.expression(kind, depth - 1)})"
        if scalar in LITERALS:
            return self.float_operation(kind, depth - 1)
        return (self.vector_operation if lanes > 1 else self.integer_operation)(kind, depth - 1)

    def float_operation(self, kind, depth):
        x = functools.partial(self.expression, kind, depth)
        how = self.random.random()
        if how < 0.6:
            return f"({x()} {self.random.choice('+-*')} {x()})"
        if kind not in LITERALS or how < 0.65:
            return f"(-({x()}))"
        if how < 0.75:
            return f"FMA_{kind}({x()}, {x()}, {x()})"
        if how < 0.85:
            names = ("FABS", "TRUNC", "FLOOR", "CEIL", "RINT")[:5 if kind == "float" else 2]
            return f"{self.random.choice(names)}_{kind}({x()})"
        if how < 0.91:
            return f"{self.random.choice(('FMIN', 'FMAX'))}_{kind}({x()}, {x()})"
        if how < 0.95:
            return f"LDEXP_{kind}({x()}, ({self.expression('int', depth)} & 511) - 256)"
        if how < 0.97 and kind == "float":
            if self.random.random() < 0.5:
                return f"FROM_HALF({self.expression('ushort', depth)})"
            return f"((float)(uchar)({self.expression('uint', depth)} >> {8 * self.random.randrange(4)}))"
        if how < 0.97:
            return f"SQRT_double({x()})"
        return f"({x()} / {x()})"

    def vector_operation(self, kind, depth):
        x = functools.partial(self.expression, kind, depth)
        scalar, lanes = split(kind)
        other = unsigned(kind)
        how = self.random.random()
        if how < 0.5:
            return f"as_{kind}(as_{other}({x()}) {self.random.choice('+-*&|^')} as_{other}({x()}))"
        if how < 0.65:
            last = abs(INTEGERS[scalar]) - 1
            return f"({x()} {self.random.choice(('<<', '>>'))} ({x()} & ({kind})({last})))"
        if how < 0.75:
            return f"(({x()}).s{''.join(str(self.random.randrange(lanes)) for _ in range(lanes))})"
        if how < 0.85:
            return f"as_{kind}({x()} {self.comparison()} {x()})"
        if how < 0.92:
            return f"NOT_ulong2({x()})" if kind == "ulong2" else f"(~{x()})"
        return f"{self.random.choice(('MIN', 'MAX'))}_{kind}({x()}, {x()})"

    def integer_operation(self, kind, depth):
        x = functools.partial(self.expression, kind, depth)
        bits = abs(INTEGERS[kind])
        signed = INTEGERS[kind] < 0
        wide = unsigned(kind) if bits >= 32 else "uint"
        how = self.random.random()
        if how < 0.40:
            operator = self.random.choice("+-*&|^+^*")
            return f"(({kind})(({wide})({x()}) {operator} ({wide})({x()})))"
        if how < 0.50:
            left = f"({unsigned(kind)})({x()}) <<" if self.random.random() < 0.5 else f"({x()}) >>"
            return f"(({kind})({left} ((uint)({x()}) & {bits - 1}u)))"
        if how < 0.60:
            return f"{self.random.choice(('DIV', 'REM'))}_{kind}({x()}, {x()})"
        if how < 0.66:
            return f"{self.random.choice(('MIN', 'MAX'))}_{kind}({x()}, {x()})"
        if how < 0.70 and bits >= 32 and not signed:
            return f"ROT_{kind}({x()}, {x()})"
        if how < 0.74 and bits >= 32:
            return f"MULHI_{kind}({x()}, {x()})"
        if how < 0.78 and bits >= 32 and not signed:
            return f"{self.random.choice(('CLZ', 'POPC'))}_{kind}({x()})"
        if how < 0.81 and kind == "uint":
            return f"BFE({x()}, {x()}, {x()})"
        if how < 0.825:
            return f"(({kind})NOT_ulong({x()}))" if kind in ("ulong", "long") else f"(({kind})(~{x()}))"
        if how < 0.85:
            return self.further_operation(kind, x, depth)
        if not self.in_function:
            if how < 0.87 and self.has_array and kind == "uint":
                return f"array[AT({self.expression('uint', depth)})]"
            if how < 0.90 and self.functions and kind == "uint":
                name, types = self.random.choice(self.functions)
                return f"{name}(" + ", ".join(self.expression(t, depth) for t in types) + ")"
            if how < 0.98:
                return self.load(kind, depth)
        return f"(({kind})({self.condition(depth)}))"

    def further_operation(self, kind, x, depth):
        names = [("HADD", 2), ("RHADD", 2), ("ADDSAT", 2), ("SUBSAT", 2)]
        if kind in ("uint", "int"):
            names += [("MED", 3), ("SAD", 3)]
        if kind in ("uint", "ulong"):
            names += [("CTZ", 1), ("SELECT", 3)]
        if kind == "uint":
            names.append(("MAD24", 3))
            if self.random.random() < 0.2:
                return f"BFM({x()}, {x()})"
        if kind == "int":
            names.append(("ABS", 1))
        if kind == "ushort" and "float" in self.kinds:
            return f"HALF_float({self.expression('float', depth)})"
        name, count = self.random.choice(names)
        return f"{name}_{kind}(" + ", ".join(x() for _ in range(count)) + ")"

    def load(self, kind, depth):
        size = abs(INTEGERS[kind]) // 8
        at = self.expression("uint", depth)
        how = self.random.random()
        if how < 0.35:
            return f"((global const {kind}*)in)[({at}) & {4 * INPUT_DWORDS // size - 1}u]"
        if how < 0.50:
            return f"((global {kind}*)own)[({at}) & {4 * ITEM_DWORDS // size - 1}u]"
        if how < 0.65:
            return f"((local {kind}*)own_local)[({at}) & {4 * ITEM_LOCAL_DWORDS // size - 1}u]"
        if how < 0.75 and self.has_big:
            return f"(({kind})big[({at}) % {BIG}u])"
        if how < 0.85:
            return f"(({kind})table[({at}) & 15u])"
        lanes = self.random.choice([n for n in (2, 4) if n * size <= 16])
        last = 4 * INPUT_DWORDS // size // lanes - 1
        return f"(((global const {kind}{lanes}*)in)[({at}) & {last}u].s{self.random.randrange(lanes)})"

    def comparison(self):
        return self.random.choice(("<", ">", "==", "!=", "<=", ">="))

    def condition(self, depth):
        if depth > 0 and self.random.random() < 0.25:
            operator = self.random.choice(("&&", "||"))
            return f"({self.condition(depth - 1)} {operator} {self.condition(depth - 1)})"
        kind, _ = split(self.random.choice(self.kinds))
        return f"({self.expression(kind, depth)} {self.comparison()} {self.expression(kind, depth)})"

    # ---- statements

    def emit(self, text):
        self.lines.append("    " * (self.depth + 1) + text)

    def name(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def declare(self, kind, text):
        name = self.name("v")
        self.emit(f"{kind} {name} = {text};")
        self.variables.append((name, kind))

    def assign_or_declare(self):
        depth = self.random.randint(1, 4)
        known = [v for v in self.variables if v[0] not in self.constants]
        if known and self.random.random() < 0.7:
            name, kind = self.random.choice(known)
            self.emit(f"{name} = {self.expression(kind, depth)};")
        else:
            kind = self.random.choice(self.kinds)
            self.declare(kind, self.expression(kind, depth))

    def store(self):
        kind = self.random.choice(tuple(INTEGERS) + INTEGER_VECTORS)
        scalar, lanes = split(kind)
        size = abs(INTEGERS[scalar]) // 8 * lanes
        at = self.expression("uint", 2)
        how = self.random.random()
        if how < 0.25 and self.has_array:
            self.emit(f"array[AT({at})] = {self.expression('uint', 3)};")
        elif how < 0.35 and self.has_big:
            self.emit(f"big[({at}) % {BIG}u] = {self.expression('ulong', 2)};")
        elif how < 0.7:
            self.emit(f"((global {kind}*)own)[({at}) & {4 * ITEM_DWORDS // size - 1}u] = "
                      f"{self.expression(kind, 3)};")
        else:
            self.emit(f"((local {kind}*)own_local)[({at}) & {4 * ITEM_LOCAL_DWORDS // size - 1}u] = "
                      f"{self.expression(kind, 3)};")

    def atomic(self):
        """Each has dwords of its own, so that the order of the items does not show."""
        number = self.random.randrange(len(ATOMICS))
        memory, dwords = self.random.choice((("atomics", ATOMIC_DWORDS),
                                             ("local_atomics", ATOMIC_LOCAL_DWORDS)))
        at = f"{number * dwords} + (({self.expression('uint', 1)}) & {dwords - 1}u)"
        self.emit(f"OLD_{ATOMICS[number]}(uint, &{memory}[{at}], {self.expression('uint', 2)});")

    def old_atomic(self):
        """The old value shows, so the place is the item's own."""
        kind = self.random.choice(("uint", "uint", "int", "ulong", "long"))
        bits = abs(INTEGERS[kind])
        name = self.random.choice(OLD_ATOMICS[bits])
        space, memory, dwords = self.random.choice((("global", "own", ITEM_DWORDS),
                                                    ("local", "own_local", ITEM_LOCAL_DWORDS)))
        values = [self.expression(kind, 2) for _ in range(2 if name == "cmpxchg" else 1)]
        self.declare(kind, f"OLD_{name}({kind}, ({space} {kind}*){memory} + "
                           f"(({self.expression('uint', 1)}) & {dwords * 32 // bits - 1}u), {', '.join(values)})")

    def loop(self):
        counter, last = self.name("i"), self.name("n")
        times = str(self.random.randint(1, 6))
        if self.random.random() < 0.6:
            times = f"({self.expression('uint', 2)}) & 7u"
        self.emit(f"const uint {last} = {times};")
        self.emit(f"for (uint {counter} = 0; {counter} < {last}; ++{counter}) {{")
        self.block(4, counter)
        self.emit("}")

    def branch(self):
        self.emit(f"if {self.condition(2)} {{")
        self.block(4)
        if self.random.random() < 0.5:
            self.emit("} else {")
            self.block(4)
        self.emit("}")

    def switch(self):
        self.emit(f"switch (({self.expression('uint', 2)}) & 3u) {{")
        for case in range(self.random.randint(2, 4)):
            self.emit(f"case {case}: {{")
            self.block(3)
            self.emit("}" + self.random.choice((" break;", " break;", "")))
        self.emit("default: break; }")

    def block(self, most, counter=None):
        """Up to `most` statements, of a loop when it has a counter."""
        variables, constants = list(self.variables), set(self.constants)
        if counter:
            self.variables.append((counter, "uint"))
            self.constants.add(counter)
        self.depth += 1
        for _ in range(self.random.randint(1, most)):
            self.statement()
            if counter and self.random.random() < 0.12:
                self.emit(f"if {self.condition(1)} {self.random.choice(('break', 'continue'))};")
        self.depth -= 1
        self.variables, self.constants = variables, constants

    def statement(self):
        how = self.random.random()
        if self.depth > 4 or how < 0.5:
            self.assign_or_declare()
        elif how < 0.65:
            self.branch()
        elif how < 0.77:
            self.loop()
        elif how < 0.83:
            self.switch()
        elif self.in_function:
            self.assign_or_declare()
        elif how < 0.90:
            self.store()
        elif how < 0.95:
            self.old_atomic()
        else:
            self.atomic()

    # ---- the whole

    def function(self):
        name = self.name("f")
        arguments = [(self.name("a"), self.random.choice(("uint", "uint", "int", "ulong")))
                     for _ in range(self.random.randint(1, 3))]
        self.lines, self.variables, self.constants = [], list(arguments), set()
        self.in_function = True
        for _ in range(self.random.randint(2, 6)):
            self.statement()
        self.emit(f"return {self.expression('uint', 2)};")
        self.in_function = False
        self.functions.append((name, [kind for _, kind in arguments]))
        declared = ", ".join(f"{kind} {argument}" for argument, kind in arguments)
        return f"static uint {name}({declared}) {{\n" + "\n".join(self.lines) + "\n}\n"

    def exchange(self):
        """Every work-item reads what another has written."""
        self.emit(f"shared[local_id] = {self.expression('uint', 2)};")
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);")
        self.declare("uint", f"shared[({self.expression('uint', 2)}) % {self.group_size}u]")
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);")

    def mix(self, text):
        self.emit(f"hash = hash * 0x01000193u + ({text});")

    def mix_variable(self, name, kind):
        scalar, lanes = split(kind)
        for lane in [name] if lanes == 1 else [f"{name}.s{i}" for i in range(lanes)]:
            if scalar in LITERALS:
                self.mix(f"BITS_{scalar}({lane})")
            elif abs(INTEGERS[scalar]) == 64:
                self.mix(f"(uint){lane} ^ (uint)((ulong){lane} >> 32) * 0x9e3779b9u")
            else:
                self.mix(f"(uint){lane}")

    def text(self):
        functions = [self.function() for _ in range(self.random.randint(0, 2))]
        self.lines = []
        self.constants = {"id", "local_id", "group", "scalar", "wide"}
        self.variables = [("id", "uint"), ("local_id", "uint"), ("group", "uint"), ("scalar", "uint"),
                          ("wide", "long"), ("x", "uint"), ("y", "uint"), ("z", "ulong")]
        atomics = ATOMIC_LOCAL_DWORDS * len(ATOMICS)
        ones = [n * ATOMIC_LOCAL_DWORDS for n in (ATOMICS.index("and"), ATOMICS.index("min"))]
        start = " || ".join(f"local_id - {at}u < {ATOMIC_LOCAL_DWORDS}u" for at in ones)
        for line in ("const uint id = get_global_id(0), local_id = get_local_id(0), group = get_group_id(0);",
                     "uint hash = 0x811c9dc5u;",
                     "uint x = in[id & 1023u], y = in[(id * 7u + 3u) & 1023u];",
                     "ulong z = (ulong)in[(id * 5u) & 1023u] << 32 | y;",
                     f"local uint shared[{self.group_size}];",
                     f"local ulong4 locals[{self.group_size * ITEM_LOCAL_DWORDS // 8}];",
                     f"local uint local_atomics[{atomics}];",
                     f"if (local_id < {atomics}u) local_atomics[local_id] = {start} ? ~0u : 0;",
                     f"global uint* own = items + id * {ITEM_DWORDS};",
                     f"local uint* own_local = (local uint*)locals + local_id * {ITEM_LOCAL_DWORDS};",
                     f"for (uint i = 0; i < {ITEM_DWORDS}; ++i) own[i] = in[(id * 13 + i) & 1023u];",
                     f"for (uint i = 0; i < {ITEM_LOCAL_DWORDS}; ++i) own_local[i] = in[(id * 11 + i) & 1023u];",
                     "barrier(CLK_LOCAL_MEM_FENCE);"):
            self.emit(line)
        if self.has_array:
            self.emit("uint array[16];")
            self.emit("for (uint i = 0; i < 16; ++i) array[i] = in[(id + i * 37u) & 1023u];")
        if self.has_big:
            self.emit(f"ulong big[{BIG}];")
            self.emit(f"for (uint i = 0; i < {BIG}; ++i) big[i] = in[(id * 3 + i) & 1023u] * 0x100000001ul;")
        for _ in range(self.random.randint(1, 4)):
            for _ in range(self.random.randint(3, 9)):
                self.statement()
            if self.random.random() < 0.7:
                self.exchange()
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);")
        self.emit(f"if (local_id < {atomics}u) hash ^= local_atomics[local_id];")
        for variable in self.variables:
            self.mix_variable(*variable)
        for there, name, dwords in ((self.has_array, "array", 16), (True, "own_local", ITEM_LOCAL_DWORDS),
                                    (self.has_big, "big", BIG)):
            if there:
                self.emit(f"for (uint i = 0; i < {dwords}; ++i)")
                self.mix(f"(uint)({name}[i] >> {16 if name == 'big' else 0})")
        self.emit("out[id] = hash;")
        return ("\n".join(functions) +
                f"\nkernel __attribute__((reqd_work_group_size({self.group_size}, 1, 1)))\n"
                "void generated(global uint* out, global const uint* in, global uint* atomics,\n"
                "               global uint* items, uint scalar, long wide) {\n" +
                "\n".join(self.lines) + "\n}\n")
