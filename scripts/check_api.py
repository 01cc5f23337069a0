#!/usr/bin/env python3
"""Makes docs/api.md from the public headers, and compares what they declare with what the library exports.

    check_api.py NM LIBRARY     fails when docs/api.md differs, or when the library exports what no header declares
    check_api.py --write        writes docs/api.md
    check_api.py --self-test

Listed are the names directly inside `namespace tacore` and the namespaces below it, each with the first sentence of the `///`
comment in front of its declaration. Members are left to the headers.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/api.md"
# Folder below include/tacore/ -> heading of its headers, in the order of the page.
GROUPS = {
    "": "Open, query and navigate",
    "write": "Write datasets",
    "raster": "Pixels, tensors and statistics",
    "ops": "Operations on whole datasets",
    "extensions": "Extensions",
    "v1": "Read, write and migrate TACO 0.x",
    "plumbing": "For bindings and tools",
}
INTRODUCTION = """# C++ API

Every name of the public headers, with the first sentence of its comment; the header says what it takes, returns and throws.
Names are in `namespace tacore`. `scripts/check_api.py --write` makes this page from the headers, and the test `api` fails when it
differs: change the comment in the header, not this page.
"""

DOC = re.compile(r"(?:^[ \t]*///(?!<)[^\n]*\n)+", re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|^\s*#(?:[^\n]*\\\n)*[^\n]*', re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"(?:template\s*<[^>]*>\s*)?(?:class|struct|enum class|enum)\s+(?:TACORE_EXPORT\s+)?(\w+)")
USING = re.compile(r"using\s+(\w+)\s*=")
FUNCTION = re.compile(r"(\w+)\s*\(")
VARIABLE = re.compile(r"(\w+)\s*=")
MARK = re.compile(r"\x01(\d+)\x02\s*")
SENTENCE = re.compile(r'.*?(?<!\.\.)(?<!e\.g)(?<!i\.e)[.!?](?=\s|$)')


def statements(text):
    """(namespace, comment, text) of each declaration that stands directly in a namespace; "" is the global one."""
    comments = []

    def keep(match):
        comments.append([line.strip().removeprefix("///").strip() for line in match[0].splitlines()])
        return f"\x01{len(comments) - 1}\x02\n"

    text = NOISE.sub(" ", DOC.sub(keep, text))
    scopes, out, start, at = [], [], 0, 0

    def add(statement):
        marks = MARK.findall(statement)
        in_front = marks and MARK.match(statement)
        out.append(("::".join(scopes), comments[int(marks[0])] if in_front else [], MARK.sub("", statement)))

    while at < len(text):
        if text[at] == "{":
            head = text[start:at].strip()
            bare = MARK.sub("", head)
            if bare.startswith("namespace"):
                scopes.append(bare.split()[1])
                start = at + 1
            else:
                at = closing_brace(text, at)
                if bare.endswith((")", "noexcept")):  # the body of a function, which no semicolon follows
                    add(head)
                    start = at + 1
        elif text[at] == "}":
            scopes.pop()
            start = at + 1
        elif text[at] == ";":
            add(text[start:at].strip())
            start = at + 1
        at += 1
    return out


def closing_brace(text, opening):
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise ValueError("a brace is never closed")


def declared_name(statement):
    for pattern in (TYPE, USING, FUNCTION, VARIABLE):
        if match := pattern.match(statement) if pattern in (TYPE, USING) else pattern.search(statement):
            return match[1]
    raise ValueError(f"no name in: {statement}")


def first_sentence(comment):
    """Of the first paragraph."""
    end = comment.index("") if "" in comment else len(comment)
    paragraph = " ".join(comment[:end])
    match = SENTENCE.match(paragraph)
    return (match[0] if match else paragraph).strip()


def declarations(text):
    """{qualified name: sentence} of a header, in its order. Forward declarations, and structs of the C Arrow interface, are left out."""
    names = {}
    for scope, comment, statement in statements(text):
        name = declared_name(statement)
        forward = TYPE.match(statement) and "{" not in statement
        if not forward and (scope or not name.startswith("Arrow")):
            key = f"{scope}::{name}"
            names[key] = names.get(key) or first_sentence(comment)
    return names


def page(headers):
    """docs/api.md from {path below include/tacore/: text}."""
    out = [INTRODUCTION]
    for group, title in GROUPS.items():
        out.append(f"## {title}\n")
        for path in sorted(path for path in headers if path.rpartition("/")[0] == group):
            lines = [f"- `{name.removeprefix('tacore::')}`" + (f": {sentence}" if sentence else "")
                     for name, sentence in declarations(headers[path]).items()]
            if lines:
                out.append(f"### `{path}`\n\n" + "\n".join(lines) + "\n")
    return "\n".join(out)


def exported(symbols):
    """Qualified names of strong symbols in `nm -DC --defined-only` output. Weak ones are inline functions and type
    information of headers, ours and others', which every library that includes them has."""
    names = set()
    for line in symbols.splitlines():
        kind, symbol = line.split(maxsplit=1)[1].split(maxsplit=1)
        if kind in "TDBR":
            names.add(re.split(r"[(\[]", re.sub(r"^(typeinfo|typeinfo name|vtable) for ", "", symbol))[0])
    return names


def undeclared(in_headers, in_library):
    found = []
    for symbol in sorted(in_library):
        parts = symbol.split("::")
        if not any("::".join(parts[:n]) in in_headers for n in range(2, len(parts) + 1)):
            found.append(f"the library exports {symbol}, which no header declares")
    return found


def self_test():
    header = """
        #pragma once
        #include <string>
        struct ArrowArrayStream;  // of another library
        namespace tacore {
        class A;
        /// A box, e.g. `x`, `y`, ... as in RFC 7946, 5.2. null has struct X { and a brace.
        ///
        /// Another paragraph.
        struct TACORE_EXPORT A { /// A member.
          int f(int x) { return x; } };
        enum class E { One, Two };  ///< not in front
        template <class T> class C { void g(); };
        using B = std::vector<A>;
        /// Makes it
        /// whole! Throws.
        TACORE_EXPORT A h(const std::string& s = {}, int n = 1);
        /// The same.
        TACORE_EXPORT A h();
        inline constexpr int kD = 3;
        }
        /// Of a namespace.
        namespace tacore::sub { TACORE_EXPORT void k(); }
    """
    names = declarations(header)
    wanted = {"tacore::A": "A box, e.g. `x`, `y`, ... as in RFC 7946, 5.2.", "tacore::E": "", "tacore::C": "", "tacore::B": "",
              "tacore::h": "Makes it whole!", "tacore::kD": "", "tacore::sub::k": ""}
    made = page({"a.hpp": header, "v1/b.hpp": "namespace tacore::v1 {\n/// Reads.\nint r();\n}", "v1/c.hpp": "#include <span>"})
    library = exported("00 T tacore::A::f(int)\n00 T tacore::h[abi:cxx11](int)\n00 W std::x()\n00 T tacore::sub::k()\n")
    checks = {
        "names of a header": list(names.items()) == list(wanted.items()),
        "lines of the page": "### `a.hpp`\n\n- `A`: A box" in made and "### `v1/b.hpp`\n\n- `v1::r`: Reads.\n" in made,
        "a header without names": "c.hpp" not in made,
        "agreement": not undeclared(names, library),
        "an internal function that is exported": undeclared(names, library | {"tacore::internal"}),
        "an export outside the namespace": undeclared(names, library | {"arrow::f"}),
    }
    return [f"wrong: {what}" for what, ok in checks.items() if not ok]


def main():
    below = ROOT / "include/tacore"
    headers = {file.relative_to(below).as_posix(): file.read_text("utf-8") for file in sorted(below.rglob("*.hpp"))}
    if sys.argv[1:] == ["--self-test"]:
        found = self_test()
    elif sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(headers), "utf-8")
        found = []
    else:
        nm, library = sys.argv[1:]
        symbols = subprocess.run([nm, "-DC", "--defined-only", library], check=True, capture_output=True, text=True).stdout
        found = undeclared({name for text in headers.values() for name in declarations(text)}, exported(symbols))
        if PAGE.read_text("utf-8") != page(headers):
            found.append("docs/api.md differs from the headers: run scripts/check_api.py --write")
        found += [f"{path}: its folder has no heading in scripts/check_api.py" for path in headers
                  if path.rpartition("/")[0] not in GROUPS]
    print("\n".join(found) or "docs/api.md, headers and library agree")
    return bool(found)


sys.exit(main())
