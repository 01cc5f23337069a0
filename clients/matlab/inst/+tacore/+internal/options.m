function json = options (given, arrays)
  % json = tacore.internal.options ({'BatchSize', 3, ...}, {'bands', ...})
  % Name-value pairs as JSON, with the names of the library: BatchSize becomes batch_size. Options in `arrays` are arrays also when
  % they have one element. Empty values are left out.
  if (nargin < 2)
    arrays = {};
  end
  if (mod (numel (given), 2) ~= 0)
    error ('tacore:argument', 'options are pairs of a name and a value');
  end
  out = struct ();
  for i = 1:2:numel (given)
    name = given{i};
    if (~ischar (name))
      error ('tacore:argument', 'the name of an option expected, not a %s', class (name));
    end
    value = given{i + 1};
    if (isempty (value) && ~iscell (value))
      continue
    end
    name = lower (regexprep (name, '([a-z0-9])([A-Z])', '$1_$2'));
    if (any (strcmp (name, arrays)) && ~iscell (value))
      if (ischar (value))
        value = {value};
      else
        value = num2cell (value(:)');
      end
    end
    out.(name) = value;
  end
  if (numel (fieldnames (out)) == 0)
    json = '{}'; % the common case: encoding takes longer than a call
  else
    json = jsonencode (out);
  end
end
