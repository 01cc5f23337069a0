new_dataset <- function(pointer) structure(list(pointer = pointer), class = "taco_dataset")
pointer_of <- function(x) {
  if (!inherits(x, "taco_dataset")) fail("argument", "a dataset of taco_open() expected, not ", class(x)[1], call = sys.call(-2))
  unclass(x)$pointer
}

#' Open a dataset
#'
#' Opens a dataset of any format of TACO: `.tacozip`, a folder, `.tacocat`, `TACOLLECTION.json`, `.tortilla`, `.taco`. Only
#' headers and footers are read. A dataset is a query that has not run: filters return a new one, and rows are computed by
#' [taco_rows()] or `as.data.frame()`.
#'
#' @param path Path or URL (`https://`, `s3://`, `hf://`) of a dataset; several are concatenated.
#' @param ... Options, such as `mode = "fill_missing"` of several paths, `allow_partial = TRUE`, `verify = FALSE`, and those of
#'   remote paths: `max_tries`, `timeout` (seconds), `cache_dir`, `token`, `endpoint`, ...
#' @return A `taco_dataset`. Its fields are read with `$`: `d$id`, `d$licenses`, `d$extent`, and all others of COLLECTION.json.
#' @seealso [tacore_error] for errors.
#' @examples
#' d <- taco_open(taco_example())
#' d
#' d$licenses
#' @export
taco_open <- function(path, ...) {
  if (!is.character(path) || length(path) == 0 || anyNA(path)) fail("argument", "path: one or more paths expected")
  is_remote <- grepl("^[a-z0-9]+://|^/vsi", path)
  path[!is_remote] <- path.expand(path[!is_remote])
  new_dataset(checked(.Call(r_open, path, options_of(...))))
}

#' Path of the example dataset
#'
#' A small dataset that comes with the package: 6 tiles of Landsat, each with the images `optical`, `dem` and `mask`.
#' @return A path.
#' @examples
#' taco_example()
#' @export
taco_example <- function() system.file("extdata", "landsat_nested.tacozip", package = "tacore", mustWork = TRUE)

#' Concatenate datasets
#'
#' @param ... Datasets, each with its filters.
#' @param mode Columns of the result: those that all have (`"intersection"`), all with nulls (`"fill_missing"`), or an error when
#'   they differ (`"strict"`).
#' @return A `taco_dataset` with the rows of all, one after the other.
#' @examples
#' d <- taco_open(taco_example())
#' nrow(taco_rows(taco_concat(d, d)))
#' @export
taco_concat <- function(..., mode = "intersection") {
  new_dataset(checked(.Call(r_concat, lapply(list(...), pointer_of), mode)))
}

#' Filter a dataset
#'
#' `taco_sql()` keeps the rows of a SELECT statement over `data` (the dataset as it is filtered so far), `level0`, `level1`, ...
#' `taco_filter_bbox()` keeps samples whose place meets a box, `taco_filter_datetime()` those within a range of time. Nothing runs
#' before rows are needed.
#'
#' @param x A `taco_dataset`.
#' @param query SQL, such as `"SELECT * FROM data WHERE cloud < 20"`.
#' @param bbox West, south, east, north in degrees, or an object of sf or terra that has a box in degrees (`sf::st_bbox()`,
#'   `terra::ext()`). West beyond east crosses the antimeridian.
#' @param range `"2023-06-01/2023-08-31"` (both ends included), `"2023-06"`, or two dates or times of R.
#' @param column Column of places or times; NULL takes the standard one.
#' @param level Level whose samples are compared, from 0. Samples of level 0 remain that have such a descendant.
#' @return A `taco_dataset`.
#' @examples
#' d <- taco_open(taco_example())
#' d |> taco_sql("SELECT * FROM data WHERE vegetation > 0.2") |> taco_rows()
#' d |> taco_filter_bbox(c(-34.87, -8.01, -34.85, -7.98)) |> taco_rows()
#' d |> taco_filter_datetime("2000") |> taco_rows()
#' @export
taco_sql <- function(x, query) new_dataset(checked(.Call(r_sql, pointer_of(x), query)))

#' @rdname taco_sql
#' @export
taco_filter_bbox <- function(x, bbox, column = NULL, level = 0) {
  if (inherits(bbox, "SpatExtent")) bbox <- as.vector(bbox)[c("xmin", "ymin", "xmax", "ymax")]
  if (inherits(bbox, c("sf", "sfc", "sfg"))) bbox <- sf::st_bbox(bbox)
  if (inherits(bbox, "bbox") && !isTRUE(is.na(sf::st_crs(bbox))) && !sf::st_is_longlat(sf::st_crs(bbox))) {
    bbox <- sf::st_bbox(sf::st_transform(sf::st_as_sfc(bbox), 4326))
  }
  if (!is.numeric(bbox) || length(bbox) != 4 || anyNA(bbox)) fail("query", "bbox: west, south, east, north in degrees expected")
  new_dataset(checked(.Call(r_filter_bbox, pointer_of(x), as.double(bbox), column, level)))
}

#' @rdname taco_sql
#' @export
taco_filter_datetime <- function(x, range, column = NULL, level = 0) {
  if (!is.character(range)) range <- moment(range)
  new_dataset(checked(.Call(r_filter_datetime, pointer_of(x), paste(range, collapse = "/"), column, level)))
}

#' Statistics of bands
#'
#' @param x A `taco_dataset`, or rows of one.
#' @param bands Bands, from 1; NULL for all.
#' @param compute FALSE aggregates the statistics that samples store, TRUE reads all pixels.
#' @param quantiles Quantiles, between 0 and 1.
#' @param ... Options: `child` (path of ids below each row); of stored ones `level`, `id`; of computed ones `on_error = "skip"`,
#'   `jobs`.
#' @return A data frame with a row for each band, in the units of the pixels: `band`, `min`, `max`, `mean`, `std`, a column for each
#'   quantile.
#' @examples
#' d <- taco_open(taco_example())
#' taco_statistics(taco_rows(d), child = "optical", compute = TRUE, quantiles = c(0.02, 0.98))
#' @export
taco_statistics <- function(x, bands = NULL, compute = FALSE, quantiles = NULL, ...) {
  how <- options_of(bands = if (!is.null(bands)) I(bands), quantiles = if (!is.null(quantiles)) I(quantiles),
                    compute = if (compute) TRUE, ...)
  found <- if (inherits(x, "taco_rows") || compute) checked(.Call(r_frame_statistics, frame_of(x), how))
           else checked(.Call(r_statistics, pointer_of(x), how))
  if (compute && length(found$failures) > 0) {
    warning(length(found$failures), " samples were left out: ", found$failures[[1]]$message, call. = FALSE)
  }
  found <- if (compute) found$bands else found
  numbers <- c("band", "num_pixels", "num_valid", "min", "max", "mean", "std")
  columns <- lapply(numbers, function(name) vapply(found, function(band) as.double(band[[name]] %||% NA), 0))
  out <- as.data.frame(stats::setNames(columns, numbers))
  out <- out[, !vapply(out, function(column) all(is.na(column)), NA), drop = FALSE]
  for (i in seq_along(quantiles)) {
    out[[paste0("q", 100 * quantiles[i])]] <- vapply(found, function(band) as.double(band$quantiles[[i]] %||% NA), 0)
  }
  out
}

`%||%` <- function(x, y) if (is.null(x)) y else x

#' Describe a dataset
#'
#' @param x A `taco_dataset`.
#' @param form `"markdown"`, `"html"`, `"stac"`, `"croissant"`, `"datacite"` or `"datacard"`.
#' @param ... Options, such as `base_url`, `checksums = FALSE`, `thumbnails` (a number).
#' @return A text.
#' @examples
#' d <- taco_open(taco_example())
#' cat(substr(taco_describe(d), 1, 200))
#' @export
taco_describe <- function(x, form = "markdown", ...) checked(.Call(r_describe, pointer_of(x), form, options_of(...)))

#' What a dataset consists of
#'
#' @param x A `taco_dataset`.
#' @return A list: `path`, `format`, `num_rows`, `levels` (number of rows and columns of each, before filters), `pit_schema`,
#'   `extent`, `files`.
#' @examples
#' taco_about(taco_open(taco_example()))$format
#' @export
taco_about <- function(x) checked(.Call(r_about, pointer_of(x)))

#' @export
`$.taco_dataset` <- function(x, name) collection_of(x)[[name]]
#' @export
`[[.taco_dataset` <- function(x, i, ...) collection_of(x)[[i]]
#' @export
names.taco_dataset <- function(x) names(collection_of(x))
collection_of <- function(x) .Call(r_collection, unclass(x)$pointer)
#' @importFrom utils .DollarNames
#' @export
.DollarNames.taco_dataset <- function(x, pattern = "") grep(pattern, names(x), value = TRUE)
#' @export
print.taco_dataset <- function(x, ...) {
  about <- taco_about(x)
  from <- collection_of(x)
  line <- function(name, text) {
    if (length(text) > 0 && !all(is.na(text))) cat(formatC(name, width = -9), paste(text, collapse = ", "), "\n")
  }
  box <- about$extent$spatial
  cat("<taco_dataset> ", from$id, " (", about$format, ")\n", sep = "")
  line("", strtrim(from$description, 100))
  line("version", from$dataset_version)
  line("licence", from$licenses)
  line("tasks", from$tasks)
  line("place", if (length(box) == 4) sprintf("%.2f to %.2f east, %.2f to %.2f north", box[1], box[3], box[2], box[4]))
  line("time", if (length(about$extent$temporal) == 2) paste(substr(about$extent$temporal, 1, 10), collapse = " to "))
  for (i in seq_along(about$levels)) {
    level <- about$levels[[i]]
    columns <- vapply(level$columns, function(column) column$name, "")
    line(paste("level", i - 1), paste0(level$num_rows, " rows: ", strtrim(paste(columns, collapse = ", "), 90)))
  }
  invisible(x)
}

#' @export
summary.taco_dataset <- function(object, ...) {
  about <- taco_about(object)
  levels <- data.frame(level = seq_along(about$levels) - 1,
                       num_rows = vapply(about$levels, function(level) level$num_rows, 0),
                       num_columns = vapply(about$levels, function(level) length(level$columns), 0L))
  structure(list(id = object$id, format = about$format, extent = about$extent, levels = levels,
                 columns = summary(as.data.frame(taco_rows(object), place = FALSE))), class = "summary.taco_dataset")
}

#' @export
print.summary.taco_dataset <- function(x, ...) {
  cat(x$id, " (", x$format, ")\n", sep = "")
  print(x$levels, row.names = FALSE)
  print(x$columns)
  invisible(x)
}
