#' Pixels of a sample
#'
#' Reads pixels without GDAL: TIFF that is not compressed or compressed with ZSTD, deflate or LZW. For others there is
#' `terra::rast(taco_path(x, i))`.
#'
#' @param x Rows of a dataset; or a path, as of [taco_path()].
#' @param i A row, by number from 1 or by id.
#' @param child Path of ids below the row; NULL for the row itself.
#' @param bands Bands, from 1, in any order; NULL for all.
#' @param window Column and row of the first pixel, from 0, then width and height; NULL for all.
#' @param scale A factor, `c(factor, offset)`, or a list with one for each band, by which pixels become physical values.
#' @param na TRUE makes pixels without data NA.
#' @return `taco_pixels()`: an array of rows, columns and bands, integer where the pixels are whole numbers of up to 32 bits, else
#'   numeric. `taco_raster()`: a list with `width`, `height`, `bands`, `dtype`, `nodata`, `crs`, `geotransform`, `format`,
#'   `compression` and others. `taco_preview()`: a small picture as PNG, a raw vector.
#' @seealso [taco_plot()] to look at it, [taco_batches()] for many.
#' @examples
#' x <- taco_rows(taco_open(taco_example()))
#' dim(taco_pixels(x, 1, "optical", bands = c(4, 3, 2)))
#' taco_raster(x, 1, "optical")$crs
#' @export
taco_pixels <- function(x, i = 1, child = NULL, bands = NULL, window = NULL, scale = NULL, na = TRUE) {
  at <- if (!is.character(x)) one_position(x, i)
  if (!is.null(window) && (!is.numeric(window) || length(window) != 4 || anyNA(window))) {
    fail("query", "window: column, row, width and height expected")
  }
  if (is.numeric(scale) && length(scale) > 1) scale <- list(scale)
  checked(.Call(r_pixels, if (is.null(at)) x else attr(x, "taco_frame"), at, child,
                if (!is.null(bands)) as.integer(bands), if (!is.null(window)) as.double(window),
                if (!is.null(scale)) to_json(unname(scale)), na))
}

#' @rdname taco_pixels
#' @export
taco_raster <- function(x, i = 1, child = NULL) checked(.Call(r_raster_about, raster_of(x, i, child)))

#' @rdname taco_pixels
#' @param size Greatest width and height in pixels.
#' @export
taco_preview <- function(x, i = 1, child = NULL, bands = NULL, size = 256) {
  checked(.Call(r_raster_preview, raster_of(x, i, child), options_of(bands = if (!is.null(bands)) I(bands), size = size)))
}

raster_of <- function(x, i, child) {
  if (is.character(x)) return(checked(.Call(r_raster_open_path, x)))
  checked(.Call(r_raster_open, attr(x, "taco_frame"), one_position(x, i), child), call = sys.call(-1))
}

one_position <- function(x, i) {
  at <- positions_of(x, i)
  if (length(at) != 1) fail("navigation", "one row expected, not ", length(at), call = sys.call(-2))
  at
}

#' Batches for training
#'
#' Reads batches of samples in other threads while R works on the one before. An epoch has each sample once, in an order that
#' depends on `seed` and `epoch` alone, and is the same in every language.
#'
#' @param x Rows of a dataset, or a `taco_dataset`.
#' @param inputs What a sample is made of: `"optical/4,3"` are bands 4 and 3 of the child `optical`, `"mask"` all of its bands, `""` the
#'   row itself; or a list of lists with `path`, `bands`, `window`, `dtype`, `scale`, `fill`.
#' @param batch_size Samples in a batch.
#' @param seed Number that determines the order; NULL keeps the order of the rows.
#' @param start Samples to leave out: `next_start` of the last batch continues an epoch that was interrupted.
#' @param ... Options: `epoch`, `shuffle_block`, `shuffle_window`, `drop_last`, `pad`, `rank` and `world_size`, `jobs`, `prefetch`, `on_error = "skip"`.
#' @param loader What `taco_batches()` returned.
#' @return `taco_batches()`: a loader, whose `length()` is the number of its batches. `taco_next()`: the next batch, NULL at the end: a list
#'   of `tensors` (an array of rows, columns, bands and samples for each input), `positions` (the rows, from 1), `next_start`, and
#'   `failures` of samples that were left out.
#' @examples
#' x <- taco_rows(taco_open(taco_example()))
#' batches <- taco_batches(x, c("optical/4,3", "mask"), batch_size = 4, seed = 1)
#' while (!is.null(batch <- taco_next(batches))) print(dim(batch$tensors[[1]]))
#' @export
taco_batches <- function(x, inputs = "", batch_size = 32, seed = NULL, start = 0, ...) {
  inputs <- if (is.list(inputs)) lapply(inputs, input_of) else I(inputs)
  how <- options_of(inputs = inputs, batch_size = batch_size, seed = seed, start = start, ...)
  structure(list(pointer = checked(.Call(r_loader_new, frame_of(x), how))), class = "taco_loader")
}

input_of <- function(input) {
  for (name in c("bands", "window")) if (!is.null(input[[name]])) input[[name]] <- I(input[[name]])
  if (is.numeric(input$scale) && length(input$scale) > 1) input$scale <- list(input$scale)
  input
}

#' @rdname taco_batches
#' @export
taco_next <- function(loader) checked(.Call(r_loader_next, loader$pointer))

#' @export
length.taco_loader <- function(x) as.integer(.Call(r_loader_num_batches, unclass(x)$pointer))
#' @export
print.taco_loader <- function(x, ...) {
  cat("<taco_loader> ", length(x), " batches; taco_next() gives the next\n", sep = "")
  invisible(x)
}
