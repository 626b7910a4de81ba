from spack.package import *


class Plimsoll(CMakePackage):
    """Plimsoll measures how evenly the work of an MPI program is spread over its ranks, and computes a better placement:
    from recorded data, or while the program runs."""

    # No archive is published: `spack dev-build plimsoll@0.1.0` builds the checkout in the current directory.
    version("0.1.0")

    variant(
        "components",
        default="command,profiler,runtime",
        values=("command", "profiler", "runtime"),
        multi=True,
        description="Command, libraries that it preloads, and libraries that programs link",
    )
    variant("shared", default=False, description="Build shared libraries")
    variant("fortran", default=True, description="Fortran modules of the runtime")
    variant("metis", default=True, description="Graph partitioning with METIS")
    variant("scotch", default=True, description="Graph partitioning with Scotch")
    variant("cbc", default=False, description="Layouts by mixed-integer linear programs")
    variant("otf2", default=False, description="Traces of collectives")
    variant("libarchive", default=False, description="Timing files in tar archives")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.18:", type="build")
    depends_on("python@3:", type="build", when="+fortran")
    depends_on("mpi", when="components=profiler")
    depends_on("mpi", when="components=runtime")
    depends_on("brotli")
    depends_on("fmt@9:")
    depends_on("xxhash")
    for component in ("command", "runtime"):
        depends_on("fast-float", when=f"components={component}")
        depends_on("simdjson@3:", when=f"components={component}")
        depends_on("yaml-cpp@0.7:", when=f"components={component}")
    depends_on("cereal", when="components=runtime")
    depends_on("cli11@2.1:", when="components=command")
    depends_on("pugixml@1.13:", when="components=command")
    depends_on("zlib-api", when="components=command")
    depends_on("metis+shared", when="+metis")
    depends_on("scotch+shared", when="+scotch")
    depends_on("cbc", when="+cbc")
    depends_on("otf2", when="+otf2")
    depends_on("libarchive", when="+libarchive")

    conflicts("%gcc@:10")
    conflicts("%clang@:13")

    def cmake_args(self):
        arguments = [
            self.define("PLIMSOLL_COMPONENTS", self.spec.variants["components"].value),
            self.define("PLIMSOLL_BUILD_TESTS", False),
            self.define("PLIMSOLL_BUILD_BENCHMARKS", False),
            self.define("PLIMSOLL_WITH_ZOLTAN", False),
            self.define("PLIMSOLL_WITH_HTTPLIB", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        for feature in ("fortran", "metis", "scotch", "cbc", "otf2", "libarchive"):
            arguments.append(self.define_from_variant(f"PLIMSOLL_WITH_{feature.upper()}", feature))
        if "mpi" in self.spec:
            arguments.append(self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx))
        return arguments
