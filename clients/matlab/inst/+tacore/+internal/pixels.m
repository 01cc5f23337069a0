function out = pixels (source, row, child, given)
  % out = tacore.internal.pixels (handle, row, child, {'Bands', [1 2], ...})
  % Pixels of a raster (row and child are []), or of a row of rows.
  if (isempty (given))
    out = tacore.internal.call ('pixels', source, row, child, [], [], -1, '{}');
    return
  end
  how = tacore.internal.pairs (given, struct ('bands', [], 'window', [], 'class', '', 'scale', [], 'fill', []));
  classes = {'uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64', 'single', 'double'};
  type = -1;
  if (~isempty (how.class))
    type = find (strcmp (classes, how.class)) - 1;
    if (isempty (type))
      error ('tacore:query', 'class ''%s'': one of %s expected', how.class, strjoin (classes, ', '));
    end
  end
  scale = how.scale;
  if (isnumeric (scale) && numel (scale) > 1)
    scale = {scale};
  end
  json = tacore.internal.options ({'scale', scale, 'fill', how.fill});
  out = tacore.internal.call ('pixels', source, row, child, double (how.bands), double (how.window), type, json);
end
