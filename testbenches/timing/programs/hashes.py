# SPDX-License-Identifier: Apache-2.0
"""Programs of scripts/timing-report --applications that hash."""

import hashlib
import hmac
import math
import random
import struct

from programs.launch import MASK32, Launch, bytes_of, words_of

# Hashes a candidate takes: of the password and its salt, and 2048 times of the hash before.
STRETCHING = 2049


def sha256_iterated(files, show, length):
    items, iterations = 64 * length, show["iterations"]
    first = [hashlib.sha256(b"candidate %d" % i).digest() for i in range(items)]
    state, out = files("state"), files("out")
    state.write_bytes(by_words(first))

    def right(data):
        digests = first
        for _ in range(iterations):
            digests = [hashlib.sha256(digest).digest() for digest in digests]
        return data == by_words(digests)

    return Launch({"global_size": [items], "args": [{"buffer": {"file": str(state)}, "dump": str(out)}, {"u32": iterations}]},
                  out, items * iterations / STRETCHING, right)


def by_words(digests):
    """The first words of all digests, then the second ones, and so on."""
    words = [struct.unpack(f">{len(digest) // 4}I", digest) for digest in digests]
    return b"".join(map(bytes_of, zip(*words)))


# Header of the first block of the Bitcoin chain without its nonce: version, no block before, root, time, bits.
HEADER = (struct.pack("<I", 1) + bytes(32)
          + bytes.fromhex("3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a")
          + struct.pack("<2I", 1231006505, 0x1D00FFFF))
NONCE = 0x1DAC2B7C  # as a word of the message, big-endian like the others


def sha256_mining(files, show, length):
    items, first, out = 256 * length, NONCE - 1000, files("out")
    middle = compressed(SHA256_FIRST, struct.unpack(">16I", HEADER[:64]))
    w0, w1, w2 = struct.unpack(">3I", HEADER[64:])
    w16, w17 = small0(w1) + w0, small1(640) + small0(w2) + w1
    # What the kernel's words 18, 19, 31 and 32 have of words that no nonce changes.
    parts = [small1(w16 & MASK32) + w2, small1(w17 & MASK32) + small0(0x80000000), small0(w16 & MASK32) + 640,
             small0(w17 & MASK32) + w16]
    # Unrolled rounds pass no variables on: three of them later, what was called d to h, a to c is called a to h.
    state = sha256_rounds(middle, (w0, w1, w2))
    scalars = [first, *middle, *state[3:], *state[:3], w16, w17, *parts]

    def right(data):
        found = [0] * 256
        for nonce in range(first, first + items):
            digest = hashlib.sha256(hashlib.sha256(HEADER + struct.pack(">I", nonce)).digest()).digest()
            if digest.endswith(bytes(4)):
                found[nonce & 255] = nonce
        return NONCE in found and words_of(data) == tuple(found)

    return Launch({"global_size": [items], "args": [{"buffer": {"zeros": 1024}, "dump": str(out)}]
                   + [{"u32": scalar & MASK32} for scalar in scalars]}, out, items, right)


def rotated(x, n):
    return (x >> n | x << 32 - n) & MASK32


def small0(x):
    return rotated(x, 7) ^ rotated(x, 18) ^ x >> 3


def small1(x):
    return rotated(x, 17) ^ rotated(x, 19) ^ x >> 10


def cube_root(x):
    low, high = 0, 1 << x.bit_length() // 3 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle ** 3 <= x else (low, middle)
    return low


PRIMES = [p for p in range(2, 312) if all(p % q for q in range(2, p))]
SHA256_FIRST = [math.isqrt(p << 64) & MASK32 for p in PRIMES[:8]]
SHA256_CONSTANTS = [cube_root(p << 96) & MASK32 for p in PRIMES]


def sha256_rounds(state, words):
    """The state behind the first rounds, one for each word."""
    a, b, c, d, e, f, g, h = state
    for word, constant in zip(words, SHA256_CONSTANTS):
        t = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (e & f ^ ~e & g) + word + constant
        u = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = t + u & MASK32, a, b, c, d + t & MASK32, e, f, g
    return a, b, c, d, e, f, g, h


def compressed(state, block):
    """The state behind a block."""
    words = list(block)
    for i in range(16, 64):
        words.append(words[i - 16] + small0(words[i - 15]) + words[i - 7] + small1(words[i - 2]) & MASK32)
    return [s + r & MASK32 for s, r in zip(state, sha256_rounds(state, words))]


# ---- passwords -----------------------------------------------------------------------------------------------------
# Compressions of SHA-1 that a candidate for WPA2 takes: two of each iteration behind the first, for two blocks.
COMPRESSIONS = 2 * 2 * 4095


KEYS = 256  # different ones; the candidates of other groups have the same


def pbkdf2_sha1(files, show, length):
    """WPA2's loop: HMAC-SHA1 of the digest before. The state of a key's pads is the host's."""
    items, iterations = KEYS * length, show["iterations"]
    keys = [b"candidate %d" % i for i in range(KEYS)]
    first = [[hmac.digest(key, b"network" + bytes([0, 0, 0, block]), "sha1") for key in keys] for block in (1, 2)]
    pads = [[sha1_state(bytes(byte ^ pad for byte in key.ljust(64, b"\0"))) for key in keys] for pad in (0x36, 0x5C)]
    state, out = files("state"), files("out")

    def for_all(digests):
        return by_words(digests * length)

    state.write_bytes(b"".join(map(for_all, (*pads, first[0], first[0], first[1], first[1]))))

    def right(data):
        left = b"".join(map(for_all, pads))
        for digests in first:
            totals = digests
            for _ in range(iterations):
                digests = [hmac.digest(key, digest, "sha1") for key, digest in zip(keys, digests)]
                totals = [bytes(map(int.__xor__, total, digest)) for total, digest in zip(totals, digests)]
            left += for_all(digests) + for_all(totals)
        return data == left

    return Launch({"global_size": [items], "args": [{"buffer": {"file": str(state)}, "dump": str(out)}, {"u32": iterations}]},
                  out, items * iterations * 4 / COMPRESSIONS, right)


def turned(x, n):
    return rotated(x, 32 - n)


def sha1_schedule(block):
    words = list(struct.unpack(">16I", block))
    for i in range(16, 80):
        words.append(turned(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1))
    return words


SHA1_FIRST = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)


def sha1_state(block):
    """The state behind a first block, as bytes of a digest."""
    a, b, c, d, e = SHA1_FIRST
    for i, word in enumerate(sha1_schedule(block)):
        f, k = [(b & c | ~b & d, 0x5A827999), (b ^ c ^ d, 0x6ED9EBA1), (b & c | b & d | c & d, 0x8F1BBCDC),
                (b ^ c ^ d, 0xCA62C1D6)][i // 20]
        a, b, c, d, e = turned(a, 5) + f + e + k + word & MASK32, a, turned(b, 30), c, d
    return struct.pack(">5I", *(x + y & MASK32 for x, y in zip(SHA1_FIRST, (a, b, c, d, e))))


def md_steps(message, steps, function, words, constants, turns, adds_last):
    """The words that steps of MD4 or MD5 make, behind the four of the first state."""
    made = [0x67452301, 0x10325476, 0x98BADCFE, 0xEFCDAB89]  # a, d, c, b: in the order in which steps replace them
    for i in range(steps):
        b, c, d = made[-1], made[-2], made[-3]
        made.append(turned(made[-4] + function[i // 16](b, c, d) + message[words(i)] + constants(i) & MASK32,
                           turns[i // 16][i % 4]) + (b if adds_last else 0) & MASK32)
    return made


def choice(x, y, z):
    return x & y | ~x & z


MD4 = ((choice, lambda x, y, z: x & y | x & z | y & z, lambda x, y, z: x ^ y ^ z),
       lambda i: (i, i % 4 * 4 + i // 4 % 4, int(f"{i % 16:04b}"[::-1], 2))[i // 16],
       lambda i: (0, 0x5A827999, 0x6ED9EBA1)[i // 16], ((3, 7, 11, 19), (3, 5, 9, 13), (3, 9, 11, 15)), False)
MD5 = ((choice, lambda x, y, z: choice(z, x, y), lambda x, y, z: x ^ y ^ z, lambda x, y, z: y ^ (x | ~z & MASK32)),
       lambda i: (i, 5 * i + 1, 3 * i + 5, 7 * i)[i // 16] % 16, lambda i: int(abs(math.sin(i + 1)) * 2 ** 32),
       ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21)), True)


def md_message(word0):
    return [word0, MASK_TAIL, 0x80, *[0] * 11, 64, 0]


MASK_TAIL = 0x64726F77  # the last four characters of the passwords, as a word


def md4_wanted(word0):
    return md_steps(md_message(word0), 30, *MD4)[-1]


def md5_wanted(word0):
    return md_steps(md_message(word0), 46, *MD5)[-1]


def sha1_block(word0):
    return struct.pack(">2I", word0, MASK_TAIL) + b"\x80" + bytes(51) + struct.pack(">I", 64)


def sha1_wanted(word0):
    """What round 75 makes: the last word of the digest, before the first state is added to it and turned back."""
    last = struct.unpack(">5I", hashlib.sha1(struct.pack(">2I", word0, MASK_TAIL)).digest())[4]
    return turned(last - SHA1_FIRST[4] & MASK32, 2)


MASKS = {"md4": md4_wanted, "md5": md5_wanted, "sha1": sha1_wanted}


def mask(files, show, length):
    """Passwords whose first word varies. One of them is wanted: it has to be found, and of a sample no other may match."""
    count, first, out = show["candidates"], 0x61616161, files("out")
    passwords = 256 * length * count
    wanted, target = MASKS[show["hash"]], first + passwords * 2 // 3

    def right(data):
        found = [0] * 256
        found[target & 255] = target
        others = set(random.Random(1).sample(range(first, first + passwords), 1000)) - {target}
        return words_of(data) == tuple(found) and all(wanted(other) != wanted(target) for other in others)

    scalars = [first, count, wanted(target)]
    arguments = [{"buffer": {"zeros": 1024}, "dump": str(out)}]
    if show["hash"] == "sha1":
        files("fixed").write_bytes(bytes_of(sha1_schedule(sha1_block(0))))
        arguments.append({"buffer": {"file": str(files("fixed"))}})
    else:
        scalars.insert(2, MASK_TAIL)
    return Launch({"global_size": [256 * length], "args": arguments + [{"u32": scalar} for scalar in scalars]},
                  out, passwords, right)
