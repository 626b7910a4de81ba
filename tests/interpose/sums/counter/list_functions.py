"""usage: list_functions.py COMPILER [OPTION...] > functions.inc

Lists all functions that the mpi.h of an MPI declares, so that call_counter.c counts their calls: COUNTED(NAME, FORTRAN_NAME,
COUNT, TYPE, PEER). The last three are the positions of the arguments that say how much data a function sends to a
peer; -1 if it does not send to a peer itself.
"""

import re
import subprocess
import sys


def declarations(compiler):
    """Returns the name and the parameters of each function, without "PMPI_"."""
    text = subprocess.run([*compiler, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True,
                          encoding="utf-8", check=True).stdout
    text = " ".join(line for line in text.splitlines() if not line.startswith("#"))
    for name, parameters in re.findall(r"\bPMPI_(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)", text):
        yield name, [re.sub(r"\[.*\]", "", parameter).split()[-1].lstrip("*") if parameter.split() else ""
                     for parameter in parameters.split(",")]


def positions(name, parameters):
    """Returns the positions of count, datatype and destination."""
    if "dest" not in parameters or re.search(r"_init(_c)?$", name):
        return -1, -1, -1
    names = ("sendcount", "sendtype") if "sendcount" in parameters else ("count", "datatype")
    return parameters.index(names[0]), parameters.index(names[1]), parameters.index("dest")


def main():
    functions = {}
    for name, parameters in declarations(sys.argv[1:]):
        functions.setdefault(name, parameters)
    for name, parameters in sorted(functions.items()):
        if name == "Pcontrol":  # variadic
            continue
        count, datatype, peer = positions(name, parameters)
        print(f"COUNTED(MPI_{name}, mpi_{name.lower()}_, {count}, {datatype}, {peer})")


main()
