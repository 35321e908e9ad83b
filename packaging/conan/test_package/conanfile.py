"""Builds tests/consumer/project against the package, and runs it."""
import pathlib

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class SystolicTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain", "VirtualRunEnv"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=str(pathlib.Path(self.recipe_folder).parents[2] / "tests/consumer/project"))
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(str(pathlib.Path(self.cpp.build.bindir) / "consumer"), env="conanrun")
