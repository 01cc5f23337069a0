classdef Dataset < handle
  % A dataset, or a query over one: filters return a new one, and nothing runs before rows are needed.
  %
  %   ds = tacore.open ('landsat.tacozip');
  %   rows = ds.filter_bbox ([-34.87 -8.01 -34.84 -7.98]).sql ('SELECT * FROM data WHERE vegetation > 0.2').rows ();
  %
  % Methods: sql, filter_bbox, filter_datetime, rows, flatten, about, statistics, describe, export; properties: id, collection.
  % See also tacore.open, tacore.Rows

  properties (SetAccess = private, Hidden = true)
    handle_ = uint64 (0);
  end
  properties (SetAccess = private)
    id = '';             % of COLLECTION.json
    collection = struct ();  % COLLECTION.json
  end

  methods
    function self = Dataset (handle)
      self.handle_ = handle;
      self.collection = jsondecode (tacore_mex ('collection', handle));
      if (isfield (self.collection, 'id')) % files of 0.x have none
        self.id = self.collection.id;
      end
    end

    function delete (self)
      if (self.handle_ ~= 0)
        tacore_mex ('free', self.handle_);
      end
    end

    function out = sql (self, query)
      % The rows that a SELECT statement over data, level0, level1, ... returns.
      out = tacore.Dataset (tacore.internal.call ('sql', self.handle_, query));
    end

    function out = filter_bbox (self, box, varargin)
      % Samples whose place meets [west south east north] in degrees. Options: Column, Level.
      how = tacore.internal.pairs (varargin, struct ('column', [], 'level', 0));
      out = tacore.Dataset (tacore.internal.call ('bbox', self.handle_, double (box), how.column, how.level));
    end

    function out = filter_datetime (self, range, varargin)
      % Samples in '2023-06-01/2023-08-31' (both ends included) or '2023-06'; two datetimes in MATLAB. Options: Column, Level.
      how = tacore.internal.pairs (varargin, struct ('column', [], 'level', 0));
      if (~ischar (range))
        range.TimeZone = 'UTC';
        range = strjoin (cellstr (string (range, 'yyyy-MM-dd''T''HH:mm:ss.SSSSSS''Z''')), '/');
      end
      out = tacore.Dataset (tacore.internal.call ('datetime', self.handle_, range, how.column, how.level));
    end

    function out = rows (self, varargin)
      % Runs the query. Option: Raw, true for all columns internal:*.
      how = tacore.internal.pairs (varargin, struct ('raw', false));
      out = tacore.Rows (tacore.internal.call ('rows', self.handle_, double (how.raw)));
    end

    function out = flatten (self, level)
      % The FILEs of a level (without one: the deepest), each with the columns of its ancestors.
      if (nargin < 2)
        level = -1;
      end
      out = tacore.Rows (tacore.internal.call ('flatten', self.handle_, level));
    end

    function out = about (self)
      % A struct: path, format, num_rows, levels, pit_schema, extent, files.
      out = jsondecode (tacore.internal.call ('about', self.handle_));
    end

    function out = statistics (self, varargin)
      % Statistics of bands (from 1) that samples store, a struct array. Options: Bands, Child, Level, Id, Quantiles.
      json = tacore.internal.options (varargin, {'bands', 'quantiles'});
      out = tacore.internal.records (jsondecode (tacore.internal.call ('statistics', self.handle_, json)));
    end

    function out = describe (self, form, varargin)
      % A description: 'markdown' (the default), 'html', 'stac', 'croissant', 'datacite' or 'datacard'.
      if (nargin < 2)
        form = 'markdown';
      end
      out = tacore.internal.call ('describe', self.handle_, form, tacore.internal.options (varargin));
    end

    function out = export (self, output, varargin)
      % Writes the rows as a new dataset. Returns the paths of its files.
      out = jsondecode (tacore.internal.call ('export', self.handle_, output, tacore.internal.options (varargin)));
    end

    function disp (self)
      about = self.about ();
      fprintf ('  tacore.Dataset %s (%s), %d rows\n', self.id, about.format, about.num_rows);
    end
  end
end

