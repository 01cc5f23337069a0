function out = concat (datasets, mode)
  % ds = tacore.concat ({a, b, ...}, mode)
  % Concatenates datasets, each with its filters. mode: 'intersection' (the default), 'fill_missing' or 'strict'.
  if (nargin < 2)
    mode = 'intersection';
  end
  handles = cellfun (@(each) each.handle_, datasets, 'UniformOutput', false);
  out = tacore.Dataset (tacore.internal.call ('concat', handles, mode));
end
