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

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(TACORE_WHEEL_ARCH x86_64)
  set(TACORE_NODE_ARCH x64)
  set(TACORE_DUCKDB_LIBRARY_SHA512 7e360d73eb78fd3ee6873679ee8268210696bdb615bf186275c34d6a7b101625a777afc930b0942dde2a9edf172374edd81ad9b2b687ebdd0a481212dd03edd3)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(TACORE_WHEEL_ARCH aarch64)
  set(TACORE_NODE_ARCH arm64)
  set(TACORE_DUCKDB_LIBRARY_SHA512 c2af76fc471388e4d15b54520cec2378bc8c3175b0355370536d5341d7eedec812f3af88877ada68aebc95e0e063971681fef659edc9d96ec7633f06c3170c63)
endif()
set(TACORE_DUCKDB_HEADERS_SHA512 844249e61c9517454b8f776638ba6c5ab411d1bddde1892ab72826ea25178c72430e74aa83f5122b171be6abcdace84560f824b5ac94e9d5c2b603ea7269a9a2)

# Runs a download command in `dir`; its output is shown only when it fails.
function(tacore_download dir)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${dir}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "Download failed (${result}): ${command}\n${output}")
  endif()
endfunction()

# Downloads one npm package as a tarball into `dir`/`out`. `npm pack` runs none of its scripts.
function(tacore_download_npm dir out package sha512)
  find_program(TACORE_NPM npm)
  if(NOT TACORE_NPM)
    message(FATAL_ERROR "DuckDB 1.4 is not installed, and without npm it cannot be fetched")
  endif()
  file(MAKE_DIRECTORY ${dir}/${out})
  tacore_download(${dir}/${out} ${TACORE_NPM} pack ${package} --ignore-scripts)
  file(GLOB tarball ${dir}/${out}/*.tgz)
  file(SHA512 ${tarball} actual)
  if(NOT actual STREQUAL sha512)
    message(FATAL_ERROR "${package}: SHA-512 is ${actual}, expected ${sha512}")
  endif()
  file(ARCHIVE_EXTRACT INPUT ${tarball} DESTINATION ${dir}/${out} PATTERNS ${ARGN})
endfunction()

# tacore_fetch_*(DIR) fills an empty DIR with include/, lib/ and LICENSE files.
function(tacore_fetch_arrow dir)
  # The python3 on PATH, whose pip scripts/install_packages has checked; find_package may choose another.
  find_program(TACORE_PIP_PYTHON python3 REQUIRED)
  tacore_download(${dir} ${TACORE_PIP_PYTHON} -m pip download --no-deps --only-binary=:all: --require-hashes
    --disable-pip-version-check -r ${PROJECT_SOURCE_DIR}/cmake/pyarrow-requirements.txt
    --python-version 3.11 --platform manylinux_2_28_${TACORE_WHEEL_ARCH} --dest .)
  file(GLOB wheel ${dir}/*.whl)
  file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${dir}
    PATTERNS pyarrow/include/* pyarrow/libarrow.so.* pyarrow/libparquet.so.* *.dist-info/*)
  file(REMOVE ${wheel})
  file(RENAME ${dir}/pyarrow/include ${dir}/include)
  file(MAKE_DIRECTORY ${dir}/lib)
  # Linked under their sonames; Arrow's soname holds its version, so it is looked up, not spelled.
  foreach(name arrow parquet)
    file(GLOB library ${dir}/pyarrow/lib${name}.so.*)
    get_filename_component(file ${library} NAME)
    file(RENAME ${library} ${dir}/lib/${file})
  endforeach()
  file(GLOB_RECURSE licenses ${dir}/*.dist-info/LICENSE* ${dir}/*.dist-info/NOTICE*)
  foreach(license IN LISTS licenses)
    get_filename_component(file ${license} NAME)
    file(RENAME ${license} ${dir}/arrow-${file})
  endforeach()
  file(GLOB rest ${dir}/pyarrow ${dir}/*.dist-info)
  file(REMOVE_RECURSE ${rest})
endfunction()

function(tacore_fetch_duckdb dir)
  # Official builds: the library ships with the Node bindings, the C++ headers with the source package.
  tacore_download_npm(${dir} binary @duckdb/node-bindings-linux-${TACORE_NODE_ARCH}@1.4.4-r.1
    "${TACORE_DUCKDB_LIBRARY_SHA512}" package/libduckdb.so)
  tacore_download_npm(${dir} source duckdb@1.4.4
    ${TACORE_DUCKDB_HEADERS_SHA512} package/src/duckdb/src/include/* package/LICENSE)
  file(RENAME ${dir}/source/package/src/duckdb/src/include ${dir}/include)
  file(MAKE_DIRECTORY ${dir}/lib)
  file(RENAME ${dir}/binary/package/libduckdb.so ${dir}/lib/libduckdb.so)
  file(RENAME ${dir}/source/package/LICENSE ${dir}/duckdb-LICENSE)
  file(REMOVE_RECURSE ${dir}/source ${dir}/binary)
endfunction()

# Sets `out` to the folder of a fetched package. Safe with parallel configures (lock) and interruptions
# (filled beside, renamed at the end). The name holds `pin`, so a new pin is a new folder.
function(tacore_fetch out name pin)
  string(SHA256 hash "${pin};${TACORE_WHEEL_ARCH}")
  string(SUBSTRING ${hash} 0 8 hash)
  set(dir ${TACORE_DEPS_DIR}/${name}-${hash})
  set(${out} ${dir} PARENT_SCOPE)
  if(EXISTS ${dir})
    return()
  endif()
  if(NOT TACORE_FETCH_DEPENDENCIES)
    message(FATAL_ERROR "${name} is not installed, and TACORE_FETCH_DEPENDENCIES is OFF")
  elseif(NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR NOT TACORE_WHEEL_ARCH)
    message(FATAL_ERROR "${name} is not installed, and there is no pinned build of it for this system")
  endif()
  file(MAKE_DIRECTORY ${TACORE_DEPS_DIR})
  file(LOCK ${TACORE_DEPS_DIR}/lock GUARD FUNCTION TIMEOUT 900)
  if(EXISTS ${dir})  # another configure was faster
    return()
  endif()
  message(STATUS "Fetching ${name}")
  file(REMOVE_RECURSE ${dir}.part)
  file(MAKE_DIRECTORY ${dir}.part)
  cmake_language(CALL tacore_fetch_${name} ${dir}.part)
  file(RENAME ${dir}.part ${dir})
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
  set(requirements ${PROJECT_SOURCE_DIR}/cmake/pyarrow-requirements.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${requirements})
  file(READ ${requirements} pin)
  tacore_fetch(arrow_dir arrow "${pin}")
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
  tacore_fetch(duckdb_dir duckdb "${TACORE_DUCKDB_LIBRARY_SHA512} ${TACORE_DUCKDB_HEADERS_SHA512}")
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
