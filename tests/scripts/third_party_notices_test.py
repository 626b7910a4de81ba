"""usage: third_party_notices_test.py ROOT

Checks that THIRD-PARTY-NOTICES.md names every library that CMake searches for and every library package of
scripts/packages.
"""

import pathlib
import re
import subprocess
import sys

# Packages that belong to the system, are only used by the build, or are Plimsoll's.
NO_LIBRARIES = {"Threads", "PkgConfig", "Python3", "plimsoll"}
# Names of libraries in CMake, and their different names in the notices.
NAMES = {
    "MPI": "Open MPI",
    "ompi": "Open MPI",
    "brotlienc": "Brotli",
    "brotlidec": "Brotli",
    "brotlicommon": "Brotli",
    "CbcSolver": "CBC",
    "trilinos_zoltan": "Zoltan",
    "fftw3": "FFTW",
    "fftw3_mpi": "FFTW",
}


def names_that_cmake_finds(text):
    names = re.findall(r"(?:find_package|plimsoll_require)\(\s*([\w-]+)", text)
    names += re.findall(r"find_library\(\s*\S+\s+(?:NAMES\s+)?(\w+)", text)
    for modules in re.findall(r"pkg_check_modules\(\s*\S+\s+([^)]*)\)", text):
        names += [word for word in modules.split() if word.islower() and "$" not in word]
    return {re.sub(r"^lib", "", name) for name in names}


def main():
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "ls-files", "*.cmake", "*CMakeLists.txt"], cwd=root, capture_output=True, text=True)
    files = [root / name for name in listed.stdout.split()]
    if not files:  # not a clone
        files = [path for path in root.rglob("*") if path.name == "CMakeLists.txt" or path.suffix == ".cmake"]
        files = [path for path in files if "build" not in path.relative_to(root).parts]
    wanted = {str(path.relative_to(root)): names_that_cmake_finds(path.read_text()) for path in files}
    packages = re.findall(r"^(?:demo|build|bench|test) +((?:lib|coinor-)\S+-dev|zlib\S+)", (root / "scripts/packages").read_text(), re.MULTILINE)
    wanted["scripts/packages"] = set(packages)

    notices = (root / "THIRD-PARTY-NOTICES.md").read_text().lower()
    assert len(packages) > 10 and any("fmt" in names for names in wanted.values()), "nothing found: the test is broken"
    missing = [
        f"{place}: {name}"
        for place, names in sorted(wanted.items())
        for name in sorted(names - NO_LIBRARIES)
        if not re.search(r"\b" + re.escape(NAMES.get(name, name).lower()), notices)
    ]
    if missing:
        sys.exit("without notice in THIRD-PARTY-NOTICES.md:\n  " + "\n  ".join(missing))
    print(f"{len(packages)} packages, {len(set().union(*wanted.values()))} names")


main()
