function out = records (decoded)
  % An array of JSON objects as a struct array, also where their members differ, which jsondecode gives as a cell.
  out = decoded;
  if (iscell (decoded))
    names = {};
    for i = 1:numel (decoded)
      names = union (names, fieldnames (decoded{i}));
    end
    out = struct ([]);
    for i = 1:numel (decoded)
      for k = 1:numel (names)
        if (isfield (decoded{i}, names{k}))
          out(i).(names{k}) = decoded{i}.(names{k});
        else
          out(i).(names{k}) = [];
        end
      end
    end
  end
end
