function out = tog (input, output, varargin)
  % path = tacore.tog (input, output)
  % Stores a GeoTIFF tiled and compressed with ZSTD.
  out = jsondecode (tacore.internal.call ('run', 'tog', tacore.internal.options ([{'input', input, 'output', output}, varargin])));
  out = out.path;
end
