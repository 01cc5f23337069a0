#!/usr/bin/env python3
"""Keeps the documents true.

    check_docs.py               links and file names lead somewhere; C++ in the README stands in an example; the architecture
                                names every folder of src/; recipes of packages name our version and our CMake options
    check_docs.py --run TACO    the console blocks of the README print what they show; commands of `taco` anywhere exist,
                                with their options
    check_docs.py --self-test
"""
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<!\S)--[a-z][a-z-]+")
# Files of the project that a text names: `src/io/coalesce.cpp`, `tests/golden/nested.tacozip`.
FILE_NAME = re.compile(r"(src|include|cli|scripts|tests|examples|docs|cmake|bench)/[\w./*-]+")
IN_A_DRAWING = re.compile(r"\bsrc/[\w./]+\.\w+")
DATASET = re.compile(r"[\w-]+\.(tacozip|zip)")
# These name a data file for each fact, so a name that is no file is a mistake.
NAMES_DATASETS = {"docs/format.md", "docs/deviations.md"}


def slug(heading):
    """The anchor that a heading gets on code-hosting sites."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")


def anchors(text):
    return {slug(line.lstrip("#")) for line in CODE.sub("", text).splitlines() if line.startswith("#")}


def link_complaint(document, target, root):
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (document.parent / path).resolve() if path else document
    if not file.exists():
        return f"link to {target}: no such file"
    if not file.is_relative_to(root):
        return f"link to {target}: leaves the project"
    if anchor and anchor not in anchors(file.read_text("utf-8")):
        return f"link to {target}: no such heading"
    return None


def name_complaint(name, root):
    """Why a file name in backquotes is wrong, or None. Globs are allowed and must match something."""
    if FILE_NAME.fullmatch(name) and not list(root.glob(name.rstrip("/"))):
        return f"`{name}`: no such file"
    return None


def dataset_complaint(name, root):
    places = ("tests/golden", "tests/golden/cascade_tacocat", "examples/data")
    if DATASET.fullmatch(name) and not any((root / place / name).exists() for place in places):
        return f"`{name}`: no such dataset"
    return None


def check_document(document, root):
    text = document.read_text("utf-8")
    name = document.relative_to(root).as_posix()
    prose = CODE.sub("", text)
    found = [link_complaint(document, target, root) for target in LINK.findall(prose)]
    for code in INLINE.findall(prose):
        found.append(name_complaint(code, root))
        if name in NAMES_DATASETS:
            found.append(dataset_complaint(code, root))
    found += [name_complaint(file, root) for block in blocks(text, "") for file in IN_A_DRAWING.findall(block)]
    return [f"{name}: {why}" for why in found if why]


def blocks(text, language):
    return [body for kind, body in CODE.findall(text) if kind == language]


def without_indent(lines):
    return textwrap.dedent("\n".join(lines)).strip("\n")


def is_part_of(block, source):
    """True when the lines of `block` stand in `source`, one after the other, at any indent."""
    wanted, lines = block.strip("\n").split("\n"), source.split("\n")
    return any(without_indent(lines[i:i + len(wanted)]) == "\n".join(wanted) for i in range(len(lines)))


def check_readme_code(root):
    sources = [file.read_text("utf-8") for file in sorted((root / "examples").glob("*.cpp"))]
    code = blocks((root / "README.md").read_text("utf-8"), "cpp")
    found = [f"README.md: this C++ is in no example:\n{block}" for block in code
             if not any(is_part_of(block, source) for source in sources)]
    return found or ([] if code else ["README.md: no C++ block"])


def check_folders(text, root):
    folders = sorted({file.parent.relative_to(root / "src").as_posix() for file in (root / "src").rglob("*/*.cpp")})
    return [f"docs/architecture.md: no row for src/{folder}" for folder in folders if f"\n| `{folder}` |" not in text]


def check_recipes(root):
    """The recipes repeat the version and the options of CMake, which is the one place where they are decided."""
    version = (root / "VERSION").read_text().strip()
    options = re.findall(r"\b(?:option|set)\((TACORE_\w+)", "".join(
        (root / file).read_text() for file in ("CMakeLists.txt", "cmake/dependencies.cmake", "python/CMakeLists.txt")))
    recipes = [file for file in sorted((root / "packaging").rglob("*")) if file.is_file()]
    found = [f"{file.relative_to(root)}: CMake has no option {name}" for file in recipes
             for name in re.findall(r"TACORE_\w+", file.read_text()) if name not in options]
    for file in recipes:
        stated = re.search(r'^ *"?version"?: "(.*)"', file.read_text(), re.MULTILINE)
        if stated and stated[1] != version:
            found.append(f"{file.relative_to(root)}: version {stated[1]}, but VERSION has {version}")
    return found or ([] if len(recipes) == 3 else ["packaging: recipes are missing"])


def documents(root):
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md")), root / "tests/golden/PROVENANCE.md",
            root / "examples/data/PROVENANCE.md"]


def commands(block):
    """(command, output) for each line that starts with `$ `; a command goes on behind a backslash at the end of its line."""
    out = []
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            out.append((line[2:], []))
        else:
            out[-1][1].append(line)
    return out


def tool_commands(text):
    """Lines that run `taco`, in backquotes and in blocks, without what stands behind `|`, `&` or `#`."""
    lines = INLINE.findall(CODE.sub("", text))
    for block in blocks(text, "sh") + blocks(text, "console"):
        lines += [line.removeprefix("$ ") for line in block.replace("\\\n", " ").splitlines()]
    return [re.split(r" [|&#]", line)[0] for line in lines if line.startswith("taco ")]


def option_complaint(taco, line):
    """Why a line names a command or an option that is not there, or None. `taco PATH` has no command."""
    command = line.split()[1]
    if not re.fullmatch(r"[a-z-]+", command) or command.startswith("-"):
        return None
    done = subprocess.run([taco, command, "--help"], text=True, capture_output=True)
    if done.returncode:
        return f"`{line}`: no such command"
    wrong = [option for option in OPTION.findall(line) if option not in OPTION.findall(done.stdout.replace(",--", " --"))]
    return f"`{line}`: no option {', '.join(wrong)}" if wrong else None


def check_commands(taco):
    found = []
    for document in documents(ROOT):
        name = document.relative_to(ROOT).as_posix()
        if name != "CHANGELOG.md":  # which tells what was
            lines = dict.fromkeys(tool_commands(document.read_text("utf-8")))
            found += [f"{name}: {why}" for line in lines if (why := option_complaint(taco, line))]
    return found


def run_console(taco):
    shown = [pair for block in blocks((ROOT / "README.md").read_text("utf-8"), "console") for pair in commands(block)]
    found = []
    for command, expected in shown:
        done = subprocess.run(["bash", "-c", f'taco() {{ "$TACO" "$@"; }}; {command}'], cwd=ROOT, text=True,
                              capture_output=True, env={"TACO": taco, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        printed = done.stdout.splitlines()
        if printed != expected or done.stderr:
            found.append(f"README.md: {command}\n" + "\n".join(printed) + "\n" + done.stderr)
    return found or ([] if shown else ["README.md: no console block"])


def recipes_of_nowhere():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for file, text in {"VERSION": "0.1.0\n", "CMakeLists.txt": "option(TACORE_TOOL)", "cmake/dependencies.cmake": "",
                           "python/CMakeLists.txt": "", "packaging/a.json": '"version": "0.2.0", -DTACORE_TOLL=ON'}.items():
            (root / file).parent.mkdir(exist_ok=True)
            (root / file).write_text(text)
        return len(check_recipes(root)) == 2


def self_test():
    """Each check must be able to fail."""
    readme = ROOT / "README.md"
    bad = [
        link_complaint(readme, "docs/no_such_file.md", ROOT),
        link_complaint(readme, "docs/format.md#no-such-heading", ROOT),
        link_complaint(readme, "../elsewhere", ROOT.parent / "other"),
        name_complaint("src/no_such_file.cpp", ROOT),
        dataset_complaint("no_such_dataset.tacozip", ROOT),
        not is_part_of("int a;\nint c;\n", "  int a;\n  int b;\n  int c;\n"),
        not is_part_of("int a;\n", "  int ab;\n"),
        check_folders("| `base` |", ROOT),
        recipes_of_nowhere(),
        IN_A_DRAWING.findall("load()  src/no_such_file.cpp  text") == ["src/no_such_file.cpp"],
    ]
    good = [
        not link_complaint(readme, "docs/format.md", ROOT),
        not link_complaint(readme, "https://example.org/x#y", ROOT),
        not name_complaint("src/dataset/*.cpp", ROOT),
        not name_complaint("a phrase, not a file", ROOT),
        is_part_of("if (a) {\n  b();\n}\n", "void f() {\n  if (a) {\n    b();\n  }\n}\n"),
        commands("$ a | b\n1\n2\n$ c\\\n  d\n") == [("a | b", ["1", "2"]), ("c   d", [])],
        tool_commands("`taco a --b` `taco`\n```sh\ntaco c \\\n  --d  # e\nls\n```\n") == ["taco a --b", "taco c    --d "],
    ]
    wrong = [f"bad case {i} passes" for i, why in enumerate(bad) if not why]
    wrong += [f"good case {i} fails" for i, ok in enumerate(good) if not ok]
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        found = self_test()
    elif len(sys.argv) == 3 and sys.argv[1] == "--run":
        found = run_console(sys.argv[2]) + check_commands(sys.argv[2])
    else:
        found = [why for document in documents(ROOT) for why in check_document(document, ROOT)]
        found += check_readme_code(ROOT) + check_folders((ROOT / "docs/architecture.md").read_text("utf-8"), ROOT)
        found += check_recipes(ROOT)
    print("\n".join(found) or "the documents are true")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
