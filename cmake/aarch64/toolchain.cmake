# Programs for 64-bit ARM on an x86-64 machine: Debian's cross compiler, the libraries of .deps/aarch64 (./run tests --aarch64
# makes it), and qemu's user emulation, by which ctest runs them.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(libraries "${CMAKE_CURRENT_LIST_DIR}/../../.deps/aarch64")
if(NOT EXISTS "${libraries}/complete")
  message(FATAL_ERROR "${libraries} is not there: ./run tests --aarch64 makes it")
endif()
set(CMAKE_FIND_ROOT_PATH "${libraries}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${libraries}/usr/lib/aarch64-linux-gnu/pkgconfig")
set(SYSTOLIC_ONEDNN_ROOT "${libraries}/onednn")
# What those libraries need of each other.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}/usr/lib/aarch64-linux-gnu")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=${libraries}/usr/lib/aarch64-linux-gnu:/usr/aarch64-linux-gnu/lib)
