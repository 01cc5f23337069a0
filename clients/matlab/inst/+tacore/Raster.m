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
      how = tacore.internal.pairs (varargin, struct ('bands', [], 'window', [], 'class', '', 'scale', [], 'fill', []));
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
      out = tacore.internal.call ('pixels', self.handle_, double (how.bands), double (how.window), type, json);
    end

    function out = preview (self, varargin)
      % A small picture as PNG, uint8. Options: Bands, Size.
      out = tacore.internal.call ('preview', self.handle_, tacore.internal.options (varargin, {'bands'}));
    end
  end
end
