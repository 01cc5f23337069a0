function out = to_columns (samples)
  % columns = tacore.internal.to_columns (samples)
  % Samples to be written, as the gateway takes them. `samples` is a struct of columns, a table (MATLAB), or a cell {name, values; ...}
  % for names that no variable may have. A column {'type', ...} of a struct with type, values and is_null is taken as it is.
  if (isstruct (samples))
    pairs = [fieldnames(samples), struct2cell(samples)];
  elseif (iscell (samples))
    pairs = samples;
  elseif (isa (samples, 'table'))
    pairs = [samples.Properties.VariableNames', cellfun(@(name) samples.(name), samples.Properties.VariableNames', 'UniformOutput', false)];
  else
    error ('tacore:argument', 'samples: a struct of columns, a table or a path expected, not %s', class (samples));
  end
  out = cell (1, size (pairs, 1));
  for i = 1:size (pairs, 1)
    column = one (pairs{i, 1}, pairs{i, 2});
    column.name = pairs{i, 1};
    if (i == 1)
      num = numel (column.is_null);
    elseif (numel (column.is_null) ~= num)
      error ('tacore:argument', 'column ''%s'' has %d values, %d expected', pairs{i, 1}, numel (column.is_null), num);
    end
    out{i} = column;
  end
end

function out = one (name, values)
  if (isstruct (values) && isfield (values, 'is_null'))
    out = values;
    if (any (strcmp (out.type, {'string', 'binary'})))
      out.values = cellfun (@bytes, out.values(:), 'UniformOutput', false);
    end
    return
  end
  is_null = false (numel (values), 1);
  if (isa (values, 'datetime'))
    is_null = isnat (values(:));
    if (isempty (values.TimeZone))
      values.TimeZone = 'UTC';
    end
    out = struct ('type', 'timestamp', 'values', convertTo (values(:), 'epochtime', 'TicksPerSecond', 1e6));
  elseif (isa (values, 'string') || isa (values, 'categorical'))
    is_null = ismissing (values(:));
    texts = cellstr (values(:));
    out = struct ('type', 'string', 'values', {cellfun(@bytes, texts, 'UniformOutput', false)});
  elseif (ischar (values))
    out = struct ('type', 'string', 'values', {{bytes(values)}});
    is_null = false;
  elseif (islogical (values))
    out = struct ('type', 'bool', 'values', values(:));
  elseif (isa (values, 'int32') || isa (values, 'int16') || isa (values, 'int8') || isa (values, 'uint8') || isa (values, 'uint16'))
    out = struct ('type', 'int32', 'values', int32 (values(:)));
  elseif (isa (values, 'int64') || isa (values, 'uint32'))
    out = struct ('type', 'int64', 'values', int64 (values(:)));
  elseif (isa (values, 'double') || isa (values, 'single'))
    is_null = isnan (values(:));
    out = struct ('type', 'double', 'values', double (values(:)));
  elseif (iscellstr (values))
    out = struct ('type', 'string', 'values', {cellfun(@bytes, values(:), 'UniformOutput', false)});
  elseif (iscell (values) && all (cellfun (@(x) isa (x, 'uint8') || (isempty (x) && isa (x, 'double')), values(:))))
    is_null = cellfun (@(x) isa (x, 'double'), values(:));
    out = struct ('type', 'binary', 'values', {cellfun(@uint8, values(:), 'UniformOutput', false)});
  elseif (iscell (values) && all (cellfun (@(x) isnumeric (x) || iscellstr (x), values(:))))
    % [] of class double is a list without items, as a null list cannot be told from it.
    parts = cellfun (@(x) x(:), values(:), 'UniformOutput', false);
    offsets = int32 (cumsum ([0; cellfun(@numel, parts)]));
    item = one (name, vertcat (parts{:}));
    out = struct ('type', 'list', 'values', {{offsets, item}});
  else
    error ('tacore:schema', 'column ''%s'' is of class %s, which no dataset holds', name, class (values));
  end
  out.is_null = is_null;
end

function out = bytes (text)
  if (isa (text, 'uint8'))
    out = text;
  elseif (exist ('OCTAVE_VERSION', 'builtin'))
    out = uint8 (text);
  else
    out = unicode2native (text, 'UTF-8');
  end
end
