# The library as binaries for others: libsystolic.so, with every library inside that has an archive, and the configuration by
# which CMake and pkg-config find it. ./run package builds it; tools/package puts it into a tarball and a Debian package.
get_property(libraries GLOBAL PROPERTY SYSTOLIC_LIBRARIES)
list(REMOVE_ITEM libraries systolic_systolic)

file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/shared.cc" CONTENT "")
add_library(systolic_shared SHARED "${CMAKE_CURRENT_BINARY_DIR}/shared.cc")
set(exports "${PROJECT_SOURCE_DIR}/cmake/portable/exports.map")
set_target_properties(systolic_shared PROPERTIES OUTPUT_NAME systolic VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS "${exports}" INSTALL_RPATH "$ORIGIN")
target_link_libraries(systolic_shared PRIVATE -Wl,--whole-archive ${libraries} -Wl,--no-whole-archive)
target_link_options(systolic_shared PRIVATE "LINKER:--version-script=${exports}" "LINKER:-Bsymbolic-functions"
  "LINKER:--no-undefined" "LINKER:--gc-sections")

install(TARGETS systolic_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
