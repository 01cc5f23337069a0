function out = validate (path, varargin)
  % issues = tacore.validate (path, 'Deep', true)
  % Checks a dataset by the rules of the specification. Returns is_valid, and the issues with rule, severity, message, path, level.
  out = jsondecode (tacore.internal.call ('run', 'validate', tacore.internal.options ([{'path', path}, varargin], {'unset', 'drop', 'profiles'})));
  out.issues = tacore.internal.records (out.issues);
end
