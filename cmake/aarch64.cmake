# Compiles for 64-bit ARM on another machine, with Debian's cross compiler and libraries (scripts/install_packages
# aarch64), and runs what was compiled in qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# The C++ library comes with the cross compiler, all others are Debian's for this machine. Those come first: the cross
# compiler has a C library, too, which fits its own loader only. With the system's loader no thread starts.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -E LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu:/usr/aarch64-linux-gnu/lib)

# Libraries of this machine only; programs, such as Python, are those of the machine that compiles.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
