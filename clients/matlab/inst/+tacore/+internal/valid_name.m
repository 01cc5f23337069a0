function out = valid_name (name)
  % A name of a column as a name of a variable: stac:crs becomes stac_crs.
  out = regexprep (name, '[^A-Za-z0-9_]', '_');
  if (isempty (out) || ~isletter (out(1)))
    out = ['x', out];
  end
end
