# Rows keep their place in the dataset: the frame as an external pointer, and the position of each row in it, from 1. Verbs that
# keep or choose rows keep the positions beside; others drop both, so that no row ever leads to the pixels of another.

new_rows <- function(frame, bigint = getOption("tacore.bigint", "integer64")) {
  columns <- checked(.Call(r_frame_columns, frame, bigint), call = sys.call(-1))
  rows <- structure(columns, class = c("taco_rows", "data.frame"))
  placed(rows, frame, seq_len(nrow(rows)))
}

placed <- function(rows, frame, positions) {
  attr(rows, "taco_frame") <- frame
  attr(rows, "taco_positions") <- positions
  if (!inherits(rows, "taco_rows")) class(rows) <- c("taco_rows", class(rows))
  rows
}

unplaced <- function(rows) {
  attr(rows, "taco_frame") <- attr(rows, "taco_positions") <- NULL
  class(rows) <- setdiff(class(rows), "taco_rows")
  rows
}

# The positions of rows in their frame.
positions_of <- function(x, i = seq_len(nrow(x))) {
  if (!inherits(x, "taco_rows")) {
    fail("argument", "rows of taco_rows() expected; a ", class(x)[1], " has lost its place in the dataset", call = sys.call(-2))
  }
  at <- attr(x, "taco_positions")
  if (length(at) != nrow(x)) {
    fail("argument", "these rows have lost their place in the dataset: there are ", nrow(x), ", and places of ", length(at),
         call = sys.call(-2))
  }
  if (is.character(i)) i <- match(i, x$id)
  if (!is.numeric(i) || anyNA(i) || any(i < 1) || any(i > length(at))) {
    fail("navigation", "row ", paste(utils::head(i, 3), collapse = ", "), " does not exist: there are ", length(at),
         call = sys.call(-2))
  }
  as.double(at[i])
}

# The frame of a dataset or of rows, with the rows in their present order.
frame_of <- function(x) {
  if (inherits(x, "taco_dataset")) return(checked(.Call(r_rows, pointer_of(x), FALSE)))
  at <- positions_of(x)
  frame <- attr(x, "taco_frame")
  if (anyNA(at)) fail("navigation", "some rows are empty, and have no place in the dataset")
  checked(.Call(r_take, frame, at))
}

#' Rows of a dataset
#'
#' Runs the query of a dataset. The rows are a data frame that keeps its place in the dataset: [taco_pixels()], [taco_bytes()] and
#' others take it after `[`, `subset()`, `head()`, `dplyr::filter()`, `arrange()`, `mutate()` and other verbs that keep or choose
#' rows. Verbs that make other rows of them, such as `merge()`, give a plain data frame.
#'
#' @param x A `taco_dataset`.
#' @param raw TRUE keeps all columns `internal:*`.
#' @param level Level whose FILEs `taco_flatten()` gives, each with the columns of its ancestors; NULL for the deepest.
#' @param place FALSE gives a plain data frame.
#' @param ... Not used.
#' @return A data frame of class `taco_rows`. Whole numbers are integer, or numeric where they need it; beyond 2^53 `integer64` of the
#'   package bit64 (`options(tacore.bigint = "double")` or `"character"`). Times are `POSIXct` in UTC, bytes lists of raw vectors.
#' @examples
#' d <- taco_open(taco_example())
#' x <- taco_rows(d)
#' subset(x, vegetation > 0.2, select = c(id, vegetation))
#' taco_flatten(d)$id
#' @export
taco_rows <- function(x, raw = FALSE) new_rows(checked(.Call(r_rows, pointer_of(x), raw)))

#' @rdname taco_rows
#' @export
taco_flatten <- function(x, level = NULL) new_rows(checked(.Call(r_flatten, pointer_of(x), if (is.null(level)) -1 else level)))

#' @rdname taco_rows
#' @export
as.data.frame.taco_dataset <- function(x, ..., place = TRUE) if (place) taco_rows(x) else unplaced(taco_rows(x))

#' @export
as.data.frame.taco_rows <- function(x, ..., place = TRUE) if (place) x else unplaced(x)

#' Children, paths and bytes of rows
#'
#' @param x Rows of a dataset.
#' @param i Rows, by number from 1 or by id.
#' @param child Path of ids below the row, such as `"optical"` or `"tile/red"`; NULL for the row itself.
#' @return `taco_children()`: rows, the children of one FOLDER. `taco_path()`: a path for each row, which GDAL opens
#'   (`terra::rast()`, `sf::read_sf()`). `taco_bytes()`: the bytes of a FILE as a raw vector, or a list of them for several rows.
#' @examples
#' x <- taco_rows(taco_open(taco_example()))
#' taco_children(x, 1)$id
#' taco_path(x, 1, "optical")
#' length(taco_bytes(x, 1, "mask"))
#' @export
taco_children <- function(x, i, child = NULL) {
  at <- positions_of(x, i)
  if (length(at) != 1) fail("navigation", "one row expected, not ", length(at))
  new_rows(checked(.Call(r_children, attr(x, "taco_frame"), at, child)))
}

#' @rdname taco_children
#' @export
taco_path <- function(x, i = seq_len(nrow(x)), child = NULL) {
  checked(.Call(r_paths, attr(x, "taco_frame"), positions_of(x, i), child))
}

#' @rdname taco_children
#' @export
taco_bytes <- function(x, i, child = NULL) {
  found <- checked(.Call(r_read, attr(x, "taco_frame"), positions_of(x, i), child))
  if (length(found) == 1) found[[1]] else found
}

# ---- Verbs of R ----

#' @export
`[.taco_rows` <- function(x, i, j, drop) {
  has_rows <- nargs() - as.integer(!missing(drop)) > 2 && !missing(i)
  at <- attr(x, "taco_positions")
  frame <- attr(x, "taco_frame")
  out <- NextMethod()
  if (!is.data.frame(out)) return(out)
  if (length(at) != nrow(x)) return(unplaced(out))
  if (has_rows) {
    index <- seq_along(at)
    names(index) <- attr(x, "row.names")
    at <- at[index[if (is.factor(i)) as.integer(i) else if (is.matrix(i)) as.vector(i) else i]]
  }
  if (length(at) != nrow(out)) unplaced(out) else placed(out, frame, unname(at))
}

#' @export
`[<-.taco_rows` <- function(x, i, j, value) {
  # Rows that are replaced as a whole are other rows.
  if (is.data.frame(value) && nargs() > 3) x <- unplaced(x)
  out <- NextMethod()
  is_placed <- length(attr(out, "taco_positions")) == nrow(out) && identical(out[["id"]], x[["id"]])
  if (inherits(out, "taco_rows") && !is_placed) unplaced(out) else out
}

#' @export
rbind.taco_rows <- function(..., deparse.level = 1) {
  parts <- list(...)
  frames <- lapply(parts, attr, "taco_frame")
  out <- do.call(rbind, lapply(parts, unplaced))
  if (!all(vapply(frames, identical, NA, frames[[1]]))) return(out)
  placed(out, frames[[1]], unlist(lapply(parts, attr, "taco_positions")))
}

#' @export
merge.taco_rows <- function(x, y, ...) {
  merge(unplaced(x), if (inherits(y, "taco_rows")) unplaced(y) else y, ...)
}

# Changes columns alone.
#' @export
transform.taco_rows <- function(`_data`, ...) {
  placed(NextMethod(), attr(`_data`, "taco_frame"), attr(`_data`, "taco_positions"))
}

#' @export
unique.taco_rows <- function(x, incomparables = FALSE, ...) x[!duplicated(unplaced(x), incomparables, ...), ]

#' @export
print.taco_rows <- function(x, n = 10, ...) {
  shown <- utils::head(unplaced(x), n)
  for (name in names(shown)) {
    column <- shown[[name]]
    if (is.data.frame(column)) column <- "{...}" else if (is.list(column)) column <- brief(column)
    if (is.character(column)) column <- ifelse(nchar(column) > 30, paste0(substr(column, 1, 27), "..."), column)
    shown[[name]] <- column
  }
  print.data.frame(shown, ...)
  cat("# ", nrow(x), " rows, ", ncol(x), " columns, at their place in a dataset\n", sep = "")
  invisible(x)
}

# Each element of a list column in a few characters.
brief <- function(column) {
  vapply(column, function(each) {
    if (is.null(each)) "NA" else if (is.raw(each)) paste0("<", length(each), " bytes>")
    else if (length(each) > 4) paste0("[", length(each), " values]") else paste0("[", paste(unlist(each), collapse = ", "), "]")
  }, "")
}
