function out = describe_files (path, output, varargin)
  % path = tacore.describe_files (path, output, 'Form', 'all')
  % Writes descriptions as files. Form: all, stac, geoparquet, stac-geoparquet.
  out = jsondecode (tacore.internal.call ('run', 'describe', tacore.internal.options ([{'path', path, 'output', output}, varargin])));
  out = out.path;
end
