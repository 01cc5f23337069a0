# The version is that of the library, on standard output.
[[ $(taco --version) == "taco $(<../../VERSION)" ]] && echo same
