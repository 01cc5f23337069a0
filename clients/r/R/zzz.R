#' tacore: datasets of Earth observation images in the TACO format
#'
#' Start with [taco_open()]; [taco_sql()], [taco_filter_bbox()] and [taco_filter_datetime()] filter, [taco_rows()] gives a data frame,
#' [taco_pixels()] an image, [taco_batches()] many, and [taco_create()] writes a dataset. `vignette("tacore")` shows all of it.
#'
#' @keywords internal
#' @useDynLib tacore, .registration = TRUE
#' @importFrom stats setNames
"_PACKAGE"

.onLoad <- function(libname, pkgname) {
  if (!.Call(r_fits)) stop("libtacore_c ", .Call(r_version)[2], " does not fit this package; install the package again")
}

.onUnload <- function(libpath) library.dynam.unload("tacore", libpath)
