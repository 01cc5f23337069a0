# Other packages, each where it is installed: sf, tibble, dplyr, nanoarrow. Their generics are registered when they are loaded.

places <- c("istac:geometry", "stac:centroid", "istac:centroid")

#' Rows in other packages
#'
#' `sf::st_as_sf()` gives rows with a geometry, of the first of the columns istac:geometry, stac:centroid and istac:centroid;
#' `tibble::as_tibble()` a tibble that keeps its place in the dataset; `nanoarrow::as_nanoarrow_array_stream()` a stream with the types
#' of the dataset; `terra::rast(taco_path(x, i))` opens an image in place.
#'
#' @param x A `taco_dataset` or rows of one.
#' @param geometry Column of the geometry; NULL for the first that there is.
#' @param schema,... As in the generic function.
#' @return What the generic function gives.
#' @examples
#' d <- taco_open(taco_example())
#' if (requireNamespace("sf", quietly = TRUE)) sf::st_as_sf(taco_rows(d))["id"]
#' @name taco_others
NULL

#' @rdname taco_others
#' @exportS3Method sf::st_as_sf
st_as_sf.taco_rows <- function(x, ..., geometry = NULL) {
  if (is.null(geometry)) geometry <- intersect(places, names(x))[1]
  if (is.na(geometry) || !geometry %in% names(x)) fail("query", "no column of places: ", paste(places, collapse = ", "))
  out <- unplaced(x)
  wkb <- lapply(out[[geometry]], function(each) if (is.null(each)) sf::st_as_binary(sf::st_point()) else each)
  out[[geometry]] <- sf::st_as_sfc(structure(wkb, class = "WKB"), crs = 4326)
  sf::st_sf(out, sf_column_name = geometry)
}

#' @rdname taco_others
#' @exportS3Method sf::st_as_sf
st_as_sf.taco_dataset <- function(x, ..., geometry = NULL) st_as_sf.taco_rows(taco_rows(x), geometry = geometry)

#' @exportS3Method tibble::as_tibble
as_tibble.taco_rows <- function(x, ...) {
  placed(tibble::as_tibble(unplaced(x), ...), attr(x, "taco_frame"), attr(x, "taco_positions"))
}
#' @exportS3Method tibble::as_tibble
as_tibble.taco_dataset <- function(x, ...) as_tibble.taco_rows(taco_rows(x), ...)

#' @rdname taco_others
#' @exportS3Method nanoarrow::as_nanoarrow_array_stream
as_nanoarrow_array_stream.taco_rows <- function(x, ..., schema = NULL) {
  stream <- nanoarrow::nanoarrow_allocate_array_stream()
  checked(.Call(r_frame_stream, frame_of(x), stream))
  stream
}
#' @exportS3Method nanoarrow::as_nanoarrow_array_stream
as_nanoarrow_array_stream.taco_dataset <- function(x, ..., schema = NULL) as_nanoarrow_array_stream.taco_rows(taco_rows(x))

# dplyr: filter, arrange, slice and distinct choose rows by number; mutate and select change columns alone; joins, summaries and
# others go through dplyr_reconstruct().

#' @exportS3Method dplyr::dplyr_row_slice
dplyr_row_slice.taco_rows <- function(data, i, ...) data[i, , drop = FALSE]
#' @exportS3Method dplyr::dplyr_col_modify
dplyr_col_modify.taco_rows <- function(data, cols) {
  placed(dplyr::dplyr_col_modify(unplaced(data), cols), attr(data, "taco_frame"), attr(data, "taco_positions"))
}
#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.taco_rows <- function(data, template) dplyr::dplyr_reconstruct(unplaced(data), unplaced(template))
