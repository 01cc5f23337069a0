function set_options (varargin)
  % tacore.set_options (Name, Value, ...)
  % Sets options of the process: those of remote paths (MaxTries, Timeout in seconds, Token, CacheDir, ...), and Verbose.
  tacore.internal.call ('set_options', tacore.internal.options (varargin));
end
