function edit (path, varargin)
  % tacore.edit (path, 'Set', struct ('title', 'New'), ...)
  % Changes COLLECTION.json and columns in place. Options: Set, Unset, Columns, Drop, Level.
  jsondecode (tacore.internal.call ('run', 'edit', tacore.internal.options ([{'path', path}, varargin], {'unset', 'drop', 'profiles'})));
end
