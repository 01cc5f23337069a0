classdef Rows < handle
  % Rows that have been computed. Rows count from 1; a sample is a row, or what is below it at a path of ids, such as 'optical'.
  %
  %   rows = tacore.open ('landsat_nested.tacozip').rows ();
  %   t = rows.table ();                               % a table in MATLAB, a struct of columns in Octave
  %   image = rows.pixels (1, 'optical', 'Bands', [4 3 2]);    % rows x columns x bands, of the class that is stored
  %
  % Methods: table, column, raw, take, children, path, bytes, pixels, raster, preview, statistics, batches, dataset; properties: count,
  % names.
  % See also tacore.Dataset

  properties (SetAccess = private, Hidden = true)
    handle_ = uint64 (0);
    columns_ = {};
  end
  properties (SetAccess = private)
    count = 0;   % number of rows
    names = {};  % of the columns
  end

  methods
    function self = Rows (handle)
      self.handle_ = handle;
      self.columns_ = tacore.internal.call ('columns', handle);
      self.count = tacore_mex ('num_rows', handle);
      self.names = self.columns_(:, 1)';
    end

    function delete (self)
      if (self.handle_ ~= 0)
        tacore_mex ('free', self.handle_);
      end
    end

    function out = raw (self, name)
      % A column as it is: type, values (times: int64 microseconds since 1970; dates: days), is_null.
      at = find (strcmp (self.names, name));
      if (isempty (at))
        error ('tacore:query', 'there is no column ''%s''; there are %s', name, strjoin (self.names, ', '));
      end
      out = self.columns_{at(1), 2};
    end

    function out = column (self, name)
      % The values of a column: null numbers are NaN, null texts '' (missing in MATLAB), times datetime (datenum in Octave).
      out = tacore.internal.column (self.raw (name));
    end

    function out = table (self)
      % A table in MATLAB, a struct of columns in Octave. Names become valid ones: stac:crs is stac_crs.
      out = struct ();
      for i = 1:numel (self.names)
        out.(tacore.internal.valid_name (self.names{i})) = self.column (self.names{i});
      end
      if (~exist ('OCTAVE_VERSION', 'builtin'))
        out = struct2table (out);
        out.Properties.VariableDescriptions = self.names;
      end
    end

    function out = take (self, at)
      % The rows at these numbers, or where a logical vector is true, in this order.
      if (islogical (at))
        at = find (at);
      end
      self.check_ (at);
      out = tacore.Rows (tacore.internal.call ('take', self.handle_, double (at)));
    end

    function out = children (self, row, child)
      % The children of a FOLDER, as rows.
      if (nargin < 3)
        child = '';
      end
      self.check_ (row);
      out = tacore.Rows (tacore.internal.call ('children', self.handle_, row, child));
    end

    function out = path (self, row, child)
      % The path under which GDAL opens a FILE.
      if (nargin < 3)
        child = '';
      end
      self.check_ (row);
      out = tacore.internal.call ('path', self.handle_, row, child);
    end

    function out = bytes (self, at, child)
      % The bytes of a FILE as uint8; a cell of them for several rows, whose neighbours are read together.
      if (nargin < 3)
        child = '';
      end
      self.check_ (at);
      out = tacore.internal.call ('read', self.handle_, double (at), child);
      if (numel (out) == 1)
        out = out{1};
      end
    end

    function out = raster (self, row, child)
      % The raster of a FILE, open for reading.
      if (nargin < 3)
        child = '';
      end
      self.check_ (row);
      out = tacore.Raster (tacore.internal.call ('raster', self.handle_, row, child));
    end

    function out = pixels (self, row, child, varargin)
      % Pixels as rows x columns x bands, of the class that is stored. Options: Bands (from 1), Window ([x y width height] in pixels, from
      % 0), Class, Scale (a factor, or a cell with a factor or [factor offset] for each band), Fill (for no data).
      if (nargin < 3)
        child = '';
      end
      self.check_ (row);
      out = tacore.internal.pixels (self.handle_, row, child, varargin);
    end

    function out = preview (self, row, child, varargin)
      % A small picture as PNG, uint8. Options: Bands, Size.
      if (nargin < 3)
        child = '';
      end
      self.check_ (row);
      out = tacore.internal.call ('preview', self.handle_, row, child, tacore.internal.options (varargin, {'bands'}));
    end

    function out = statistics (self, varargin)
      % Statistics of bands that these samples store; with 'Compute', true of all their pixels. Options: Bands, Child, Quantiles, OnError.
      json = tacore.internal.options (varargin, {'bands', 'quantiles'});
      out = jsondecode (tacore.internal.call ('frame_statistics', self.handle_, json));
      if (isfield (out, 'failures'))
        out.bands = tacore.internal.records (out.bands);
      else
        out = tacore.internal.records (out);
      end
    end

    function out = batches (self, varargin)
      % Batches for training, read in other threads, in an order that is the same in every language. Options: Inputs (a cell of texts such as
      % 'optical/4,3'), BatchSize, Seed, Epoch, Start, DropLast, Rank, WorldSize, Jobs, OnError.
      out = tacore.Loader (tacore.internal.call ('loader', self.handle_, tacore.internal.options (varargin, {'inputs'})));
    end

    function out = dataset (self)
      % These rows as a dataset, to be exported.
      out = tacore.Dataset (tacore.internal.call ('frame_dataset', self.handle_));
    end

    function check_ (self, at)
      % Rows that do not exist, before the library counts them from 0.
      wrong = find (~(at >= 1 & at <= self.count & at == fix (at)), 1);
      if (~isempty (wrong))
        error ('tacore:navigation', 'row %g does not exist: there are %d', at(wrong), self.count);
      end
    end

    function disp (self)
      fprintf ('  tacore.Rows: %d rows of %s\n', self.count, strjoin (self.names, ', '));
    end
  end
end
