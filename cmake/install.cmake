# A tree that can be moved: no absolute path in any file of it. tests/consumer proves that.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tacore)
set(generated ${PROJECT_BINARY_DIR}/package)

install(TARGETS tacore EXPORT tacoreTargets)
install(DIRECTORY include/tacore DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(FILES LICENSE ${TACORE_BUNDLED_LICENSES} DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Private copies in a folder of their own, so that they never shadow another program's libraries.
install(FILES ${TACORE_BUNDLED_LIBRARIES} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tacore)

install(EXPORT tacoreTargets NAMESPACE tacore:: DESTINATION ${package_dir})
configure_file(cmake/tacoreConfig.cmake.in ${generated}/tacoreConfig.cmake @ONLY)
write_basic_package_version_file(${generated}/tacoreConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/tacoreConfig.cmake ${generated}/tacoreConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(cmake/tacore.pc.in ${generated}/tacore.pc @ONLY)
install(FILES ${generated}/tacore.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
