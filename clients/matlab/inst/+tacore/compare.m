function out = compare (a, b, varargin)
  % out = tacore.compare (a, b)
  % Compares two datasets: equal, collection, columns, num_added, num_removed, num_changed, samples.
  out = jsondecode (tacore.internal.call ('run', 'diff', tacore.internal.options ([{'a', a, 'b', b}, varargin])));
end
