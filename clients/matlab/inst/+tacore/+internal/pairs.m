function out = pairs (given, out)
  % Name-value pairs in a struct of defaults. Names in any case.
  for i = 1:2:numel (given)
    name = lower (given{i});
    if (~isfield (out, name) || i == numel (given))
      error ('tacore:argument', 'unknown option ''%s''; known are %s', given{i}, strjoin (fieldnames (out)', ', '));
    end
    out.(name) = given{i + 1};
  end
end
