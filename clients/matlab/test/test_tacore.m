% Tests of what the vectors do not cover: classes of values, errors, a full disk, interruption.   test_tacore (ROOT)
function test_tacore (root)
  warning ('off', 'tacore:warning');
  nested = fullfile (root, 'examples/data/landsat_nested.tacozip');
  folder = tempname ();
  mkdir (folder);
  about = struct ('id', 'chips', 'description', 'Chips', 'licenses', {{'MIT'}}, 'providers', struct ('name', 'P'), 'tasks', ...
                  {{'classification'}});

  % Values of every class come back.
  given = struct ();
  given.id = {'a'; 'b'; 'c'};
  given.data = {uint8([1 2 3]); uint8(zeros(1, 0)); uint8(255)};
  given.label = {'water'; ''; 'é'};
  given.cloud = [0.5; NaN; -1.25];
  given.count = int32 ([1; -2; 3]);
  given.large = int64 ([9007199254740993; -1; 0]);
  given.is_train = [true; false; true];
  given.numbers = {[1 2]; zeros(1, 0); 3};
  output = fullfile (folder, 'a.tacozip');
  assert (tacore.create (given, output, about, 'Places', false), {output});
  ds = tacore.open (output);
  rows = ds.rows ();
  t = rows.table ();
  assert (t.id, given.id);
  assert (t.label, given.label);
  assert (t.cloud, given.cloud);
  assert (t.count, given.count);
  assert (t.large, given.large);
  assert (t.is_train, given.is_train);
  assert (t.numbers{1}, [1; 2]);
  assert (rows.bytes ([1 2 3]), given.data');
  found = tacore.validate (output, 'Deep', true);
  assert (found.is_valid);
  tacore.edit (output, 'Set', struct ('title', 'New'));
  ds = tacore.open (output);
  assert (ds.collection.title, 'New');
  copy = tacore.convert (output, fullfile (folder, 'copy'));
  same = tacore.compare (output, copy{1});
  assert (same.equal);

  % Names that no variable may have, and columns of a stated type.
  cells = {'id', {'x'; 'y'}; 'data', {uint8(1); uint8(2)}; 'my:time', struct('type', 'timestamp', 'values', int64([1; 0]), 'is_null', [false; true])};
  tacore.create (cells, fullfile (folder, 'b.tacozip'), about, 'Places', false);
  ds = tacore.open (fullfile (folder, 'b.tacozip'));
  rows = ds.rows ();
  assert (rows.raw ('my:time').values(1), int64 (1));
  assert (rows.raw ('my:time').is_null, [false; true]);
  assert (isfield (rows.table (), 'my_time'));

  % Rows, pixels and statistics against each other.
  ds = tacore.open (nested);
  rows = ds.rows ();
  image = rows.pixels (2, 'optical');
  assert (size (image), [64 64 6]);
  assert (class (image), 'uint8');
  assert (rows.pixels (2, 'optical', 'Bands', [4 1], 'Window', [10 20 5 3]), image(21:23, 11:15, [4 1]));
  assert (rows.pixels (2, 'optical', 'Bands', 3, 'Scale', 0.5), single (image(:, :, 3)) / 2);
  assert (rows.take ([5 2]).pixels (2, 'optical'), image);
  assert (rows.take (strcmp (rows.column ('id'), 'tile_r1_c2')).count, 1);
  raster = tacore.open_raster (rows.path (2, 'optical'));
  assert (raster.pixels (), image);
  s = rows.statistics ('Compute', true, 'Child', 'mask');
  all = zeros (64, 64, 6);
  for i = 1:6
    all(:, :, i) = rows.pixels (i, 'mask');
  end
  assert (s.bands.mean, mean (all(:)), 1e-12);
  assert (char (rows.preview (1, 'optical', 'Bands', [3 2 1])(2:4)), 'PNG');
  half = ds.sql ('SELECT * FROM data LIMIT 3').export (fullfile (folder, 'half.tacozip'));
  half = tacore.open (half{1});
  assert (half.about ().num_rows, 3);

  % A frame outlives its dataset, and a deleted object says so.
  clear ds
  assert (rows.children (1).count, 3);
  handle = rows.handle_;
  clear rows
  fails ('tacore:argument', @() tacore_mex ('num_rows', handle));
  fails ('tacore:argument', @() tacore_mex ('num_rows', uint64 (12345)));
  fails ('tacore:argument', @() tacore_mex ('nothing'));
  fails ('tacore:argument', @() tacore_mex ('open', {'x'}));

  % Errors have names.
  ds = tacore.open (nested);
  rows = ds.rows ();
  fails ('tacore:not_found', @() tacore.open (fullfile (folder, 'none.tacozip')));
  fails ('tacore:argument', @() tacore.open (nested, 'Verfiy', true));
  fails ('tacore:query', @() ds.sql ('SELECT nothing FROM data').rows ());
  fails ('tacore:query', @() rows.raw ('nothing'));
  fails ('tacore:query', @() rows.pixels (1, 'optical', 'Bands', 7));
  fails ('tacore:query', @() rows.pixels (1, 'optical', 'Window', [0 0 1e6 1e6]));
  fails ('tacore:query', @() rows.pixels (1, 'optical', 'Class', 'complex'));
  for row = {0, 7, 1.5, NaN}
    fails ('tacore:navigation', @() rows.bytes (row{1}, 'mask'));
  end
  fails ('tacore:navigation', @() rows.bytes (1, 'nothing'));
  fails ('tacore:unsupported', @() tacore.open_raster (fullfile (root, 'docs/pictures/samples.png')));
  work = fullfile (folder, 'work');
  mkdir (work);
  none = fullfile (work, 'no.tacozip');
  twice = given;
  twice.id = {'a'; 'a'; 'c'};
  fails ('tacore:schema', @() tacore.create (twice, none, about));
  fails ('tacore:validation', @() tacore.create (given, none, rmfield (about, 'tasks')));
  fails ('tacore:argument', @() tacore.create (struct ('id', {{'a'; 'b'}}, 'data', {{uint8(1)}}), none, about));
  fails ('tacore:schema', @() tacore.create (struct ('id', {{'a'}}, 'x', @sin), none, about));
  fails ('tacore:argument', @() tacore.create (given, none, about, 'Nothing', 1));

  % A source that changes or vanishes.
  moved = fullfile (folder, 'moved.tacozip');
  copyfile (nested, moved);
  rows = tacore.open (moved);
  rows = rows.rows ();
  bytes = fileread (moved);
  file = fopen (moved, 'w');
  fwrite (file, bytes(1:1000));
  fclose (file);
  fails ('tacore:', @() rows.bytes (6, 'mask'));
  unlink (moved);
  fails ('tacore:', @() rows.bytes (5, 'optical'));

  % A full disk: files of at most 2 MB.
  program = sprintf (['addpath ("%s"); addpath ("%s"); s.id = {"a"}; s.data = {zeros(1, 3e6, "uint8")}; about = struct ("id", "a", ', ...
    '"description", "a", "licenses", {{"MIT"}}, "providers", struct ("name", "P"), "tasks", {{"other"}}); ', ...
    'try, tacore.create (s, "%s", about, "Places", false); catch e, disp (e.identifier), end'], fileparts (which ('tacore_mex')), ...
    fileparts (fileparts (which ('tacore.open'))), none);
  [~, text] = system (sprintf ('trap "" XFSZ; ulimit -f 4096; octave-cli --no-init-file --eval ''%s'' 2>&1', program));
  assert (~isempty (strfind (text, 'tacore:io')), text);
  assert (numel (dir (work)), 2);

  % An interrupt stops a call, and leaves nothing unfinished.
  source = fullfile (folder, 'source');
  mkdir (source);
  for i = 1:3000
    file = fopen (fullfile (source, sprintf ('%05d.bin', i)), 'w');
    fwrite (file, zeros (1, 20000, 'uint8'));
    fclose (file);
  end
  program = sprintf (['addpath ("%s"); addpath ("%s"); warning ("off", "all"); about = struct ("id", "a", "description", "a", ', ...
    '"licenses", {{"MIT"}}, "providers", struct ("name", "P"), "tasks", {{"other"}}); ', ...
    'system (sprintf ("(sleep 0.3; kill -INT %%d) &", getpid ())); ', ...
    'for i = 1:1000, tacore.create ("%s", "%s", about, "Places", false, "Overwrite", true, "Jobs", 1); end; disp ("never stopped")'], ...
    fileparts (which ('tacore_mex')), fileparts (fileparts (which ('tacore.open'))), source, none);
  start = tic ();
  [~, text] = system (sprintf ('env --default-signal=INT octave-cli --no-init-file --eval ''%s'' 2>&1', program));
  assert (isempty (strfind (text, 'never stopped')), text);
  assert (toc (start) < 60);
  left = setdiff ({dir(work).name}, {'.', '..', 'no.tacozip'});
  assert (isempty (left));

  confirm_recursive_rmdir (false, 'local');
  rmdir (folder, 's');
  disp ('all tests passed');
end

function fails (identifier, work)
  try
    work ();
  catch error
    if (~strncmp (error.identifier, identifier, numel (identifier)))
      rethrow (error);
    end
    return
  end
  error ('test:no_error', 'no error, expected %s of %s', identifier, func2str (work));
end
