# Install rules: headers, libraries and the package that find_package(systolic CONFIG) reads.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/systolic")

get_property(libraries GLOBAL PROPERTY SYSTOLIC_LIBRARIES)
install(TARGETS ${libraries} EXPORT systolicTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT systolicTargets NAMESPACE systolic:: DESTINATION ${package_dir})
install(DIRECTORY systolic DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.inc"
        # What only our own sources and tests use.
        PATTERN "http_call.h" EXCLUDE PATTERN "failing_client.h" EXCLUDE PATTERN "numeric_gradient.h" EXCLUDE
        PATTERN "json_schema.h" EXCLUDE PATTERN "json_columns.h" EXCLUDE REGEX "/arrow/worker/" EXCLUDE
        PATTERN "json_document.h" EXCLUDE PATTERN "features_json.h" EXCLUDE
        PATTERN "*_test.h" EXCLUDE PATTERN "test_*.h" EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET systolic_pjrt_plugin)
  install(TARGETS systolic_pjrt_plugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/systolic)
  if(TARGET systolic_pjrt_peers)
    install(TARGETS systolic_pjrt_peers LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/systolic)
  endif()
endif()

# A oneDNN of our own goes into the prefix, in a folder where no other program looks; a system's stays where it is.
if(SYSTOLIC_BUNDLED_DNNL)
  install(FILES "${SYSTOLIC_BUNDLED_DNNL}" DESTINATION ${CMAKE_INSTALL_LIBDIR}/systolic RENAME libdnnl.so.3)
endif()

# So do Arrow's libraries of our own, which the program of a worker loads (systolic/io/arrow).
file(GLOB bundled_arrow "${SYSTOLIC_ARROW_ROOT}/lib/libarrow.so.*" "${SYSTOLIC_ARROW_ROOT}/lib/libparquet.so.*")
if(SYSTOLIC_ARROW AND bundled_arrow)
  install(FILES ${bundled_arrow} DESTINATION ${CMAKE_INSTALL_LIBDIR}/systolic)
  install(DIRECTORY "${SYSTOLIC_ARROW_ROOT}/licenses/" DESTINATION ${CMAKE_INSTALL_DOCDIR}/arrow)
endif()

configure_package_config_file(cmake/systolicConfig.cmake.in systolicConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(systolicConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/systolicConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/systolicConfigVersion.cmake"
              cmake/systolic_dependencies.cmake
        DESTINATION ${package_dir})
