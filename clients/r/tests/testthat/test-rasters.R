test_that("pixels are those of terra", {
  x <- example()
  p <- taco_pixels(x, 2, "optical")
  expect_equal(dim(p), c(64, 64, 6))
  expect_type(p, "integer")
  expect_equal(taco_pixels(x, 2, "optical", bands = c(4, 1), window = c(10, 20, 5, 3)), p[21:23, 11:15, c(4, 1)])
  expect_equal(taco_pixels(x, 2, "optical", bands = 3, scale = c(0.5, 1)), 0.5 * p[, , 3, drop = FALSE] + 1)
  expect_equal(taco_pixels(x, 2, "optical", bands = 2:3, scale = list(2, c(0.5, 1)))[, , 1], 2 * p[, , 2])
  expect_equal(taco_pixels(taco_path(x, 2, "optical")), p)
  expect_error(taco_pixels(x, 2, "optical", bands = 7), "7", class = "tacore_query_error")
  expect_error(taco_pixels(x, 2, "optical", window = c(60, 60, 10, 10)), class = "tacore_query_error")
  expect_error(taco_pixels(x, 2, "optical", window = c(0, 0, -1, 10)), class = "tacore_query_error")
  skip_if_not_installed("terra")
  for (child in c("optical", "dem", "mask")) {
    expect_equal(unname(terra::as.array(terra::rast(taco_path(x, 2, child)))), taco_pixels(x, 2, child) + 0)
  }
})

test_that("pixels without data are NA", {
  skip_if_not_installed("terra")
  for (type in c("INT2S", "FLT4S", "INT1U", "INT4S", "FLT8S")) {
    file <- tempfile(fileext = ".tif")
    values <- matrix(1:12, 3)
    values[2, 3] <- NA
    r <- terra::rast(values)
    terra::writeRaster(r, file, datatype = type, NAflag = 99)
    expect_equal(is.na(taco_pixels(file)[, , 1]), is.na(values))
    expect_equal(taco_pixels(file)[, , 1] + 0, values + 0)
    expect_equal(taco_pixels(file, na = FALSE)[2, 3, 1] + 0, 99)
    expect_equal(taco_pixels(file, scale = c(2, 1))[, , 1], 2 * values + 1)
  }
})

test_that("rasters tell what they are, and make pictures", {
  x <- example()
  about <- taco_raster(x, 1, "optical")
  expect_equal(about[c("width", "height", "bands")], list(width = 64, height = 64, bands = 6))
  expect_equal(about$dtype, "uint8")
  expect_equal(taco_preview(x, 1, "optical", bands = c(3, 2, 1), size = 32)[2:4], charToRaw("PNG"))
  picture <- tempfile(fileext = ".txt")
  writeLines("no image", picture)
  expect_error(taco_pixels(picture), class = "tacore_unsupported_error")
})

test_that("plots are drawn", {
  x <- example()
  file <- tempfile(fileext = ".png")
  grDevices::png(file)
  taco_plot(x, 1, "optical", bands = c(3, 2, 1))
  taco_plot(x, 1, "mask")
  plot(x)
  plot(x, colour = "vegetation")
  plot(taco_open(taco_example()), colour = "split")
  grDevices::dev.off()
  expect_gt(file.size(file), 1000)
  expect_error(plot(x, colour = "nothing"), class = "tacore_query_error")
  expect_error(plot(x[, "id", drop = FALSE]), class = "tacore_query_error")
})

test_that("batches hold each sample once, and continue", {
  x <- example()
  epoch <- function(...) {
    batches <- taco_batches(x, c("optical/4,3", "mask"), batch_size = 4, ...)
    out <- list()
    while (!is.null(batch <- taco_next(batches))) out <- c(out, list(batch))
    out
  }
  whole <- epoch(seed = 3)
  positions <- unlist(lapply(whole, `[[`, "positions"))
  expect_setequal(positions, 1:6)
  expect_equal(dim(whole[[1]]$tensors[[1]]), c(64, 64, 2, 4))
  for (k in 1:4) {
    expect_equal(whole[[1]]$tensors[[1]][, , , k], taco_pixels(x, positions[k], "optical", bands = 4:3))
    expect_equal(whole[[1]]$tensors[[2]][, , 1, k], taco_pixels(x, positions[k], "mask")[, , 1])
  }
  rest <- epoch(seed = 3, start = whole[[1]]$next_start)
  expect_equal(unlist(lapply(rest, `[[`, "positions")), positions[5:6])
  expect_equal(unlist(lapply(epoch(), `[[`, "positions")), 1:6)
  expect_length(taco_batches(x, "mask", batch_size = 4), 2)
  expect_error(taco_batches(x, "nothing"), class = "tacore_navigation_error")
  expect_error(taco_batches(x, "mask", batch_sise = 2), class = "tacore_argument_error")
  filtered <- x[c(6, 2), ]
  expect_equal(taco_next(taco_batches(filtered, "mask"))$tensors[[1]][, , 1, 1], taco_pixels(x, 6, "mask")[, , 1])
  scaled <- taco_next(taco_batches(x, list(list(path = "optical", bands = 1, window = c(0, 0, 8, 4), scale = 0.5)), batch_size = 2))
  expect_equal(scaled$tensors[[1]][, , 1, 1], 0.5 * taco_pixels(x, 1, "optical", bands = 1, window = c(0, 0, 8, 4))[, , 1])
})
