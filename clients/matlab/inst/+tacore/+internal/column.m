function out = column (raw)
  % values = tacore.internal.column (raw)
  % The values of a column as MATLAB or Octave have them: null numbers are NaN, null texts '' (missing in MATLAB).
  values = raw.values;
  has_null = any (raw.is_null);
  is_matlab = ~exist ('OCTAVE_VERSION', 'builtin');
  switch (raw.type)
    case 'int32'
      out = values;
    case 'int64'
      out = values;
      if (has_null)
        if (all (abs (values(~raw.is_null)) <= int64 (2^53)))
          out = double (values);
          out(raw.is_null) = NaN;
        end
      end
    case 'date'
      out = dates (values, 86400, is_matlab);
    case 'timestamp'
      numbers = double (values);
      numbers(raw.is_null) = NaN;
      if (is_matlab)
        out = datetime (values, 'ConvertFrom', 'epochtime', 'TicksPerSecond', 1e6, 'TimeZone', 'UTC');
        out(raw.is_null) = NaT ('TimeZone', 'UTC');
      else
        out = 719529 + numbers / 86400e6;
      end
    case 'string'
      out = values;
      if (is_matlab)
        out = string (values);
        out(raw.is_null) = missing;
      end
    case 'list'
      out = cell (size (values));
      for i = 1:numel (values)
        if (~raw.is_null(i))
          out{i} = tacore.internal.column (values{i});
        end
      end
    case 'struct'
      out = struct ();
      for i = 1:size (values, 1)
        out.(tacore.internal.valid_name (values{i, 1})) = tacore.internal.column (values{i, 2});
      end
    otherwise
      out = values;
  end
end

function out = dates (days, ~, is_matlab)
  days = double (days);
  if (is_matlab)
    out = datetime (days * 86400, 'ConvertFrom', 'posixtime');
  else
    out = 719529 + days;
  end
end
