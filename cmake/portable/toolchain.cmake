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

# The C++ headers are the compiler's own: a sysroot has none.
execute_process(COMMAND c++ -E -x c++ - -v INPUT_FILE /dev/null OUTPUT_QUIET ERROR_VARIABLE search)
string(REGEX MATCHALL "\n /[^\n]*/c\\+\\+/[^\n]*" folders "${search}")
set(headers "")
foreach(folder IN LISTS folders)
  string(STRIP "${folder}" folder)
  string(APPEND headers " -isystem ${folder}")
endforeach()
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++${headers}")
set(link "-static-libstdc++")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${link}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${link}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${link}")
