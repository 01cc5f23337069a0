function out = open (paths, varargin)
  % ds = tacore.open (path, Name, Value, ...)
  % Opens a dataset of any format of TACO, local or remote, reading only headers and footers; a cell of paths is concatenated.
  % Options: Mode ('intersection', 'fill_missing', 'strict'), AllowPartial, Verify, and those of remote paths (MaxTries, Timeout in
  % seconds, Token, CacheDir, ...). Errors: tacore:not_found, tacore:format, tacore:schema, tacore:io.
  %
  %   ds = tacore.open ('landsat.tacozip');
  if (~iscell (paths))
    paths = cellstr (paths);
  end
  out = tacore.Dataset (tacore.internal.call ('open', paths, tacore.internal.options (varargin)));
end
