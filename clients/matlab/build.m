% Builds the gateway in inst/, for MATLAB (mex) and for Octave (mkoctfile): then addpath the folder inst.
% The library libtacore_c is found in TACORE_HOME, by pkg-config, or in the Python package.
here = fileparts (mfilename ('fullpath'));
[status, home] = system (['sh "', fullfile(here, 'src', 'find_library'), '"']);
if (status ~= 0)
  error ('%s', home);
end
home = strtrim (home);
source = fullfile (here, 'src', 'tacore_mex.c');
if (exist ('OCTAVE_VERSION', 'builtin'))
  mkoctfile ('--mex', ['-I', home, '/include'], ['-L', home, '/lib'], '-ltacore_c', ['-Wl,-rpath,', home, '/lib'], '-o', ...
             fullfile (here, 'inst', 'tacore_mex.mex'), source);
else
  mex (['-I', home, '/include'], ['-L', home, '/lib'], '-ltacore_c', ['LDFLAGS=$LDFLAGS -Wl,-rpath,', home, '/lib'], '-outdir', ...
       fullfile (here, 'inst'), source);
end
