classdef Raster < handle
  % A raster that is open for reading.
  % See also tacore.Rows, tacore.open_raster

  properties (SetAccess = private, Hidden = true)
    handle_ = uint64 (0);
  end

  methods
    function self = Raster (handle)
      self.handle_ = handle;
    end

    function delete (self)
      if (self.handle_ ~= 0)
        tacore_mex ('free', self.handle_);
      end
    end

    function out = about (self)
      % A struct: width, height, bands, dtype, nodata, crs, geotransform, format, compression, ...
      out = jsondecode (tacore.internal.call ('raster_about', self.handle_));
    end

    function out = pixels (self, varargin)
      % As of tacore.Rows.
      out = tacore.internal.pixels (self.handle_, [], [], varargin);
    end

    function out = preview (self, varargin)
      % A small picture as PNG, uint8. Options: Bands, Size.
      out = tacore.internal.call ('preview', self.handle_, [], [], tacore.internal.options (varargin, {'bands'}));
    end
  end
end
