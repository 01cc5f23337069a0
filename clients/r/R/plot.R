#' Plot samples
#'
#' `taco_plot()` shows the pixels of a sample, each band stretched between its 2nd and 98th percentile: three bands in colour, one in
#' grey. `plot()` of rows or a dataset shows where its samples are.
#'
#' @param x Rows of a dataset, or a `taco_dataset`.
#' @param i,child,bands As in [taco_pixels()]; without `bands` the first three, or the first alone.
#' @param main,... Title and other arguments of [graphics::plot()].
#' @param colour Column by which places are coloured.
#' @return NULL, invisibly.
#' @examples
#' x <- taco_rows(taco_open(taco_example()))
#' taco_plot(x, 1, "optical", bands = c(3, 2, 1))
#' plot(x, colour = "vegetation")
#' @export
taco_plot <- function(x, i = 1, child = NULL, bands = NULL, main = NULL, ...) {
  if (inherits(x, "taco_dataset")) x <- taco_rows(x)
  if (is.null(bands)) bands <- if (taco_raster(x, i, child)$bands >= 3) 1:3 else 1
  pixels <- taco_pixels(x, i, child, bands = bands)
  storage.mode(pixels) <- "double"
  for (band in seq_along(bands)) {
    limits <- stats::quantile(pixels[, , band], c(0.02, 0.98), na.rm = TRUE, names = FALSE)
    pixels[, , band] <- if (limits[2] > limits[1]) pmin(pmax((pixels[, , band] - limits[1]) / diff(limits), 0), 1) else 0.5
  }
  is_missing <- is.na(rowSums(pixels, dims = 2))
  pixels[is.na(pixels)] <- 0
  colours <- if (length(bands) < 3) grDevices::grey(pixels[, , 1])
             else grDevices::rgb(pixels[, , 1], pixels[, , 2], pixels[, , 3])
  colours[is_missing] <- NA
  picture <- matrix(colours, nrow(pixels))
  if (is.null(main)) main <- paste(c(x$id[if (is.character(i)) match(i, x$id) else i], child), collapse = "/")
  old <- graphics::par(mar = c(0.5, 0.5, 2.5, 0.5))
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(c(0, ncol(picture)), c(0, nrow(picture)), asp = 1)
  graphics::rasterImage(picture, 0, 0, ncol(picture), nrow(picture), interpolate = FALSE)
  graphics::title(main, ...)
  invisible()
}

#' @rdname taco_plot
#' @export
plot.taco_rows <- function(x, ..., colour = NULL, main = NULL) {
  column <- intersect(places, names(x))[1]
  if (is.na(column)) fail("query", "no column of places: ", paste(places, collapse = ", "))
  points <- t(vapply(x[[column]], middle_of, c(0, 0)))
  shown <- !is.na(points[, 1])
  fill <- "#1B6CA8"
  if (!is.null(colour)) {
    values <- x[[colour]]
    if (is.null(values)) fail("query", "no column ", colour)
    palette <- grDevices::hcl.colors(if (is.numeric(values)) 64 else max(length(unique(values)), 1), "viridis")
    range <- if (is.numeric(values)) range(values, na.rm = TRUE)
    fill <- if (is.numeric(values)) palette[1 + round(63 * (values - range[1]) / max(diff(range), 1e-300))]
            else palette[match(values, sort(unique(values)))]
  }
  old <- graphics::par(mar = c(4, 5.5, 2.5, if (is.null(colour)) 1 else 9), las = 1)
  on.exit(graphics::par(old))
  middle <- mean(points[shown, 2])
  graphics::plot(points[shown, , drop = FALSE], pch = 21, bg = fill[if (length(fill) > 1) shown else 1], col = "white", cex = 1.6,
                 asp = 1 / cos(middle * pi / 180), xlab = "Longitude (degrees east)", ylab = "", bty = "l",
                 main = main %||% paste(sum(shown), "samples"), ...)
  graphics::title(ylab = "Latitude (degrees north)", line = 4.2)
  if (!is.null(colour)) {
    corner <- graphics::par("usr")
    labels <- if (is.numeric(values)) signif(seq(range[1], range[2], length.out = 5), 3) else sort(unique(values))
    boxes <- if (is.numeric(values)) palette[c(1, 16, 32, 48, 64)] else palette
    graphics::legend(corner[2], corner[4], legend = labels, fill = boxes, title = colour, title.adj = 0,
                     bty = "n", border = NA, xpd = NA)
  }
  invisible()
}

#' @rdname taco_plot
#' @export
plot.taco_dataset <- function(x, ..., colour = NULL, main = NULL) {
  plot.taco_rows(taco_rows(x), ..., colour = colour, main = main %||% x$id)
}

# Longitude and latitude of the middle of a geometry in WKB: of a point itself, of others the mean of their first ring.
middle_of <- function(wkb) {
  if (length(wkb) < 21) return(c(NA_real_, NA_real_))
  endian <- if (wkb[1] == 1) "little" else "big"
  number <- function(at, n = 1) readBin(wkb[at:(at + 4 * n - 1)], "integer", n, 4, endian = endian)
  kind <- number(2) %% 1000
  if (kind == 1) return(readBin(wkb[6:21], "double", 2, 8, endian = endian))
  start <- if (kind == 3) 10 else if (kind == 6) 19 else return(c(NA_real_, NA_real_))
  n <- number(start)
  ring <- matrix(readBin(wkb[(start + 4):(start + 3 + 16 * n)], "double", 2 * n, 8, endian = endian), 2)
  rowMeans(ring[, -n, drop = FALSE])
}
