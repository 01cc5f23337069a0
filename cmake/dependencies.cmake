# Everything tacore needs from elsewhere. A package the system has always wins. Debian 12 has no Arrow
# and no DuckDB: those two are fetched, pinned by hash, at configure time and never later.
#
# Result: targets Arrow::arrow_shared, Parquet::parquet_shared, DuckDB::duckdb, tacore::libdeflate, tacore::zstd,
# nlohmann_json::nlohmann_json, OpenSSL::Crypto, tacore::curl_headers, Threads::Threads; and TACORE_BUNDLED_LIBRARIES and
# TACORE_BUNDLED_LICENSES, the files an installation has to carry with it.

set(TACORE_BUNDLED_LIBRARIES)
set(TACORE_BUNDLED_LICENSES)

# All presets share one copy.
set(TACORE_DEPS_DIR ${PROJECT_SOURCE_DIR}/build/deps CACHE PATH "Where fetched dependencies are unpacked")
mark_as_advanced(TACORE_DEPS_DIR)

# Sets `out` to the folder of a fetched package.
function(tacore_fetch out name)
  if(NOT TACORE_FETCH_DEPENDENCIES)
    message(FATAL_ERROR "${name} is not installed, and TACORE_FETCH_DEPENDENCIES is OFF")
  endif()
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/fetch_dependency
      ${name} ${TACORE_DEPS_DIR} ${CMAKE_SYSTEM_PROCESSOR}
    RESULT_VARIABLE result OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name} could not be fetched: see above")
  endif()
  # By way of the build tree, where a release has them: so all commands hold the same places, relative to it, which a compiler cache
  # needs to find an object of another build.
  set(there ${PROJECT_BINARY_DIR}/deps)
  if(NOT TACORE_DEPS_DIR STREQUAL there)
    file(CREATE_LINK ${TACORE_DEPS_DIR} ${there} SYMBOLIC)
  endif()
  cmake_path(GET folder FILENAME pinned)
  set(${out} ${there}/${pinned} PARENT_SCOPE)
endfunction()

function(tacore_import target library include_dir)
  add_library(${target} SHARED IMPORTED)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION ${library} INTERFACE_INCLUDE_DIRECTORIES ${include_dir})
endfunction()

# --- Arrow and Parquet: 21 is the first with content-defined chunking as we use it ---
find_package(Parquet CONFIG QUIET)  # brings Arrow along
if(Parquet_FOUND AND TARGET Parquet::parquet_shared)
  if(Arrow_VERSION VERSION_LESS 21)
    message(FATAL_ERROR "Arrow ${Arrow_VERSION} is installed, tacore needs 21 or newer. "
      "To use the pinned one instead: -DCMAKE_DISABLE_FIND_PACKAGE_Parquet=ON")
  endif()
  message(STATUS "Arrow ${Arrow_VERSION}: from the system")
else()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/cmake/pyarrow-requirements.txt ${PROJECT_SOURCE_DIR}/scripts/fetch_dependency)
  tacore_fetch(arrow_dir arrow)
  file(GLOB arrow_library ${arrow_dir}/lib/libarrow.so.*)
  file(GLOB parquet_library ${arrow_dir}/lib/libparquet.so.*)
  tacore_import(Arrow::arrow_shared ${arrow_library} ${arrow_dir}/include)
  tacore_import(Parquet::parquet_shared ${parquet_library} ${arrow_dir}/include)
  target_link_libraries(Parquet::parquet_shared INTERFACE Arrow::arrow_shared)
  file(GLOB licenses ${arrow_dir}/arrow-*)
  list(APPEND TACORE_BUNDLED_LIBRARIES ${arrow_library} ${parquet_library})
  list(APPEND TACORE_BUNDLED_LICENSES ${licenses})
  message(STATUS "Arrow: pinned build")
endif()

# --- DuckDB: 1.4 only. We use its C++ API, which changes with every minor version ---
find_package(DuckDB 1.4...<1.5 CONFIG QUIET)
if(DuckDB_FOUND AND NOT DuckDB_VERSION MATCHES "^1\\.4\\.")
  message(FATAL_ERROR "DuckDB ${DuckDB_VERSION} is installed, tacore needs 1.4.x. "
    "To use the pinned one instead: -DCMAKE_DISABLE_FIND_PACKAGE_DuckDB=ON")
elseif(DuckDB_FOUND)
  add_library(DuckDB::duckdb INTERFACE IMPORTED)
  target_link_libraries(DuckDB::duckdb INTERFACE duckdb)
  message(STATUS "DuckDB ${DuckDB_VERSION}: from the system")
else()
  if(DuckDB_CONSIDERED_VERSIONS)
    message(STATUS "DuckDB ${DuckDB_CONSIDERED_VERSIONS} is installed, but tacore needs 1.4.x")
  endif()
  tacore_fetch(duckdb_dir duckdb)
  tacore_import(DuckDB::duckdb ${duckdb_dir}/lib/libduckdb.so ${duckdb_dir}/include)
  list(APPEND TACORE_BUNDLED_LIBRARIES ${duckdb_dir}/lib/libduckdb.so)
  list(APPEND TACORE_BUNDLED_LICENSES ${duckdb_dir}/duckdb-LICENSE)
  message(STATUS "DuckDB 1.4.4: pinned build")
endif()

# --- From every distribution ---
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)  # SHA-256
find_package(CURL 7.85 REQUIRED)  # loaded when it is needed: src/net/curl_library.hpp
add_library(tacore_curl_headers INTERFACE)
add_library(tacore::curl_headers ALIAS tacore_curl_headers)
target_include_directories(tacore_curl_headers SYSTEM INTERFACE ${CURL_INCLUDE_DIRS})
# Debian's libdeflate 1.14 has no CMake package, only pkg-config; newer ones have both.
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBDEFLATE REQUIRED IMPORTED_TARGET libdeflate)
add_library(tacore::libdeflate ALIAS PkgConfig::LIBDEFLATE)
# The codec of TACO's own rasters. Debian's package has no CMake configuration either.
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd>=1.4)
add_library(tacore::zstd ALIAS PkgConfig::ZSTD)
