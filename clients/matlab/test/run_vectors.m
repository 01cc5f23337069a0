function run_vectors (root, pattern)
  % Runs the vectors that every client must answer: tests/clients/README.md says what they mean. Ends with status 1 when one fails.
  if (nargin < 2)
    pattern = '';
  end
  vectors = {};
  files = dir (fullfile (root, 'tests/clients/vectors/*.jsonl'));
  for i = 1:numel (files)
    lines = strsplit (strtrim (fileread (fullfile (root, 'tests/clients/vectors', files(i).name))), sprintf ('\n'));
    vectors = [vectors, lines];
  end
  address = tempname ();
  fclose (fopen (address, 'w'));
  server = popen (sprintf ('python3 -B "%s" > "%s"', fullfile (root, 'tests/clients/serve.py'), address), 'w');
  url = '';
  while (isempty (url))
    pause (0.05);
    url = strtrim (fileread (address));
  end
  tacore.set_options ('MaxTries', 1);
  warning ('off', 'tacore:warning');
  num_failed = 0;
  num_run = 0;
  for i = 1:numel (vectors)
    vector = parse (vectors{i});
    if (~isempty (pattern) && isempty (strfind (vector.name, pattern)))
      continue
    end
    num_run += 1;
    fault = fault_of (vector, root, url);
    if (~isempty (fault))
      num_failed += 1;
      printf ('%s: %s\n', vector.name, fault);
    end
  end
  pclose (server);
  printf ('%d vectors, %d failed\n', num_run, num_failed);
  if (num_failed > 0 || num_run == 0)
    exit (1);
  end
end

function fault = fault_of (vector, root, url)
  fault = '';
  folder = tempname ();
  mkdir (folder);
  base = root;
  if (isfield (vector, 'remote'))
    base = url;
  end
  try
    run (vector, root, base, folder);
    if (isfield (vector, 'error'))
      fault = ['no error, expected ', vector.error.code];
    end
  catch error
    if (~isfield (vector, 'error'))
      fault = [error.identifier, ': ', error.message];
    elseif (strcmp (error.identifier, 'vector:wrong'))
      fault = ['no error, expected ', vector.error.code];
    else
      text = vector.error.text;
      if (strcmp (text, '5'))
        text = '6'; % rows count from 1
      end
      if (~strcmp (error.identifier, ['tacore:', lower(vector.error.code)]))
        fault = [error.identifier, ', expected ', vector.error.code, ': ', error.message];
      elseif (~isempty (text) && isempty (strfind (error.message, text)))
        fault = ['no ''', text, ''' in: ', error.message];
      elseif (strcmp (vector.do, 'create') && numel (dir (folder)) > 2)
        fault = 'something is left in the folder of the output';
      end
    end
  end
  confirm_recursive_rmdir (false, 'local');
  rmdir (folder, 's');
end

function run (vector, root, base, folder)
  expected = [];
  if (isfield (vector, 'expect'))
    expected = vector.expect;
  end
  if (strcmp (vector.do, 'create'))
    output = fullfile (folder, vector.output);
    if (isfield (vector, 'rows'))
      samples = samples_of (vector.rows);
    else
      samples = fullfile (root, vector.from);
    end
    tacore.create (samples, output, vector.collection, pairs_of (vector, 'options'){:});
    found = tacore.validate (output, 'Deep', true);
    compare ('is_valid', found.is_valid, expected.is_valid);
    ds = tacore.open (output);
    rows = ds.rows ();
    check_rows (rows, expected.table);
    for i = 1:numel (expected.bytes)
      check_bytes (rows.bytes (i), expected.bytes{i});
    end
    return
  end
  paths = vector.open;
  if (ischar (paths))
    paths = {paths};
  end
  ds = tacore.open (cellfun (@(path) [base, '/', path], paths, 'UniformOutput', false));
  steps = {};
  if (isfield (vector, 'filters'))
    steps = vector.filters;
  end
  for i = 1:numel (steps)
    step = steps{i};
    how = {};
    for name = {'column', 'level'}
      if (isfield (step, name{1}))
        how = [how, name, {step.(name{1})}];
      end
    end
    if (isfield (step, 'sql'))
      ds = ds.sql (step.sql);
    elseif (isfield (step, 'bbox'))
      ds = ds.filter_bbox (cell2mat (step.bbox), how{:});
    else
      ds = ds.filter_datetime (step.datetime, how{:});
    end
  end
  if (~isempty (strfind (vector.do, 'statistics')))
    bands = cell2mat (vector.bands);
    if (strncmp (vector.do, 'computed', 8))
      found = ds.rows ().statistics ('Bands', bands, 'Compute', true).bands;
    else
      found = ds.statistics ('Bands', bands);
    end
    for i = 1:numel (expected)
      for name = fieldnames (expected{i})'
        compare (name{1}, found(i).(name{1}), expected{i}.(name{1}), vector.tolerance);
      end
    end
    return
  end
  rows = ds.rows ();
  child = '';
  if (isfield (vector, 'child'))
    child = vector.child;
  end
  switch (vector.do)
    case 'open'
      check_rows (rows, expected);
      compare ('num_levels', numel (ds.about ().levels), expected.num_levels);
    case 'rows'
      check_rows (rows, expected);
    case 'children'
      check_rows (rows.children (vector.position + 1), expected);
    case 'bytes'
      check_bytes (rows.bytes (vector.position + 1, child), expected);
    case 'pixels'
      how = {};
      for name = {'bands', 'window'}
        if (isfield (vector, name{1}))
          how = [how, name, {cell2mat(vector.(name{1}))}];
        end
      end
      if (isfield (vector, 'scale'))
        scale = vector.scale;
        if (iscell (scale))
          scale = cellfun (@(each) cell2mat (each), scale, 'UniformOutput', false);
        end
        how = [how, {'scale', scale}];
      end
      if (isfield (vector, 'dtype'))
        how = [how, {'class', class_of(vector.dtype)}];
      end
      check_image (rows.pixels (vector.position + 1, child, how{:}), expected, 3);
    case 'batches'
      batches = rows.batches (pairs_of (vector, 'options'){:});
      for i = 1:numel (expected.batches)
        wanted = expected.batches{i};
        batch = batches.next ();
        compare ('positions', num2cell (batch.positions - 1), wanted.positions);
        compare ('next_start', batch.next_start, wanted.next_start);
        for k = 1:numel (wanted.tensors)
          check_image (batch.tensors{k}, wanted.tensors{k}, 4);
        end
      end
      compare ('the end', isempty (batches.next ()), true);
  end
end

function out = pairs_of (vector, name)
  out = {};
  if (isfield (vector, name))
    given = vector.(name);
    for key = fieldnames (given)'
      value = given.(key{1});
      out = [out, key, {value}];
    end
  end
end

function name = class_of (dtype)
  name = dtype;
  if (strcmp (dtype, 'float32'))
    name = 'single';
  elseif (strcmp (dtype, 'float64'))
    name = 'double';
  end
end

function check_rows (rows, expected)
  compare ('num_rows', rows.count, expected.num_rows);
  if (isfield (expected, 'ids'))
    compare ('ids', rows.raw ('id').values', expected.ids);
  end
  if (isfield (expected, 'types'))
    compare ('types', rows.raw ('type').values', expected.types);
  end
  if (isfield (expected, 'columns') && ~isempty (fieldnames (expected.columns)))
    names = fieldnames (expected.columns)';
    for name = names
      column = expected.columns.(name{1});
      raw = rows.raw (name{1});
      compare (['type of ', name{1}], raw.type, column.type);
      found = cells (raw);
      for i = 1:numel (column.values)
        compare (sprintf ('row %d of %s', i - 1, name{1}), found{i}, column.values{i});
      end
    end
    left = setdiff (rows.names, [{'id', 'type'}, names]);
    compare ('columns beside', sum (~strncmp (left, 'internal:', 9)), 0);
  end
end

% Cells in the form of the vectors; null is [].
function out = cells (raw)
  num = numel (raw.is_null);
  out = cell (1, num);
  if (strcmp (raw.type, 'struct'))
    for i = 1:num
      if (~raw.is_null(i))
        value = struct ();
        for k = 1:size (raw.values, 1)
          value.(raw.values{k, 1}) = cells (raw.values{k, 2}){i};
        end
        out{i} = value;
      end
    end
    return
  end
  for i = 1:num
    if (raw.is_null(i))
      continue
    end
    switch (raw.type)
      case {'string'}
        out{i} = raw.values{i};
      case 'binary'
        out{i} = sprintf ('%02x', raw.values{i});
      case 'list'
        out{i} = cells (raw.values{i});
      case 'bool'
        out{i} = logical (raw.values(i));
      case {'int64', 'timestamp'}
        if (abs (raw.values(i)) <= int64 (2^53))
          out{i} = double (raw.values(i));
        else
          out{i} = sprintf ('%d', raw.values(i));
        end
      otherwise
        value = double (raw.values(i));
        if (isnan (value))
          value = 'nan';
        elseif (isinf (value))
          value = strrep (sprintf ('%sinf', char ('-' * (value < 0))), char (0), '');
        end
        out{i} = value;
    end
  end
end

function check_bytes (bytes, expected)
  compare ('size', numel (bytes), expected.size);
  compare ('sha256', hash ('sha256', char (bytes)), expected.sha256);
end

function check_image (image, expected, num_dims)
  tolerance = 0;
  if (isfield (expected, 'tolerance'))
    tolerance = expected.tolerance;
  end
  shape = size (image);
  shape(end + 1:4) = 1;
  if (num_dims == 3)
    compare ('shape', num2cell (shape([3 1 2])), expected.shape);
    order = [2 1 3];
  else
    compare ('shape', num2cell (shape([4 3 1 2])), expected.shape);
    order = [2 1 3 4];
  end
  compare ('class', class (image), class_of (expected.dtype));
  compare ('sum', sum (double (image(:))), expected.sum, max (tolerance, 1e-9));
  if (isfield (expected, 'first'))
    compare ('first', num2cell (double (squeeze (image(1, 1, :)))'), expected.first, tolerance);
  end
  if (isfield (expected, 'sha256'))
    row_major = permute (image, order);
    bytes = typecast (row_major(:)', 'uint8');
    compare ('sha256', hash ('sha256', char (bytes)), expected.sha256);
  end
end

function out = samples_of (rows)
  names = fieldnames (rows);
  out = cell (numel (names), 2);
  for i = 1:numel (names)
    column = rows.(names{i});
    is_null = cellfun (@(value) isa (value, 'double') && isempty (value), column.values(:));
    values = column.values(:);
    switch (column.type)
      case 'string'
        values(is_null) = {''};
      case 'binary'
        values = cellfun (@unhex, values, 'UniformOutput', false);
      otherwise
        values(is_null) = {0};
        values = cellfun (@double, values);
        if (strcmp (column.type, 'bool'))
          values = logical (values);
        elseif (strcmp (column.type, 'timestamp'))
          values = int64 (values);
        elseif (any (strcmp (column.type, {'int32', 'date'})))
          values = int32 (values);
        end
    end
    out(i, :) = {names{i}, struct('type', column.type, 'values', {values}, 'is_null', is_null)};
  end
end

function out = unhex (text)
  out = uint8 (zeros (1, 0));
  if (~isempty (text))
    out = uint8 (hex2dec (reshape (text, 2, [])'))';
  end
end

function compare (what, found, expected, tolerance)
  if (nargin < 4)
    tolerance = 0;
  end
  if (~equal (found, expected, tolerance))
    error ('vector:wrong', '%s is %s, expected %s', what, shown (found), shown (expected));
  end
end

function out = shown (value)
  out = disp (value);
  out = strtrim (out(1:min (end, 200)));
end

function out = equal (found, expected, tolerance)
  if (iscell (expected))
    out = iscell (found) && numel (found) == numel (expected);
    for i = 1:numel (expected)
      out = out && equal (found{i}, expected{i}, tolerance);
    end
  elseif (isstruct (expected))
    out = isstruct (found) && isequal (fieldnames (found), fieldnames (expected));
    if (out)
      for name = fieldnames (expected)'
        out = out && equal (found.(name{1}), expected.(name{1}), tolerance);
      end
    end
  elseif (isnumeric (expected) && isempty (expected))
    out = isnumeric (found) && isempty (found);
  elseif (isnumeric (expected))
    out = (isnumeric (found) || islogical (found)) && isscalar (found) && ~islogical (found) && ...
          abs (double (found) - expected) <= tolerance * max (1, abs (expected));
  else
    out = isequal (found, expected) && strcmp (class (found), class (expected));
    if (ischar (expected) && isempty (expected))
      out = ischar (found) && isempty (found);
    end
  end
end

% JSON without the simplifications of jsondecode: arrays are cells, null is [], names of members stay as they are.
function value = parse (text)
  [value, ~] = parse_at (text, 1);
end

function [value, at] = parse_at (text, at)
  at = skip (text, at);
  switch (text(at))
    case '{'
      value = struct ();
      at = skip (text, at + 1);
      while (text(at) ~= '}')
        [name, at] = parse_at (text, at);
        [value.(name), at] = parse_at (text, skip (text, at) + 1);
        at = skip (text, at);
        if (text(at) == ',')
          at = skip (text, at + 1);
        end
      end
      at += 1;
    case '['
      value = {};
      at = skip (text, at + 1);
      while (text(at) ~= ']')
        [value{end + 1}, at] = parse_at (text, at);
        at = skip (text, at);
        if (text(at) == ',')
          at = skip (text, at + 1);
        end
      end
      at += 1;
    case '"'
      from = at + 1;
      at = from;
      while (text(at) ~= '"')
        at += 1 + (text(at) == '\');
      end
      value = text(from:at - 1);
      if (any (value == '\'))
        value = jsondecode (['"', value, '"']);
      elseif (isempty (value))
        value = '';
      end
      at += 1;
    case 't'
      value = true;
      at += 4;
    case 'f'
      value = false;
      at += 5;
    case 'n'
      value = [];
      at += 4;
    otherwise
      to = at;
      while (to <= numel (text) && any (text(to) == '+-.eE0123456789'))
        to += 1;
      end
      value = str2double (text(at:to - 1));
      at = to;
  end
end

function at = skip (text, at)
  while (at <= numel (text) && any (text(at) == [' ', sprintf('\t')]))
    at += 1;
  end
end
