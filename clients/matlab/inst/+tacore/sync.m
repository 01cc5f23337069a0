function out = sync (from, to, varargin)
  % out = tacore.sync (from, to)
  % Copies a dataset to a chunk store, or from one: num_chunks_moved, num_bytes_moved, ...
  out = jsondecode (tacore.internal.call ('run', 'sync', tacore.internal.options ([{'from', from, 'to', to}, varargin])));
end
