function out = call (command, varargin)
  % out = tacore.internal.call (command, arguments...)
  % Calls the library, and gives its warnings.
  failed = [];
  try
    out = tacore_mex (command, varargin{:}); % a list of outputs takes Octave longer than a call
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
