# An overlay port, in a clone: vcpkg install tacore --overlay-ports=packaging/vcpkg
set(SOURCE_PATH "${CURRENT_PORT_DIR}/../../..")
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES gdal TACORE_GDAL tool TACORE_TOOL)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
  ${options} -DTACORE_DEVELOPER=OFF -DTACORE_UNITY=ON -DTACORE_PYTHON=OFF -DTACORE_FETCH_DEPENDENCIES=OFF
  "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tacore)
vcpkg_fixup_pkgconfig()
if("tool" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES taco AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
