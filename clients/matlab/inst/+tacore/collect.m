function out = collect (inputs, varargin)
  % path = tacore.collect ({a, b, ...}, 'Output', path)
  % Makes a TACOLLECTION.json of several datasets.
  out = jsondecode (tacore.internal.call ('run', 'collect', tacore.internal.options ([{'inputs', inputs}, varargin], {'inputs'})));
  out = out.path;
end
