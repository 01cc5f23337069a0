test_that("a dataset prints on one screen, and its fields are read with $", {
  d <- taco_open(taco_example())
  shown <- capture.output(print(d))
  expect_lt(length(shown), 24)
  expect_match(shown[1], "landsat_nested (zip)", fixed = TRUE)
  expect_equal(d$licenses, "CC-PDM-1.0")
  expect_true(all(c("id", "tasks", "providers") %in% names(d)))
  expect_null(d$nothing)
  expect_match(capture.output(print(summary(d))), "landsat_nested", all = FALSE)
})

test_that("filters, one after another, keep what a loop keeps", {
  d <- taco_open(taco_example())
  x <- taco_rows(d)
  by_sql <- taco_rows(taco_sql(d, "SELECT * FROM data WHERE vegetation > 0.1 AND water = 0"))
  expect_equal(by_sql$id, x$id[x$vegetation > 0.1 & x$water == 0])
  middle <- t(vapply(x$`stac:centroid`, tacore:::middle_of, c(0, 0)))
  box <- c(min(middle[, 1]), min(middle[, 2]), mean(middle[, 1]), max(middle[, 2]))
  inside <- middle[, 1] >= box[1] & middle[, 1] <= box[3] & middle[, 2] >= box[2] & middle[, 2] <= box[4]
  expect_true(any(inside) && !all(inside))
  expect_equal(taco_rows(taco_filter_bbox(d, box))$id, x$id[inside])
  expect_equal(nrow(taco_rows(taco_filter_datetime(d, "2000"))), 6)
  expect_equal(nrow(taco_rows(taco_filter_datetime(d, as.Date(c("2001-01-01", "2002-01-01"))))), 0)
  expect_equal(nrow(taco_rows(taco_filter_datetime(d, as.POSIXct(c("1999-01-01", "2000-06-01"), tz = "UTC")))), 6)
  expect_equal(nrow(taco_rows(taco_concat(d, taco_sql(d, "SELECT * FROM data WHERE water > 0")))), 6 + sum(x$water > 0))
})

test_that("errors are conditions of their classes, with where they happened", {
  error <- expect_error(taco_open("none.tacozip"), class = "tacore_not_found_error")
  expect_s3_class(error, "tacore_io_error")
  expect_match(error$path, "none.tacozip")
  damaged <- tempfile(fileext = ".tacozip")
  writeBin(readBin(taco_example(), "raw", 5000), damaged)
  error <- expect_error(taco_open(damaged), class = "tacore_format_error")
  expect_match(conditionMessage(error), basename(damaged), fixed = TRUE)
  d <- taco_open(taco_example())
  expect_error(taco_rows(taco_sql(d, "SELECT nothing FROM data")), "nothing", class = "tacore_query_error")
  expect_error(taco_open(taco_example(), verfiy = TRUE), "known are", class = "tacore_argument_error")
  expect_error(taco_open(character()), class = "tacore_argument_error")
  expect_error(taco_filter_bbox(d, c(1, 2)), class = "tacore_query_error")
  expect_error(taco_sql(3, "SELECT"), class = "tacore_argument_error")
  expect_error(taco_open("http://user:secret@127.0.0.1:1/a.tacozip", max_tries = 1), class = "tacore_io_error")
  message <- tryCatch(taco_open("http://user:secret@127.0.0.1:1/a.tacozip", max_tries = 1), error = conditionMessage)
  expect_no_match(message, "secret")
})

test_that("a source that changes or vanishes after it was opened is an error", {
  file <- tempfile(fileext = ".tacozip")
  file.copy(taco_example(), file)
  x <- taco_rows(taco_open(file))
  bytes <- readBin(file, "raw", file.size(file))
  writeBin(bytes[1:1000], file)
  expect_error(taco_bytes(x, 6, "mask"), class = "tacore_error")
  unlink(file)
  expect_error(taco_bytes(x, 6, "optical"), class = "tacore_error")
})

test_that("statistics of pixels are those of the pixels", {
  x <- example()
  found <- taco_statistics(x, bands = c(4, 1), child = "optical", compute = TRUE, quantiles = 0.5)
  for (k in 1:2) {
    pixels <- unlist(lapply(1:6, function(i) taco_pixels(x, i, "optical", bands = c(4, 1)[k])))
    expect_equal(found$band[k], c(4, 1)[k])
    expect_equal(found$mean[k], mean(pixels))
    expect_equal(found$std[k], sqrt(mean((pixels - mean(pixels))^2)))
    expect_equal(c(found$min[k], found$max[k]), range(pixels))
    expect_lt(abs(found$q50[k] - median(pixels)), 1.5)
  }
})

test_that("messages of the library are warnings", {
  expect_warning(taco_create(chips(), tempfile(fileext = ".tacozip"), about), "location")
})

test_that("JSON is read and written without loss", {
  value <- list(a = "\u00e9 \"quoted\" \\ \n\t\u65e5", b = c(1.5, NA, -3), c = I("one"), d = TRUE, e = list(list(x = 1), list(y = "z")))
  back <- .Call(tacore:::r_parse_json, tacore:::to_json(value))
  expect_equal(back$a, value$a)
  expect_equal(back$b, value$b)
  expect_equal(back$c, "one")
  expect_equal(back$e, value$e)
  expect_equal(.Call(tacore:::r_parse_json, '{"x": "\\ud834\\udd1e\\u00e9", "y": [], "z": [[1, 2], [3]]}')$x, "\U0001D11E\u00e9")
})
