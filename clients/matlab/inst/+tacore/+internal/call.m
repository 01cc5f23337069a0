function varargout = call (command, varargin)
  % out = tacore.internal.call (command, arguments...)
  % Calls the library, and gives its warnings.
  failed = [];
  try
    [varargout{1:max (nargout, 1)}] = tacore_mex (command, varargin{:});
  catch failed
  end
  log = tacore_mex ('take_log');
  if (~isempty (log))
    lines = strsplit (strtrim (log), sprintf ('\n'));
    for i = 1:numel (lines)
      entry = jsondecode (lines{i});
      if (strcmp (entry.level, 'warning'))
        warning ('tacore:warning', '%s', entry.message);
      end
    end
  end
  if (~isempty (failed))
    error (failed.identifier, '%s', tacore.internal.in_rows (regexprep (failed.message, '^tacore_mex: ', '')));
  end
end
