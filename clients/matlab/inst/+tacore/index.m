function out = index (inputs, varargin)
  % path = tacore.index ({a, b, ...}, 'Output', path)
  % Makes a .tacocat over several datasets.
  out = jsondecode (tacore.internal.call ('run', 'index', tacore.internal.options ([{'inputs', inputs}, varargin], {'inputs'})));
  out = out.path;
end
