# The port builds the sources that it lies in: vcpkg install systolic --overlay-ports=packaging/vcpkg/ports
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)

vcpkg_check_linkage(ONLY_STATIC_LIBRARY)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  storage SYSTOLIC_STORAGE
  cluster SYSTOLIC_CLUSTER
  hdf5 SYSTOLIC_HDF5
  page SYSTOLIC_PAGE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DSYSTOLIC_TESTS=OFF
    -DSYSTOLIC_EXAMPLES=OFF
    -DSYSTOLIC_BENCHMARKS=OFF
    -DSYSTOLIC_WERROR=OFF
    -DSYSTOLIC_ARROW=OFF
    ${features})

vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/systolic)
vcpkg_copy_tools(TOOL_NAMES systolic AUTO_CLEAN)

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
