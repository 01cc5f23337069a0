function [library, interface] = version ()
  % [library, interface] = tacore.version ()
  % Versions of the library and of its interface.
  parts = strsplit (tacore_mex ('version'), ' ');
  library = parts{1};
  interface = parts{2};
end
