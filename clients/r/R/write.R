#' Write a dataset
#'
#' Makes a dataset of a data frame, a folder or a table of samples. It appears whole or not at all.
#'
#' @param samples A data frame with the columns `id` (`"tile/band"` for a child) and `path` (a file) or `data` (a list of raw vectors, the
#'   bytes themselves), all other columns being metadata; a column of sf becomes a geometry. Or the path of a folder, or of a table
#'   (`.parquet`, `.csv`, `.jsonl`, `.geojson`).
#' @param output Path: a ZIP when it ends in `.tacozip`, else a folder.
#' @param collection What the dataset says of itself: a list with at least `id`, `licenses`, `providers`, `tasks` and `description`.
#' @param ... Options: `extensions` (such as `"stac=2023-06-01"`), `overwrite = TRUE`, `split_size = "4GB"`, `group_by`, `tog = TRUE`
#'   (stores GeoTIFFs tiled and compressed with ZSTD), `places = FALSE` (leaves out places of the rasters), `id_column`,
#'   `path_column`, `time_column`, `rename` (a list) and `separator` of a table, `jobs`.
#' @return The paths of its files, invisibly.
#' @examples
#' chips <- data.frame(id = c("a", "b"), label = c("water", NA))
#' chips$data <- list(charToRaw("first"), charToRaw("second"))
#' output <- tempfile(fileext = ".tacozip")
#' taco_create(chips, output, list(id = "chips", description = "Two chips", licenses = "CC-BY-4.0",
#'                                 providers = "Example", tasks = "classification"), places = FALSE)
#' taco_open(output)
#' @export
taco_create <- function(samples, output, collection, ...) {
  given <- list(...)
  of_table <- names(given) %in% c("id_column", "path_column", "time_column", "rename", "separator")
  table <- do.call(options_of, given[of_table])
  pointer <- if (is.character(samples)) checked(.Call(r_samples_from_path, path.expand(samples), table))
             else checked(.Call(r_samples_from_rows, columns_for(samples), table))
  how <- do.call(options_of, given[!of_table])
  paths <- checked(.Call(r_create, pointer, path.expand(output), to_json(collection_for(collection)), how))
  invisible(unlist(paths))
}

# The columns of a data frame as C takes them: geometries as WKB, data frames within as columns of their own name.
columns_for <- function(samples) {
  if (!is.data.frame(samples)) {
    fail("argument", "samples: a data frame or a path expected, not ", class(samples)[1], call = sys.call(-1))
  }
  columns <- as.list(unplaced(samples))
  attributes(columns) <- list(names = names(columns))
  columns[["internal:gdal_vsi"]] <- NULL
  for (name in names(columns)) {
    column <- columns[[name]]
    if (inherits(column, "sfc")) columns[[name]] <- unclass(sf::st_as_binary(sf::st_transform(column, 4326)))
    if (inherits(column, "POSIXlt")) columns[[name]] <- as.POSIXct(column)
    if (is.data.frame(column)) {
      fail("schema", "column '", name, "' is a data frame; give its columns names of their own", call = sys.call(-1))
    }
  }
  columns
}

# Short forms: providers by name alone, one licence or task, a version.
collection_for <- function(collection) {
  if (is.null(collection$dataset_version)) collection$dataset_version <- "1.0.0"
  for (name in intersect(c("licenses", "tasks", "keywords"), names(collection))) {
    collection[[name]] <- I(as.character(unlist(collection[[name]])))
  }
  for (name in c("providers", "curators")) {
    given <- collection[[name]]
    if (is.character(given)) collection[[name]] <- lapply(unname(given), function(each) list(name = each))
    else if (!is.null(names(given))) collection[[name]] <- list(given)
  }
  collection
}

#' Export a dataset
#'
#' Writes the rows of a dataset, with its filters, as a new dataset.
#'
#' @param x A `taco_dataset`, or rows of one.
#' @inheritParams taco_create
#' @return The paths of its files, invisibly.
#' @examples
#' d <- taco_open(taco_example())
#' output <- tempfile(fileext = ".tacozip")
#' taco_export(taco_sql(d, "SELECT * FROM data WHERE vegetation > 0.2"), output)
#' nrow(taco_rows(taco_open(output)))
#' @export
taco_export <- function(x, output, ...) {
  pointer <- if (inherits(x, "taco_rows")) checked(.Call(r_frame_dataset, frame_of(x))) else pointer_of(x)
  invisible(unlist(checked(.Call(r_export, pointer, path.expand(output), options_of(...)))))
}

run <- function(operation, ...) checked(.Call(r_run, operation, options_of(...) %||% "{}"), call = sys.call(-1))

#' Work on dataset files
#'
#' `taco_validate()` checks a dataset by the rules of the specification; `taco_convert()` changes its format (ZIP, folder, versions 0.x);
#' `taco_edit()` changes COLLECTION.json and columns in place; `taco_diff()` compares two; `taco_index()` makes a `.tacocat` over several,
#' `taco_collect()` a TACOLLECTION.json; `taco_sync()` copies to a chunk store or from one; `taco_describe_files()` writes descriptions;
#' `taco_tog()` stores a GeoTIFF tiled and compressed; `taco_header()` writes an index of the TIFFs of a dataset.
#'
#' @param path,input,a,b,from,to Paths of datasets (`taco_tog()`: of GeoTIFFs).
#' @param inputs Paths of several datasets.
#' @param output Path of what is written.
#' @param deep TRUE reads all data.
#' @param set A named list of members of COLLECTION.json and their new values.
#' @param ... Options of the operation; docs/c.md lists them.
#' @return `taco_validate()`: a data frame of `rule`, `severity`, `message`, `path`, `level`, with the attribute `is_valid`.
#'   `taco_diff()`: a list with `equal` and the differences. `taco_sync()` and `taco_header()`: a list of numbers. Others: the paths
#'   of what was written, invisibly.
#' @examples
#' taco_validate(taco_example())
#' folder <- tempfile()
#' taco_convert(taco_example(), folder)
#' taco_diff(taco_example(), folder)$equal
#' @name taco_operations
NULL

#' @rdname taco_operations
#' @export
taco_validate <- function(path, deep = FALSE, ...) {
  found <- run("validate", path = path, deep = deep, ...)
  field <- function(name) vapply(found$issues, function(issue) as.character(issue[[name]] %||% NA), "")
  out <- data.frame(rule = field("rule"), severity = field("severity"), message = field("message"), path = field("path"),
                    level = as.integer(field("level")))
  structure(out, is_valid = found$is_valid)
}

#' @rdname taco_operations
#' @export
taco_convert <- function(input, output, ...) invisible(unlist(run("convert", input = input, output = output, ...)$paths))
#' @rdname taco_operations
#' @export
taco_edit <- function(path, set = NULL, ...) {
  run("edit", path = path, set = set, ...)
  invisible(path)
}
#' @rdname taco_operations
#' @export
taco_diff <- function(a, b, ...) run("diff", a = a, b = b, ...)
#' @rdname taco_operations
#' @export
taco_index <- function(inputs, output = NULL, ...) invisible(run("index", inputs = I(inputs), output = output, ...)$path)
#' @rdname taco_operations
#' @export
taco_collect <- function(inputs, output = NULL, ...) invisible(run("collect", inputs = I(inputs), output = output, ...)$path)
#' @rdname taco_operations
#' @export
taco_sync <- function(from, to, ...) run("sync", from = from, to = to, ...)
#' @rdname taco_operations
#' @export
taco_describe_files <- function(path, output, ...) invisible(run("describe", path = path, output = output, ...)$path)
#' @rdname taco_operations
#' @export
taco_tog <- function(input, output, ...) invisible(run("tog", input = input, output = output, ...)$path)
#' @rdname taco_operations
#' @export
taco_header <- function(path, ...) run("header", path = path, ...)

#' Options of the session, and versions
#'
#' @param ... Options of remote paths (`max_tries`, `timeout`, `token`, `cache_dir`, ...), and `verbose`: TRUE, FALSE, `"info"` or `"debug"`.
#' @return `taco_version()`: the versions of the library and of its interface.
#' @examples
#' taco_set_options(max_tries = 3, timeout = 10)
#' taco_version()
#' @export
taco_set_options <- function(...) invisible(checked(.Call(r_set_options, options_of(...))))

#' @rdname taco_set_options
#' @export
taco_version <- function() stats::setNames(.Call(r_version), c("library", "interface"))
