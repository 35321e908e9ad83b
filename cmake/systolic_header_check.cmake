# Each header by itself, as the first thing that a source includes. Most are, in their own .cc; here the others get a
# source of one line. Tests do not count: their builds may put GoogleTest's headers first.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS
  systolic/*.h backends/*.h examples/*.h benchmarks/*.h tests/*.h tools/*.h)
list(FILTER headers EXCLUDE REGEX "-inl\\.h$")  # Highway compiles these once for each instruction set
set(sources "")
foreach(header IN LISTS headers)
  file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${header}")
  string(REGEX REPLACE "\\.h$" "" stem "${header}")
  set(first_include "")
  if(EXISTS "${stem}.cc")
    file(STRINGS "${stem}.cc" first_include REGEX "^#include" LIMIT_COUNT 1)
  endif()
  if(NOT "#include \"${path}\"" STREQUAL first_include)
    set(source "${PROJECT_BINARY_DIR}/header_check/${path}.cc")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${path}\"\n")
    list(APPEND sources "${source}")
  endif()
endforeach()

add_library(header_check OBJECT ${sources})
target_link_libraries(header_check PRIVATE systolic_systolic systolic_flags systolic_dnnl systolic_hwy)
if(TARGET GTest::gtest)
  target_link_libraries(header_check PRIVATE GTest::gtest)
endif()
target_include_directories(header_check SYSTEM PRIVATE "${SYSTOLIC_JSON_INCLUDE_DIR}")
target_compile_definitions(header_check PRIVATE HWY_DISABLE_PCLMUL_AES)
