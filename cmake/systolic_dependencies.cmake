# Outside libraries that the folders link. README names each with its licence.
#
# The same file is installed beside systolicConfig.cmake, so that a project which uses an installed Systolic finds the
# same libraries under the same target names. SYSTOLIC_ONEDNN_ROOT is where a oneDNN of our own lies: the unpacked
# wheels in the source tree, or our folder in the install prefix that bundles them.
include(CMakeFindDependencyMacro)
# systolic_leaves_out(RESULT OPTION): whether the build was told to do without; an installed Systolic looks as it was built.
function(systolic_leaves_out result option)
  set(${result} FALSE PARENT_SCOPE)
  if(DEFINED ${option} AND NOT ${option})
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()
if(NOT DEFINED SYSTOLIC_ONEDNN_ROOT)
  set(SYSTOLIC_ONEDNN_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.deps/onednn")
endif()

# Where Arrow C++ of our own lies, which only the program of a worker links.
if(NOT DEFINED SYSTOLIC_ARROW_ROOT)
  set(SYSTOLIC_ARROW_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.deps/arrow")
endif()

find_dependency(Threads)
find_dependency(ZLIB)
find_dependency(JPEG)
find_dependency(PNG)

# libwebp. Distributions ship no CMake files with it.
if(NOT TARGET systolic_webp)
  find_library(SYSTOLIC_WEBP_LIBRARY webp REQUIRED)
  find_path(SYSTOLIC_WEBP_INCLUDE_DIR webp/decode.h REQUIRED)
  add_library(systolic_webp INTERFACE IMPORTED)
  target_link_libraries(systolic_webp INTERFACE "${SYSTOLIC_WEBP_LIBRARY}")
  target_include_directories(systolic_webp SYSTEM INTERFACE "${SYSTOLIC_WEBP_INCLUDE_DIR}")
endif()

# Highway. Older distributions ship no CMake files with it.
if(NOT TARGET systolic_hwy)
  find_library(SYSTOLIC_HWY_LIBRARY hwy REQUIRED)
  find_path(SYSTOLIC_HWY_INCLUDE_DIR hwy/highway.h)
  add_library(systolic_hwy INTERFACE IMPORTED)
  target_link_libraries(systolic_hwy INTERFACE "${SYSTOLIC_HWY_LIBRARY}")
  if(SYSTOLIC_HWY_INCLUDE_DIR)
    target_include_directories(systolic_hwy SYSTEM INTERFACE "${SYSTOLIC_HWY_INCLUDE_DIR}")
  endif()
endif()

# Oniguruma, which ships no CMake files.
if(NOT TARGET systolic_onig)
  find_library(SYSTOLIC_ONIG_LIBRARY onig REQUIRED)
  find_path(SYSTOLIC_ONIG_INCLUDE_DIR oniguruma.h)
  add_library(systolic_onig INTERFACE IMPORTED)
  target_link_libraries(systolic_onig INTERFACE "${SYSTOLIC_ONIG_LIBRARY}")
  if(SYSTOLIC_ONIG_INCLUDE_DIR)
    target_include_directories(systolic_onig SYSTEM INTERFACE "${SYSTOLIC_ONIG_INCLUDE_DIR}")
  endif()
endif()

# oneDNN 3.2 or newer: our own copy where there is one, else the system's.
if(NOT TARGET systolic_dnnl)
  file(GLOB SYSTOLIC_BUNDLED_DNNL "${SYSTOLIC_ONEDNN_ROOT}/libdnnl.so.3" "${SYSTOLIC_ONEDNN_ROOT}/lib*/libdnnl.so.3")
  if(SYSTOLIC_BUNDLED_DNNL)
    add_library(systolic_dnnl SHARED IMPORTED)
    set_target_properties(systolic_dnnl PROPERTIES
      IMPORTED_LOCATION "${SYSTOLIC_BUNDLED_DNNL}" IMPORTED_SONAME libdnnl.so.3)
    if(EXISTS "${SYSTOLIC_ONEDNN_ROOT}/include/oneapi/dnnl/dnnl.hpp")
      target_include_directories(systolic_dnnl SYSTEM INTERFACE "${SYSTOLIC_ONEDNN_ROOT}/include")
    endif()
  else()
    find_dependency(dnnl 3.2)
    add_library(systolic_dnnl INTERFACE IMPORTED)
    target_link_libraries(systolic_dnnl INTERFACE DNNL::dnnl)
  endif()
endif()

# cpp-httplib, for the monitor's page. Distributions build it with options that change its classes: pkg-config names them.
systolic_leaves_out(without_page SYSTOLIC_PAGE)
if(NOT TARGET systolic_httplib AND NOT without_page)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(SYSTOLIC_HTTPLIB QUIET IMPORTED_TARGET cpp-httplib>=0.10)
  endif()
  if(TARGET PkgConfig::SYSTOLIC_HTTPLIB)
    add_library(systolic_httplib INTERFACE IMPORTED)
    target_link_libraries(systolic_httplib INTERFACE PkgConfig::SYSTOLIC_HTTPLIB)
  endif()
endif()

# libcurl and OpenSSL, for gs:// and https://. A build without them says so when such a path is opened.
systolic_leaves_out(without_storage SYSTOLIC_STORAGE)
if(NOT without_storage)
  find_package(CURL 7.68 QUIET)
  find_package(OpenSSL 3.0 QUIET)
endif()

# systolic_archives(RESULT package...): the archives of packages that pkg-config knows, and of all that they need, in the
# order of linking; empty where one of them is not there. What other shared libraries of a program use as well is shared.
function(systolic_archives result)
  set(${result} "" PARENT_SCOPE)
  find_package(PkgConfig QUIET)
  if(NOT PKG_CONFIG_FOUND)
    return()
  endif()
  pkg_check_modules(SYSTOLIC_FOUND QUIET ${ARGN})
  if(NOT SYSTOLIC_FOUND_FOUND)
    return()
  endif()
  set(archives "")
  foreach(name IN LISTS SYSTOLIC_FOUND_STATIC_LIBRARIES)
    if(name MATCHES "^(atomic|crypto|dl|m|pthread|rt|ssl|z)$")
      list(APPEND archives ${name})
      continue()
    endif()
    find_library(SYSTOLIC_${name}_ARCHIVE "lib${name}.a" HINTS ${SYSTOLIC_FOUND_STATIC_LIBRARY_DIRS})
    mark_as_advanced(SYSTOLIC_${name}_ARCHIVE)
    if(NOT SYSTOLIC_${name}_ARCHIVE)
      return()
    endif()
    list(APPEND archives "${SYSTOLIC_${name}_ARCHIVE}")
  endforeach()
  set(${result} ${archives} PARENT_SCOPE)
endfunction()

# gRPC and protobuf, for runs of several processes. A build without them says so when a program is one of several. Older
# distributions ship no CMake files with gRPC. Its shared library brings fifty others, Abseil's, which every program would
# load at its start, also those that are alone: so programs hold the archives' code themselves, where archives are there.
# Targets with the property SYSTOLIC_SHARES_GRPC, which tests are, take the shared libraries: they are many.
systolic_leaves_out(without_cluster SYSTOLIC_CLUSTER)
if(NOT TARGET systolic_grpc AND NOT without_cluster)
  find_library(SYSTOLIC_GRPC_LIBRARY grpc++)
  find_library(SYSTOLIC_PROTOBUF_LIBRARY protobuf)
  find_program(SYSTOLIC_PROTOC protoc)
  find_program(SYSTOLIC_GRPC_PLUGIN grpc_cpp_plugin)
  if(SYSTOLIC_GRPC_LIBRARY AND SYSTOLIC_PROTOBUF_LIBRARY AND SYSTOLIC_PROTOC AND SYSTOLIC_GRPC_PLUGIN)
    set(shared "${SYSTOLIC_GRPC_LIBRARY}" "${SYSTOLIC_PROTOBUF_LIBRARY}")
    # What gRPC's headers use themselves; newer ones have Abseil's mutexes among it.
    foreach(name IN ITEMS grpc gpr absl_synchronization)
      find_library(SYSTOLIC_${name}_LIBRARY ${name})
      if(SYSTOLIC_${name}_LIBRARY)
        list(APPEND shared "${SYSTOLIC_${name}_LIBRARY}")
      endif()
    endforeach()
    systolic_archives(archives grpc++ protobuf)
    add_library(systolic_grpc INTERFACE IMPORTED)
    if(archives)
      set(shares "$<BOOL:$<TARGET_PROPERTY:SYSTOLIC_SHARES_GRPC>>")
      target_link_libraries(systolic_grpc INTERFACE "$<IF:${shares},${shared},${archives}>")
      # Shared libraries that bring a gRPC or protobuf of their own keep to it.
      set(names ${archives})
      list(FILTER names INCLUDE REGEX "\\.a$")
      list(TRANSFORM names REPLACE ".*/" "")
      list(REMOVE_DUPLICATES names)
      list(JOIN names ":" names)
      target_link_options(systolic_grpc INTERFACE "$<$<NOT:${shares}>:LINKER:--exclude-libs,${names}>")
    else()
      target_link_libraries(systolic_grpc INTERFACE ${shared})
    endif()
  endif()
endif()

# Gloo, by which processes exchange arrays.
if(NOT TARGET systolic_gloo_library AND NOT without_cluster)
  find_library(SYSTOLIC_GLOO_LIBRARY gloo)
  find_path(SYSTOLIC_GLOO_INCLUDE_DIR gloo/allreduce.h)
  if(SYSTOLIC_GLOO_LIBRARY AND SYSTOLIC_GLOO_INCLUDE_DIR)
    add_library(systolic_gloo_library INTERFACE IMPORTED)
    target_link_libraries(systolic_gloo_library INTERFACE "${SYSTOLIC_GLOO_LIBRARY}")
    target_include_directories(systolic_gloo_library SYSTEM INTERFACE "${SYSTOLIC_GLOO_INCLUDE_DIR}")
  endif()
endif()
