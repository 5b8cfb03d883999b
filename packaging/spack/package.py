# SPDX-License-Identifier: Apache-2.0
# packages/wavewarp/package.py of a Spack repository: spack repo create wavewarp-repo; spack repo add wavewarp-repo
from spack.package import *


class Wavewarp(MesonPackage):
    """Elastic distances between time series, search, profiles, neighbours and shapelets on any OpenCL device."""

    # From a clone: spack dev-build wavewarp@main in it, or spack develop --path CLONE wavewarp@main.
    version("main", branch="main")

    license("Apache-2.0")

    variant("mpi", default=False, description="Build wavewarp-mpi, the program for many machines")
    variant("pocl", default=False, description="An OpenCL driver for CPUs with it")
    variant("json", default=True, description="Read models of shapelets")

    depends_on("c", type="build")
    depends_on("meson@0.61:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("opencl-c-headers", type=("build", "link"))
    depends_on("opencl-icd-loader")
    depends_on("zlib-api")
    depends_on("jansson@2.6:", when="+json")
    depends_on("mpi@3:", when="+mpi")
    depends_on("pocl", when="+pocl", type="run")

    def meson_args(self):
        return [
            "-Dtests=disabled",
            "-Dbench=false",
            "-Dpython=disabled",
            "-Dzlib=enabled",
            "-Djansson=" + ("enabled" if self.spec.satisfies("+json") else "disabled"),
            "-Dmpi=" + ("enabled" if self.spec.satisfies("+mpi") else "disabled"),
        ]
