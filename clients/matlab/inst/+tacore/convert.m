function out = convert (input, output, varargin)
  % paths = tacore.convert (input, output, Name, Value, ...)
  % Changes the format of a dataset: ZIP, folder, versions 0.x. Options: as of tacore.create.
  out = jsondecode (tacore.internal.call ('run', 'convert', tacore.internal.options ([{'input', input, 'output', output}, varargin])));
  out = out.paths;
end
