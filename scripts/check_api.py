#!/usr/bin/env python3
"""Compares docs/api.md with what the public headers declare, and with what the library exports.

    check_api.py NM LIBRARY
    check_api.py --self-test

Compared are the names directly inside `namespace tacore` and inside the namespaces below it; members are left to the headers.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|^\s*#(?:[^\n]*\\\n)*[^\n]*', re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"(?:template\s*<[^>]*>\s*)?(?:class|struct|enum class|enum)\s+(?:TACORE_EXPORT\s+)?(\w+)")
USING = re.compile(r"using\s+(\w+)\s*=")
FUNCTION = re.compile(r"(\w+)\s*\(")
VARIABLE = re.compile(r"(\w+)\s*=")


def statements(text):
    """(namespace, text) for each declaration that stands directly in a namespace; "" is the global one."""
    text = NOISE.sub(" ", text)
    scopes, out, start, at = [], [], 0, 0
    while at < len(text):
        if text[at] == "{":
            head = text[start:at].strip()
            if head.startswith("namespace"):
                scopes.append(head.split()[1])
                start = at + 1
            else:
                at = closing_brace(text, at)
                if head.endswith((")", "noexcept")):  # the body of a function, which no semicolon follows
                    out.append(("::".join(scopes), head))
                    start = at + 1
        elif text[at] == "}":
            scopes.pop()
            start = at + 1
        elif text[at] == ";":
            out.append(("::".join(scopes), text[start:at].strip()))
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


def declared(headers):
    """The qualified names that headers declare; types of the C Arrow interface are the only global ones allowed."""
    names = set()
    for text in headers:
        for scope, statement in statements(text):
            name = declared_name(statement)
            if not scope and name.startswith("Arrow"):
                continue
            names.add(f"{scope}::{name}")
    return names


def documented(text):
    """Names from the lines "- `name`: what it is" below headings "## `namespace`"."""
    names, scope = [], None
    for line in text.splitlines():
        if heading := re.match(r"## `([\w:]+)`", line):
            scope = heading[1]
        elif item := re.match(r"- `(\w+)`: \S", line):
            names.append(f"{scope}::{item[1]}")
        elif line.startswith("- "):
            raise ValueError(f"docs/api.md: not a name and a sentence: {line}")
    return names


def exported(symbols):
    """Qualified names of strong symbols in `nm -DC --defined-only` output. Weak ones are inline functions and type
    information of headers, ours and others', which every library that includes them has."""
    names = set()
    for line in symbols.splitlines():
        kind, symbol = line.split(maxsplit=1)[1].split(maxsplit=1)
        if kind in "TDBR":
            names.add(re.split(r"[(\[]", re.sub(r"^(typeinfo|typeinfo name|vtable) for ", "", symbol))[0])
    return names


def compare(in_headers, in_document, in_library):
    found = [f"{name} is declared, but docs/api.md does not list it" for name in sorted(in_headers - set(in_document))]
    found += [f"docs/api.md lists {name}, which no header declares" for name in sorted(set(in_document) - in_headers)]
    found += [f"docs/api.md lists {name} twice" for name in sorted({n for n in in_document if in_document.count(n) > 1})]
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
        /// A comment with struct X { and a brace.
        struct TACORE_EXPORT A { int f(int x) { return x; } };
        enum class E { One, Two };
        template <class T> class C { void g(); };
        using B = std::vector<A>;
        TACORE_EXPORT A h(const std::string& s = {}, int n = 1);
        inline constexpr int kD = 3;
        }
        namespace tacore::sub { TACORE_EXPORT void k(); }
    """
    names = declared([header])
    wanted = {f"tacore::{n}" for n in ("A", "E", "C", "B", "h", "kD", "sub::k")}
    document = documented("\n".join(["## `tacore`", *[f"- `{n}`: text" for n in "A E C B h kD".split()], "## `tacore::sub`",
                                     "- `k`: text"]))
    library = exported("00 T tacore::A::f(int)\n00 T tacore::h[abi:cxx11](int)\n00 W std::x()\n00 T tacore::sub::k()\n")
    checks = {
        "names of a header": names == wanted,
        "names of a document": set(document) == wanted,
        "agreement": not compare(names, document, library),
        "a name that is not listed": compare(names | {"tacore::new"}, document, library),
        "a name that is gone": compare(names - {"tacore::h"}, document, set()),
        "a name listed twice": compare(names, document + ["tacore::h"], set()),
        "an internal function that is exported": compare(names, document, library | {"tacore::internal"}),
        "an export outside the namespace": compare(names, document, library | {"arrow::f"}),
    }
    return [f"wrong: {what}" for what, ok in checks.items() if not ok]


def main():
    if sys.argv[1:] == ["--self-test"]:
        found = self_test()
    else:
        nm, library = sys.argv[1:]
        headers = [file.read_text("utf-8") for file in sorted((ROOT / "include").rglob("*.hpp"))]
        symbols = subprocess.run([nm, "-DC", "--defined-only", library], check=True, capture_output=True, text=True).stdout
        found = compare(declared(headers), documented((ROOT / "docs/api.md").read_text("utf-8")), exported(symbols))
    print("\n".join(found) or "docs/api.md, headers and library agree")
    return bool(found)


sys.exit(main())
