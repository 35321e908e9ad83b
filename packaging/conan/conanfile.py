"""Conan's recipe (2.0 or newer), for the sources that it lies in: conan create packaging/conan

The libraries that Systolic links are the system's: with tools.system.package_manager:mode=install in the profile, Conan
installs them by apt-get. oneDNN is the system's, too, or the one that `./run fetch` unpacked under .deps/onednn.
"""
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt

ALWAYS = ["zlib1g-dev", "libhwy-dev", "libjpeg-dev", "libpng-dev", "libwebp-dev", "nlohmann-json3-dev", "libonig-dev",
          "libcli11-dev"]
OPTIONAL = {
    "storage": ["libcurl4-openssl-dev", "libssl-dev"],
    "cluster": ["libgrpc++-dev", "libprotobuf-dev", "protobuf-compiler-grpc", "libgloo-dev", "pkg-config"],
    "hdf5": ["libhdf5-dev"],
    "page": ["libcpp-httplib-dev", "pkg-config"],
}
SOURCES = ["CMakeLists.txt", "LICENSE", "cmake/*", "systolic/*", "backends/*", "plugin/*", "tools/*", ".deps/onednn/*"]


class Systolic(ConanFile):
    name = "systolic"
    description = "Training neural networks on TPUs from C++20"
    license = "Apache-2.0"
    topics = ("machine-learning", "tpu", "stablehlo")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {name: [True, False] for name in OPTIONAL}
    default_options = {name: True for name in OPTIONAL}

    @property
    def checkout(self):
        return pathlib.Path(self.recipe_folder).resolve().parents[1]

    def set_version(self):
        text = (self.checkout / "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(systolic VERSION ([\d.]+)", text).group(1)

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, self.checkout, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def system_requirements(self):
        wanted = [package for name, packages in OPTIONAL.items() if self.options.get_safe(name) for package in packages]
        Apt(self).install(ALWAYS + sorted(set(wanted)), check=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "EXAMPLES", "BENCHMARKS", "WERROR"):
            toolchain.cache_variables[f"SYSTOLIC_{name}"] = False
        for name in OPTIONAL:
            toolchain.cache_variables[f"SYSTOLIC_{name.upper()}"] = bool(self.options.get_safe(name))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # Its own configuration, which names the system's libraries.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/systolic"]
        self.buildenv_info.append_path("PATH", str(pathlib.Path(self.package_folder) / "bin"))
