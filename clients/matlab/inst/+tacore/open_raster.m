function out = open_raster (path)
  % raster = tacore.open_raster (path)
  % Opens a raster by its path, such as that of a sample. Error tacore:unsupported for what is no TIFF that tacore decodes.
  out = tacore.Raster (tacore.internal.call ('raster_path', path));
end
