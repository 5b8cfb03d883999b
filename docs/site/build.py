#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the site: HTML of the pages, and the reference of C, Python and the program.

Usage: build.py OUT [--package FOLDER] [--program PATH] [--strict]

The pages in markdown are the source, as they are: they are laid into OUT/pages in the folders that they have in the
repository, so that their links hold. OUT/html is the site; it needs no server, and its search no network.

--package  a folder with the built Python package; without it the site has no reference of Python
--program  the program, whose help becomes pages; without it there are none
--strict   a warning of Sphinx is an error

Needs Sphinx, breathe, numpydoc, myst-parser and doxygen (on Debian: python3-sphinx python3-breathe python3-numpydoc
python3-myst-parser doxygen). Exit status 77: one of them is missing.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "docs" / "site"
# The order of the pages in the menu. A page of docs/ that is not named comes last among the guides.
FIRST = ["docs/building", "docs/tutorial-python", "docs/python", "docs/cli", "docs/gallery", "docs/glossary"]
GUIDES = """measures nearest search path average cluster profile shapelets gradient knn lsh index files memory scale devices
tuning environment errors""".split()
INSIDE = ["docs/interface", "docs/engines", "docs/kernels", "docs/testing", "docs/performance", "packaging/README",
          "CONTRIBUTING", "SECURITY", "CHANGELOG"]
MODULES = ["wavewarp", "wavewarp.sklearn", "wavewarp.torch", "wavewarp.plot", "wavewarp.dask"]


def missing():
    names = [name for name in ("sphinx", "breathe", "numpydoc", "myst_parser") if not importlib.util.find_spec(name)]
    return names + [name for name in ("doxygen",) if not shutil.which(name)]


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def menu(caption, names):
    rows = "\n".join(names)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{rows}\n```\n"


def linked(text, page):
    """Files of the repository that a page's links name, but for pages."""
    for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        path = (ROOT / page).parent / link
        if path.is_file() and path.suffix != ".md":
            yield path.resolve().relative_to(ROOT)


def without_folders(text, page):
    """A link to a folder is its text: a site has no view of it."""
    def plain(found):
        return found[1] if ((ROOT / page).parent / found[2]).is_dir() else found[0]
    return re.sub(r"\[([^\]]*)\]\(([^)#:\s]+)\)", plain, text)


def with_titles(text, page):
    """A link whose text is a page's file name has the page's title."""
    def named(found):
        path = (ROOT / page).parent / found[1].split("#")[0]
        return f"[{re.search('^# (.*)$', path.read_text(encoding='utf-8'), re.M)[1]}]({found[1]})"
    return re.sub(r"\[[\w/-]+\.md\]\(([^)\s]+\.md(?:#[^)]*)?)\)", named, text)


def lay_page(page, to, name=None):
    text = (ROOT / page).read_text(encoding="utf-8")
    for path in linked(text, page):
        if not (to / path).exists():
            (to / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, to / path)
    text = with_titles(without_folders(text, page), page).replace("](README.md)", "](index.md)").replace("](../README.md)", "](../index.md)")
    put(to / (name or page), text)


def notebooks(to):
    """Each notebook as a page: its cells, and what they gave."""
    names = []
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        parts = []
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            text = "".join(cell["source"])
            parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "image/svg+xml" in data:
                    picture = f"{path.stem}-{number}.svg"
                    put(to / "docs" / "notebooks" / picture, "".join(data["image/svg+xml"]))
                    parts.append(f"![What the cell draws]({picture})")
                elif "text/plain" in data or "text" in output:
                    parts.append("```text\n" + "".join(data.get("text/plain", output.get("text", ""))).rstrip() + "\n```")
        parts.append(f"The notebook: [{path.name}]({path.name})")
        shutil.copyfile(path, to / "docs" / "notebooks" / path.name) if (to / "docs" / "notebooks").is_dir() else None
        put(to / "docs" / "notebooks" / f"{path.stem}.md", "\n\n".join(parts) + "\n")
        shutil.copyfile(path, to / "docs" / "notebooks" / path.name)
        names.append(f"docs/notebooks/{path.stem}")
    return names


def c_reference(to):
    headers = sorted(path.name for path in (ROOT / "include" / "wavewarp").glob("*.h"))
    for name in headers:
        title = f"wavewarp/{name}"
        put(to / "reference" / "c" / f"{name[:-2]}.rst", f"{title}\n{'=' * len(title)}\n\n.. doxygenfile:: {name}\n")
    return [f"reference/c/{name[:-2]}" for name in headers]


def python_reference(to, package):
    if not package:
        return []
    sys.path.insert(0, package)
    import wavewarp  # noqa: PLC0415, F401

    for name in MODULES:
        text = f"{name}\n{'=' * len(name)}\n\n.. automodule:: {name}\n"
        put(to / "reference" / "python" / f"{name}.rst", text + "   :members:\n   :inherited-members: object, int, ndarray\n")
    return [f"reference/python/{name}" for name in MODULES]


def program_reference(to, program):
    if not program:
        return []
    def told(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout.rstrip()
    commands = re.findall(r"^  ([a-z]+) ", told("--help"), re.M)
    text = f"# The program's help\n\n```text\n{told('--help')}\n```\n"
    for name in commands:
        text += f"\n## wavewarp {name}\n\n```text\n{told(name, '--help')}\n```\n"
    put(to / "reference" / "program.md", text)
    return ["reference/program"]


def lay(to, options):
    shutil.rmtree(to, ignore_errors=True)
    pages = sorted(path.relative_to(ROOT).as_posix()[:-3] for path in (ROOT / "docs").glob("*.md"))
    guides = [name for name in (f"docs/{name}" for name in GUIDES) if name in pages]
    guides += [name for name in pages if name not in guides + FIRST + INSIDE]
    for name in [*FIRST, *guides, *INSIDE]:
        lay_page(f"{name}.md", to)
    lay_page("README.md", to, "index.md")
    with open(to / "index.md", "a", encoding="utf-8") as file:
        file.write(menu("Start", FIRST) + menu("Notebooks", notebooks(to)) + menu("Guides", guides))
        file.write(menu("Python", python_reference(to, options.package)) if options.package else "")
        file.write(menu("Program", program_reference(to, options.program)) if options.program else "")
        file.write(menu("C", c_reference(to)) + menu("Inside", INSIDE))


def doxygen(to):
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    # "\\param rows, columns text" is of two parameters: doxygen wants their names without a space.
    put(to / "names.sed", r":again" "\n" r"s/(\\param [a-z_,]+), ([a-z_]+,? )/\1,\2/" "\n" "t again\n")
    told = f"""PROJECT_NAME=wavewarp
INPUT={ROOT}/include/wavewarp
STRIP_FROM_INC_PATH={ROOT}/include
OUTPUT_DIRECTORY={to}
GENERATE_XML=YES
GENERATE_HTML=NO
GENERATE_LATEX=NO
XML_PROGRAMLISTING=NO
OPTIMIZE_OUTPUT_FOR_C=YES
TYPEDEF_HIDES_STRUCT=YES
INPUT_FILTER="sed -E -f {to}/names.sed"
EXTRACT_ALL=YES
MACRO_EXPANSION=YES
EXPAND_ONLY_PREDEF=YES
PREDEFINED=WW_API= WW_API_STATUS=ww_status __GNUC__=1
QUIET=YES
WARNINGS=NO
WARN_IF_DOC_ERROR=NO
WARN_IF_INCOMPLETE_DOC=NO
"""
    subprocess.run(["doxygen", "-"], input=told, text=True, check=True, stdout=subprocess.DEVNULL)
    for path in (to / "xml").glob("*.xml"):  # Sphinx takes a first word for a type
        text = path.read_text(encoding="utf-8")
        put(path, re.sub(r"</parametername>\s*<parametername>", ",", text))


def main():
    parser = argparse.ArgumentParser(description="Makes the site", usage=__doc__.split("\n\n")[1])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--package")
    parser.add_argument("--program")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    lacks = missing()
    debian = "/usr/bin/python3"
    if lacks and sys.executable != debian and os.path.exists(debian):  # where apt puts the modules
        return subprocess.run([debian, *sys.argv], check=False).returncode
    if lacks:
        print(f"the site needs {', '.join(lacks)} for {sys.executable}: on Debian, apt install python3-sphinx python3-breathe "
              "python3-numpydoc python3-myst-parser doxygen")
        return 77
    out = options.out.resolve()
    lay(out / "pages", options)
    doxygen(out / "doxygen")
    version = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]
    environment = {**os.environ, "WAVEWARP_SITE_VERSION": version, "WAVEWARP_SITE_XML": str(out / "doxygen" / "xml")}
    if options.package:
        environment["PYTHONPATH"] = os.path.abspath(options.package) + os.pathsep + os.environ.get("PYTHONPATH", "")
    strict = ["-W", "--keep-going"] if options.strict else []
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-c", str(HERE), *strict, str(out / "pages"), str(out / "html")]
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
