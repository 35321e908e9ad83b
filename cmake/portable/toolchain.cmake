# Binaries that run on older systems: this machine's compiler, the C library of .deps/sysroot (./run package makes it), the
# C++ library inside what is linked. A user's program and ours may each bring a C++ library; ours shows nothing of its own.
set(CMAKE_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../../.deps/sysroot")
if(NOT EXISTS "${CMAKE_SYSROOT}/complete")
  message(FATAL_ERROR "${CMAKE_SYSROOT} is not there: ./run package makes it")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_SYSROOT}/usr/lib/pkgconfig")

# The C++ headers are the compiler's own: a sysroot has none.
execute_process(COMMAND c++ -E -x c++ - -v INPUT_FILE /dev/null OUTPUT_QUIET ERROR_VARIABLE search)
string(REGEX MATCHALL "\n /[^\n]*/c\\+\\+/[^\n]*" folders "${search}")
set(headers "")
foreach(folder IN LISTS folders)
  string(STRIP "${folder}" folder)
  string(APPEND headers " -isystem ${folder}")
endforeach()
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++${headers}")
# The compiler looks into its own folders first, where the running system's C library lies.
execute_process(COMMAND c++ -print-multiarch OUTPUT_VARIABLE multiarch OUTPUT_STRIP_TRAILING_WHITESPACE)
set(own "${CMAKE_SYSROOT}/usr/lib/${multiarch}")
# What the C++ library asks of a newer C library is part of everything that is linked.
set(older_libc "${CMAKE_SYSROOT}/older_libc.o")
execute_process(COMMAND cc --sysroot=${CMAKE_SYSROOT} -c -O2 -fPIC "${CMAKE_CURRENT_LIST_DIR}/older_libc.c" -o "${older_libc}"
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "could not compile cmake/portable/older_libc.c")
endif()
set(link "${older_libc} -static-libstdc++ -B${own} -L${own} -L${CMAKE_SYSROOT}/lib/${multiarch}")
# oneDNN's library asks for a C++ library of the system's, which a sysroot has not.
set(CMAKE_EXE_LINKER_FLAGS_INIT "${link} -Wl,--allow-shlib-undefined")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${link}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${link}")
