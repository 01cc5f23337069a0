function text = in_rows (text)
  % The library counts rows from 0: "position 4" is row 5.
  [from, to] = regexp (text, 'position [0-9]+');
  for i = numel (from):-1:1
    number = str2double (text(from(i) + 9:to(i)));
    text = [text(1:from(i) - 1), sprintf('row %d', number + 1), text(to(i) + 1:end)];
  end
end
