"""A reader of the documents, who runs their commands in a directory that contains only the examples of Plimsoll."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from documents import commands_of
from fixtures import OWN, RECORDED, SOURCE, write_script


def path_without_plimsoll():
    """Returns the search path without directories that contain a Plimsoll of the developer."""
    return ":".join(folder for folder in os.environ["PATH"].split(":") if not shutil.which("plimsoll", path=folder))


class Reader:
    """Runs commands in the checkout of Plimsoll. To the reader, it is empty except for the examples.

    PREFIX contains the installed Plimsoll, which the reader finds only after `make build` or `cmake --install`. The
    compilers and the launcher are those of its default MPI.
    """

    def __init__(self, prefix):
        self.prefix = Path(prefix).resolve()
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.checkout, self.home, self.state = (self.folder / name for name in ("checkout", "home", "state"))
        self.checkout.mkdir()
        self.home.mkdir()
        (self.checkout / "examples").symlink_to(SOURCE / "examples")
        self.state.write_text(f"cd {self.checkout}\n")
        tools = self.folder / "tools"
        write_script(tools / "mpirun", f'exec {os.environ.get("LAUNCHER", "mpiexec")} "$@"')
        for name in ("c++", "mpicxx", "mpicc", "mpifort"):
            compiler = os.environ.get("CXX", name) if name == "c++" else f"{name}.{os.environ.get('MPI', '')}"
            if found := shutil.which(compiler) or shutil.which(name):
                write_script(tools / name, f'exec {found} "$@" $LDFLAGS')
        self.environment = {
            **os.environ,
            "HOME": str(self.home),
            "COLUMNS": "125",  # the width of the pages
            "LC_ALL": "C.UTF-8",
            "OMPI_MCA_orte_tmpdir_base": str(self.folder / "sessions"),
            "PATH": f"{tools}:{path_without_plimsoll()}",
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def shell(self, script, check=False, text=""):
        """Runs a script in the shell of the reader, which keeps its variables and its directory. With `check`, a status
        other than 0 is an error.
        """
        kept = f"{{ export -p; echo \"cd '$PWD'\"; }} > {self.state}"
        result = subprocess.run(["bash", "-c", f". {self.state}\n{script}\nstatus=$?\n{kept}\nexit $status"],
                                env=self.environment, input=text, encoding="utf-8", timeout=120, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        if check and result.returncode != 0:
            raise AssertionError(f"{script}\nexits with status {result.returncode}:\n{result.stdout}")
        return result

    def run(self, command, **options):
        """Runs a command. Before it, creates the reader's own files that it names; after it, replaces recorded data."""
        for start, provide in PROVIDED.items():
            if command.startswith(start):
                provide(self)
                command = "true"
        for name, (_, create) in OWN.items():
            path = self.home / name[2:] if name.startswith("~/") else self.checkout / name
            if name in command and not list(path.parent.glob(path.name + "*")):
                create(self, path)
        result = self.shell(command, **options)
        for name, write in RECORDED.items():
            if "mpirun" in command and (self.checkout / name).is_dir():
                shutil.rmtree(self.checkout / name)
                write(self.checkout / name)
        return result

    def install(self):
        """Runs the commands of the README that install Plimsoll in ~/plimsoll, and set variables."""
        for command in commands_of(SOURCE / "README.md", "README.md"):
            if "~/plimsoll" in command.text:
                self.run(command.text, check=True)

    def has(self, module):
        """Whether a module is installed: those of Fortran and Zoltan are optional."""
        return self.run(f"pkg-config --exists plimsoll-{module}").returncode == 0


def provide_demo(reader):
    """Provides what `make demo` leaves: a command without some of its subcommands, and a data set."""
    build = reader.checkout / "build/demo"
    write_script(build / "src/cli/plimsoll", f'''case $1 in {"|".join(subcommands_outside_demo())})
  echo "unknown subcommand $1"; exit 2 ;;
esac
exec {reader.prefix}/bin/plimsoll "$@"''')
    (build / "run").mkdir()
    generate = re.search("^run (plimsoll generate .*)", (SOURCE / "scripts/demo").read_text(), re.MULTILINE)[1]
    reader.shell(f"(cd build/demo/run && PATH=../src/cli:$PATH && {generate})", check=True)


def subcommands_outside_demo():
    """The subcommands that src/cli/commands.cpp defines only with features that the preset "demo" disables."""
    table = (SOURCE / "src/cli/commands.cpp").read_text().partition("Subcommand subcommands[]")[2].partition("};")[0]
    disabled = re.search('"name": "demo".*?}', (SOURCE / "CMakePresets.json").read_text(), re.DOTALL)[0]
    return [name for feature, lines in re.findall(r"#ifdef (\w+)\n(.*?)#endif", table, re.DOTALL)
            if f'"{feature}": "OFF"' in disabled for name in re.findall(r'\{"(\w+)"', lines)]


def provide_build(reader):
    (reader.checkout / "build/release/src/cli").mkdir(parents=True)
    (reader.checkout / "build/release/src/cli/plimsoll").symlink_to(reader.prefix / "bin/plimsoll")


def provide_installed(reader):
    (reader.home / "plimsoll").symlink_to(reader.prefix)


# Commands that build or install Plimsoll. The test provides what they leave.
PROVIDED = {"make demo": provide_demo, "make build": provide_build, "cmake --install": provide_installed}
