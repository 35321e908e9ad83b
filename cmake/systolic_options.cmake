# Compiler settings that every target of the project shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(SYSTOLIC_PACKAGE)  # whose exports cmake/portable/exports.map chooses
  add_compile_options(-fno-semantic-interposition)
else()
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
# An installed program finds the bundled libraries beside it, wherever the prefix is moved to.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/systolic")
# Packages that ./run unpacked for want of root: their libraries are no system's, so programs carry the way to them.
file(GLOB SYSTOLIC_UNPACKED_LIBRARIES "${PROJECT_SOURCE_DIR}/.deps/root/usr/lib/*-linux-gnu"
                                      "${PROJECT_SOURCE_DIR}/.deps/root/lib/*-linux-gnu")
set(CMAKE_BUILD_RPATH ${SYSTOLIC_UNPACKED_LIBRARIES})

# Warnings without programs: each source is only read and checked, which takes a quarter of a build's time. What would
# be compiled or linked is an empty file, so that a second run still reads only what changed.
set(SYSTOLIC_COMPILE_OBJECT "${CMAKE_CXX_COMPILE_OBJECT}")
if(SYSTOLIC_SYNTAX_ONLY)
  set(CMAKE_CXX_COMPILE_OBJECT "<CMAKE_CXX_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>"
                               "<CMAKE_COMMAND> -E touch <OBJECT>")
  set(CMAKE_CXX_CREATE_STATIC_LIBRARY "<CMAKE_COMMAND> -E touch <TARGET>")
  set(CMAKE_CXX_CREATE_SHARED_MODULE "<CMAKE_COMMAND> -E touch <TARGET>")
  set(CMAKE_CXX_LINK_EXECUTABLE "<CMAKE_COMMAND> -E touch <TARGET>")
endif()

add_library(systolic_flags INTERFACE)
target_compile_options(systolic_flags INTERFACE -Wall -Wextra)
if(SYSTOLIC_SANITIZE OR SYSTOLIC_SYNTAX_ONLY)  # programs too, or they could not share the libraries' precompiled headers
  target_compile_options(systolic_flags INTERFACE -fPIC)
endif()
# g++ 12 sees overlapping copies in std::string::insert where there are none (GCC bug 105651).
target_compile_options(systolic_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(SYSTOLIC_WERROR)
  target_compile_options(systolic_flags INTERFACE -Werror)
endif()
# Any x86-64 with AVX2 is the floor; AVX-512 and AMX are chosen at run time (Highway and oneDNN dispatch).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(systolic_flags INTERFACE -march=x86-64-v3)
endif()
# Sanitizers run with clang, which compiles their checks in half of g++'s time, and without optimization: the tests take
# seconds, compiling them takes minutes.
if(SYSTOLIC_SANITIZE)
  # These two stand before every access, a quarter of what there is to compile. AddressSanitizer finds what is read or
  # written through a null pointer, and numbers of files are copied to where they are aligned.
  set(checks_left_out "")
  if(SYSTOLIC_SANITIZE MATCHES undefined)
    set(checks_left_out -fno-sanitize=null,alignment)
  endif()
  target_compile_options(systolic_flags INTERFACE
    -fsanitize=${SYSTOLIC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 ${checks_left_out})
  target_link_options(systolic_flags INTERFACE -fsanitize=${SYSTOLIC_SANITIZE})
  # Such programs are large; these linkers, where there is one, take a fraction of the ordinary one's time.
  find_program(SYSTOLIC_LLD ld.lld HINTS /usr/lib/llvm-14/bin)
  find_program(SYSTOLIC_GOLD ld.gold)
  if(SYSTOLIC_LLD)
    target_link_options(systolic_flags INTERFACE -fuse-ld=lld)
  elseif(SYSTOLIC_GOLD)
    target_link_options(systolic_flags INTERFACE -fuse-ld=gold)
  endif()
endif()
# Fuzzing sees which way the code took; SYSTOLIC_SANITIZE beside it says what is an error.
if(SYSTOLIC_FUZZ)
  target_compile_options(systolic_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Whether this machine runs the kernels' code for AVX-512, and has its instructions for bf16.
set(SYSTOLIC_HAS_AVX512 OFF)
set(SYSTOLIC_HAS_AVX512_BF16 OFF)
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo processor_flags REGEX "^flags" LIMIT_COUNT 1)
  if(processor_flags MATCHES " avx512f( |$)")
    set(SYSTOLIC_HAS_AVX512 ON)
  endif()
  if(processor_flags MATCHES " avx512_bf16( |$)")
    set(SYSTOLIC_HAS_AVX512_BF16 ON)
  endif()
endif()
