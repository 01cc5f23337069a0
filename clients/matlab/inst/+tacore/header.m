function out = header (path, varargin)
  % out = tacore.header (path)
  % Writes an index of the TIFFs of a dataset.
  out = jsondecode (tacore.internal.call ('run', 'header', tacore.internal.options ([{'path', path}, varargin])));
end
