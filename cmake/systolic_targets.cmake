# How a folder becomes a target, and how all of them become the library that users link.

# systolic_add_if_present(folder...): add_subdirectory for each that exists and has a CMakeLists.txt.
function(systolic_add_if_present)
  foreach(folder IN LISTS ARGN)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

# The library is optimized in full; tests and programs leave the work to it, so compile them fast.
set(SYSTOLIC_CALLER_OPTIONS "")
if(NOT SYSTOLIC_SANITIZE)
  set(SYSTOLIC_CALLER_OPTIONS $<$<CONFIG:Release>:-O1>)
endif()

# Headers that most sources read, compiled once for each kind of target. A compiler cache cannot keep what was compiled with
# them and, empty, makes a build twice as long, so it is used only by whoever names it to CMake (CMAKE_CXX_COMPILER_LAUNCHER,
# also as an environment variable); then nothing is precompiled. Builds for sanitizers and for clang's warnings, whose time
# is mostly reading, have the project's own in theirs; the others take what is not ours, so that each file must include what
# it needs of ours; programs take the one header that users include.
set(SYSTOLIC_PRECOMPILES OFF)
set(SYSTOLIC_PRECOMPILES_OURS OFF)
if(SYSTOLIC_SANITIZE OR SYSTOLIC_SYNTAX_ONLY)
  set(SYSTOLIC_PRECOMPILES_OURS ON)
endif()
if(SYSTOLIC_TESTS AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(SYSTOLIC_PRECOMPILES ON)
  # g++ 12 forgets which code is the standard library's when that comes precompiled, and warns of operations of std::string
  # as it never does else (GCC bug 105651). Builds with a compiler cache, which precompile nothing, keep these warnings.
  target_compile_options(systolic_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
endif()
set(SYSTOLIC_STANDARD_HEADERS <algorithm> <array> <atomic> <cmath> <complex> <functional> <map> <memory> <mutex> <numeric>
  <optional> <random> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map> <variant> <vector>)

# systolic_precompile(KIND HEADERS header... [LINK library...] [OPTIONS option...]): what targets of this kind reuse, compiled as they are.
function(systolic_precompile kind)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled.cc" CONTENT "")
  add_library(systolic_precompiled_${kind} OBJECT "${PROJECT_BINARY_DIR}/precompiled.cc")
  target_include_directories(systolic_precompiled_${kind} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(systolic_precompiled_${kind} PRIVATE systolic_flags ${ARG_LINK})
  target_compile_options(systolic_precompiled_${kind} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(systolic_precompiled_${kind} PRIVATE ${ARG_HEADERS})
endfunction()
if(SYSTOLIC_PRECOMPILES AND SYSTOLIC_PRECOMPILES_OURS)
  set(ours "systolic/base/error.h" "systolic/core/literal.h" "systolic/ir/module.h")
  systolic_precompile(library HEADERS ${SYSTOLIC_STANDARD_HEADERS} ${ours})
  systolic_precompile(test LINK GTest::gtest HEADERS ${SYSTOLIC_STANDARD_HEADERS} <gtest/gtest.h> ${ours})
  # Not what declares `function` and strategies: clang 14 crashes on deduced lambdas that were precompiled.
  systolic_precompile(program LINK GTest::gtest HEADERS ${SYSTOLIC_STANDARD_HEADERS} <gtest/gtest.h> ${ours}
    "systolic/data/dataset.h" "systolic/nn/nn.h" "systolic/train/model/model.h")
elseif(SYSTOLIC_PRECOMPILES)
  systolic_precompile(library HEADERS ${SYSTOLIC_STANDARD_HEADERS})
  systolic_precompile(test LINK GTest::gtest HEADERS ${SYSTOLIC_STANDARD_HEADERS} <gtest/gtest.h>
    OPTIONS -fPIE ${SYSTOLIC_CALLER_OPTIONS})
  find_path(SYSTOLIC_CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
  systolic_precompile(program HEADERS ${SYSTOLIC_STANDARD_HEADERS} <CLI/CLI.hpp> "systolic/systolic.h"
    OPTIONS -fPIE ${SYSTOLIC_CALLER_OPTIONS})
endif()

# Folders and their tests whose sources read most of what programs read.
set(SYSTOLIC_PROGRAM_FOLDERS nn distribute train transformers golden precision failures locale)

# systolic_reuse_precompiled(TARGET KIND): library, test or program.
function(systolic_reuse_precompiled target kind)
  string(REGEX REPLACE "^systolic_|_test$" "" folder ${target})
  if(SYSTOLIC_PRECOMPILES_OURS AND folder IN_LIST SYSTOLIC_PROGRAM_FOLDERS)
    set(kind program)
  endif()
  if(SYSTOLIC_PRECOMPILES)
    target_precompile_headers(${target} REUSE_FROM systolic_precompiled_${kind})
  endif()
endfunction()

# systolic_compile_together(TARGET [source...]): compiles several of its sources at once: each would read the same headers
# and instantiate the same templates. Small sources and tests take about half of their time so. Names that only a source
# knows must differ from those of the others of its target; the sources named here are compiled alone.
function(systolic_compile_together target)
  if(SYSTOLIC_COMPILE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    foreach(source IN LISTS ARGN)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
    # g++ takes a class of a source for one of a header.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# systolic_optimize_sanitized(TARGET...): sanitizers' builds are otherwise compiled without optimization; these targets'
# time in the tests matters more than the compiler's.
function(systolic_optimize_sanitized)
  if(SYSTOLIC_SANITIZE)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -O1)
      set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    endforeach()
  endif()
endfunction()

# systolic_sources(RESULT [EXCEPT folder...]): every .cc beside the CMakeLists.txt and in the folders below it, except folders
# that have a CMakeLists.txt of their own, and those named.
function(systolic_sources result)
  cmake_parse_arguments(ARG "" "" "EXCEPT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  file(GLOB_RECURSE others CONFIGURE_DEPENDS */CMakeLists.txt)
  foreach(other IN LISTS others)
    get_filename_component(folder "${other}" DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  foreach(folder IN LISTS ARG_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# systolic_folder(NAME [DEPENDS folder...] [FILES file...] [EXCEPT folder...] [ALONE file...] [LINK library...]
#                 [PRIVATE_LINK library...] [TEST_DEPENDS folder...])
#
# One static library per folder, named systolic_NAME, from every .cc beside the CMakeLists.txt and in its inner folders (or
# just FILES). A file that ends in _test.cc belongs to the folder's test program NAME_test.
# Files of ALONE are not compiled together with others. DEPENDS are the folders it may include; LINK are outside libraries
# that its headers show, PRIVATE_LINK those that only its .cc files use; TEST_DEPENDS are folders that only the test program
# uses.
function(systolic_folder name)
  cmake_parse_arguments(ARG "" "" "ALONE;DEPENDS;EXCEPT;FILES;LINK;PRIVATE_LINK;TEST_DEPENDS" ${ARGN})
  if(ARG_FILES)
    file(GLOB sources CONFIGURE_DEPENDS ${ARG_FILES})
  else()
    systolic_sources(sources EXCEPT ${ARG_EXCEPT})
  endif()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  set(library systolic_${name})
  if(NOT sources)  # headers only, so far
    set(sources "${CMAKE_CURRENT_BINARY_DIR}/empty.cc")
    file(CONFIGURE OUTPUT ${sources} CONTENT "")
  endif()
  add_library(${library} STATIC ${sources})
  add_library(systolic::${name} ALIAS ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set(dependencies "")
  foreach(folder IN LISTS ARG_DEPENDS)
    if(NOT TARGET systolic_${folder})
      message(FATAL_ERROR "systolic_folder(${name}): DEPENDS names '${folder}', which is no folder above it")
    endif()
    list(APPEND dependencies systolic_${folder})
  endforeach()
  target_link_libraries(${library}
    PUBLIC ${dependencies} ${ARG_LINK}
    PRIVATE $<BUILD_INTERFACE:systolic_flags> ${ARG_PRIVATE_LINK})
  set_property(GLOBAL APPEND PROPERTY SYSTOLIC_LIBRARIES ${library})
  systolic_reuse_precompiled(${library} library)
  systolic_compile_together(${library} ${ARG_ALONE})

  if(SYSTOLIC_TESTS AND tests)
    list(TRANSFORM ARG_TEST_DEPENDS PREPEND systolic_)
    systolic_test(${name} SOURCES ${tests} ALONE ${ARG_ALONE} DEPENDS ${library} ${ARG_TEST_DEPENDS})
  endif()
endfunction()

# All unit tests; and, for ThreadSanitizer, those of the folders that start threads, and of those that only use such.
if(SYSTOLIC_TESTS)
  add_custom_target(unit_tests)
  add_custom_target(threads_tests)
  add_custom_target(users_of_threads_tests)
  add_library(systolic_source_path STATIC "${PROJECT_SOURCE_DIR}/tests/source_path.cc")
  target_compile_definitions(systolic_source_path PRIVATE SYSTOLIC_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(systolic_source_path PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(systolic_source_path PRIVATE systolic_flags)
endif()
set(SYSTOLIC_THREADS_FOLDERS base events core io storage data cpu)
set(SYSTOLIC_USERS_OF_THREADS_FOLDERS trace distribute train)
# Those that take longest under sanitizers. ctest starts them first, so that none runs on alone at the end.
set(SYSTOLIC_LONG_FOLDERS backends_compare transformers bytecode text cpu_kernels io data stablehlo autodiff train)

# systolic_test(NAME SOURCES file... [ALONE file...] DEPENDS target...): a GoogleTest program NAME_test that ctest runs as
# NAME.
function(systolic_test name)
  cmake_parse_arguments(ARG "" "" "ALONE;SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_DEPENDS} systolic_source_path systolic_flags GTest::gtest GTest::gtest_main)
  target_compile_options(${name}_test PRIVATE ${SYSTOLIC_CALLER_OPTIONS})
  set_target_properties(${name}_test PROPERTIES SYSTOLIC_SHARES_GRPC ON)
  systolic_reuse_precompiled(${name}_test test)
  systolic_compile_together(${name}_test ${ARG_ALONE})
  add_test(NAME ${name} COMMAND ${name}_test)
  set(labels unit)
  add_dependencies(unit_tests ${name}_test)
  foreach(kind IN ITEMS threads users_of_threads)
    string(TOUPPER "SYSTOLIC_${kind}_FOLDERS" folders)
    if(name IN_LIST ${folders})
      list(APPEND labels ${kind})
      add_dependencies(${kind}_tests ${name}_test)
    endif()
  endforeach()
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 LABELS "${labels}")
  list(FIND SYSTOLIC_LONG_FOLDERS ${name} place)
  if(place GREATER_EQUAL 0)
    math(EXPR cost "50 - ${place}")
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endfunction()

# systolic_test_again(NAME target ISA isa [ARGUMENTS argument...]): a test program once more, with other instructions than
# the processor's best (SYSTOLIC_ISA), on a processor that has AVX-512, and its bf16 for what needs that.
function(systolic_test_again name target)
  cmake_parse_arguments(ARG "" "ISA" "ARGUMENTS" ${ARGN})
  if(NOT SYSTOLIC_HAS_AVX512 OR (ARG_ISA STREQUAL "emulated_amx" AND NOT SYSTOLIC_HAS_AVX512_BF16))
    return()
  endif()
  add_test(NAME ${name} COMMAND ${target} ${ARG_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 900 ENVIRONMENT SYSTOLIC_ISA=${ARG_ISA})
endfunction()

# systolic_program(NAME file... [DEPENDS target...]): a program in bin/ that links the whole library.
function(systolic_program name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE systolic_systolic systolic_flags ${ARG_DEPENDS})
  target_compile_options(${name} PRIVATE ${SYSTOLIC_CALLER_OPTIONS})
  systolic_reuse_precompiled(${name} program)
endfunction()

# systolic_umbrella(): the target systolic::systolic, which links every folder, users' one name for all of it.
function(systolic_umbrella)
  get_property(libraries GLOBAL PROPERTY SYSTOLIC_LIBRARIES)
  add_library(systolic_systolic INTERFACE)
  add_library(systolic::systolic ALIAS systolic_systolic)
  set_target_properties(systolic_systolic PROPERTIES EXPORT_NAME systolic)
  list(REVERSE libraries)
  target_link_libraries(systolic_systolic INTERFACE ${libraries})
  set_property(GLOBAL APPEND PROPERTY SYSTOLIC_LIBRARIES systolic_systolic)
endfunction()

# systolic_messages(TARGET FILE): a library of the messages and services of a .proto file, for gRPC. It is not our code:
# neither our warnings nor our precompiled headers.
function(systolic_messages target file)
  get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}/${file}" DIRECTORY)
  get_filename_component(name "${file}" NAME_WE)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
  file(MAKE_DIRECTORY "${generated}")
  set(sources "")
  foreach(ending pb.cc pb.h grpc.pb.cc grpc.pb.h)
    list(APPEND sources "${generated}/${name}.${ending}")
  endforeach()
  add_custom_command(OUTPUT ${sources}
    COMMAND "${SYSTOLIC_PROTOC}" "--proto_path=${folder}" "--cpp_out=${generated}" "--grpc_out=${generated}"
      "--plugin=protoc-gen-grpc=${SYSTOLIC_GRPC_PLUGIN}" "${name}.proto"
    DEPENDS "${file}" VERBATIM)
  add_library(${target} STATIC ${sources})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -w -fPIC)
  target_include_directories(${target} SYSTEM PUBLIC $<BUILD_INTERFACE:${generated}>)
  target_link_libraries(${target} PUBLIC systolic_grpc)
  set_property(GLOBAL APPEND PROPERTY SYSTOLIC_LIBRARIES ${target})
endfunction()
