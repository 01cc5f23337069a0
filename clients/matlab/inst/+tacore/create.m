function paths = create (samples, output, collection, varargin)
  % paths = tacore.create (samples, output, collection, Name, Value, ...)
  % Writes a dataset, whole or not at all: a ZIP when output ends in .tacozip, else a folder.
  % samples: a struct of columns, a table (MATLAB), a cell {name, values; ...}, or the path of a folder or table. Columns: id, and path or
  % data (a cell of uint8, the bytes themselves); all others are metadata. NaN and missing are null.
  % collection: a struct of id, description, licenses, providers, tasks, ...
  % Options: Extensions, Overwrite, SplitSize, Tog, Places, IdColumn, PathColumn, TimeColumn, Jobs, ...
  %
  %   samples.id = {'a'; 'b'};
  %   samples.data = {uint8([1 2 3]); uint8([])};
  %   samples.label = {'water'; 'land'};
  %   tacore.create (samples, 'chips.tacozip', struct ('id', 'chips', 'description', 'Chips', 'licenses', {{'MIT'}}, ...
  %                  'providers', struct ('name', 'P'), 'tasks', {{'classification'}}), 'Places', false);
  of_table = {'idcolumn', 'pathcolumn', 'timecolumn', 'rename', 'separator'};
  is_table = false (1, numel (varargin));
  for i = 1:2:numel (varargin)
    is_table(i:min (i + 1, end)) = any (strcmp (lower (varargin{i}), of_table));
  end
  table_options = tacore.internal.options (varargin(is_table));
  options = tacore.internal.options (varargin(~is_table), {'extensions'});
  if (~isfield (collection, 'dataset_version'))
    collection.dataset_version = '1.0.0';
  end
  for name = {'licenses', 'tasks', 'keywords'}
    if (isfield (collection, name{1}) && ischar (collection.(name{1})))
      collection.(name{1}) = {collection.(name{1})};
    end
  end
  for name = {'providers', 'curators'}
    if (isfield (collection, name{1}) && isstruct (collection.(name{1})))
      collection.(name{1}) = num2cell (collection.(name{1})(:)');
    end
  end
  if (ischar (samples))
    handle = tacore.internal.call ('samples_from_path', samples, table_options);
  else
    handle = tacore.internal.call ('samples_from_rows', tacore.internal.to_columns (samples), table_options);
  end
  try
    paths = jsondecode (tacore.internal.call ('create', handle, output, jsonencode (collection), options));
  catch failed
    tacore_mex ('free', handle);
    rethrow (failed);
  end
  tacore_mex ('free', handle);
end
