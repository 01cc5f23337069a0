# Each check of a place compares bytes of the row with bytes that are found by the id of the row.
bytes_by_id <- function() {
  x <- example()
  stats::setNames(lapply(seq_len(nrow(x)), function(i) taco_bytes(x, i, "optical")), x$id)
}

expect_places <- function(rows, ids = rows$id) {
  truth <- bytes_by_id()
  expect_s3_class(rows, "taco_rows")
  for (i in seq_along(ids)) expect_identical(taco_bytes(rows, i, "optical"), truth[[ids[i]]])
}

test_that("rows keep their place through the verbs of R", {
  x <- example()
  expect_places(x)
  expect_places(x[c(5, 1, 1), ])
  expect_places(x[-2, ])
  expect_places(x[x$vegetation > 0.1, c("id", "vegetation")])
  expect_places(x[order(-x$vegetation), ])
  expect_places(x["3", ])
  expect_places(subset(x, water == 0, select = c(id, water)))
  expect_places(head(x, 2))
  expect_places(tail(x, 2))
  expect_places(x[["id"]] |> (\(id) x)())
  expect_places(transform(x, twice = 2 * vegetation))
  expect_places(rbind(x[5, ], x[2:3, ]))
  expect_places(unique(x[c(1, 1, 2), c("id", "split")]))
  x$new <- 6:1
  x[x$new > 3, "new"] <- 0L
  expect_places(x)
  expect_places(do.call(rbind, split(x, x$split)))
  expect_places(x[, c("split", "water")][3, ], x$id[3])
  expect_identical(taco_bytes(x, "tile_r2_c1", "optical"), bytes_by_id()[["tile_r2_c1"]])
})

test_that("verbs that make other rows drop the place", {
  x <- example()
  other <- data.frame(id = rev(x$id), n = 1:6)
  expect_false(inherits(merge(x, other), "taco_rows"))
  expect_false(inherits(rbind(x, taco_rows(taco_open(taco_example()))), "taco_rows"))
  swapped <- x
  swapped[1:2, ] <- x[2:1, ]
  expect_false(inherits(swapped, "taco_rows"))
  renamed <- x
  renamed$id <- rev(renamed$id) # a column like others: the place is that of the row, and not of its id
  expect_identical(taco_bytes(renamed, 1, "optical"), taco_bytes(x, 1, "optical"))
  expect_error(taco_bytes(as.data.frame(x, place = FALSE), 1, "optical"), "place", class = "tacore_argument_error")
  aggregated <- aggregate(vegetation ~ split, x, mean)
  expect_error(taco_pixels(aggregated, 1), class = "tacore_argument_error")
})

test_that("rows that do not exist are errors", {
  x <- example()
  for (i in list(0, 7, NA, "none", 1.5e10)) expect_error(taco_bytes(x, i, "mask"), class = "tacore_navigation_error")
  expect_error(taco_bytes(x, 1), "FOLDER", class = "tacore_navigation_error")
  expect_error(taco_bytes(x, 2, "nothing"), "nothing", class = "tacore_navigation_error")
  expect_error(taco_path(x, 2), "row 2", class = "tacore_navigation_error")
  expect_error(taco_children(x, 1:2), class = "tacore_navigation_error")
})

test_that("rows of dplyr keep their place, or lose it", {
  skip_if_not_installed("dplyr")
  x <- example()
  expect_places(dplyr::filter(x, vegetation > 0.1))
  expect_places(dplyr::arrange(x, dplyr::desc(vegetation)))
  expect_places(dplyr::slice(x, 5, 2))
  expect_places(dplyr::slice_max(x, vegetation, n = 3))
  expect_places(dplyr::mutate(x, twice = 2 * vegetation))
  expect_places(dplyr::select(x, id, vegetation))
  expect_places(dplyr::rename(x, green = vegetation))
  expect_places(dplyr::relocate(x, water))
  expect_places(dplyr::distinct(x, id, .keep_all = TRUE))
  expect_places(dplyr::filter(dplyr::mutate(x, n = dplyr::row_number()), n %in% c(6, 3)))
  other <- data.frame(id = rev(x$id), n = 1:6)
  for (joined in list(dplyr::left_join(x, other, by = "id"), dplyr::right_join(x, other, by = "id"), dplyr::bind_rows(x, x),
                      dplyr::summarise(x, mean = mean(vegetation)), dplyr::count(x, split))) {
    if (inherits(joined, "taco_rows")) expect_places(joined) else expect_s3_class(joined, "data.frame")
  }
  expect_false(inherits(dplyr::right_join(x, other, by = "id"), "taco_rows"))
})

test_that("rows of tibble, sf and nanoarrow", {
  x <- example()
  if (requireNamespace("tibble", quietly = TRUE)) {
    t <- tibble::as_tibble(x)
    expect_s3_class(t, "tbl_df")
    expect_places(t[t$vegetation > 0.1, ])
    expect_output(print(t), "tile_r1_c1")
  }
  skip_if_not_installed("sf")
  s <- sf::st_as_sf(x)
  expect_s3_class(s, "sf")
  expect_equal(unname(sf::st_coordinates(s)), unname(t(vapply(x$`stac:centroid`, tacore:::middle_of, c(0, 0)))))
  expect_equal(sf::st_crs(s)$epsg, 4326)
  d <- taco_open(taco_example())
  box <- sf::st_bbox(s[1:2, ])
  expect_setequal(taco_rows(taco_filter_bbox(d, box))$id, x$id[lengths(sf::st_intersects(s, sf::st_as_sfc(box))) > 0])
  utm <- sf::st_transform(s[1:2, ], 31985)
  expect_true(all(x$id[1:2] %in% taco_rows(taco_filter_bbox(d, sf::st_buffer(utm, 10)))$id))
  skip_if_not_installed("nanoarrow")
  back <- as.data.frame(nanoarrow::as_nanoarrow_array_stream(x[c(3, 1), ]))
  expect_equal(back$id, x$id[c(3, 1)])
  expect_equal(back$vegetation, x$vegetation[c(3, 1)])
})

test_that("whole numbers beyond 2^53 are as the option says", {
  d <- taco_open(taco_example())
  q <- taco_sql(d, "SELECT *, 9007199254740993 AS large, 5::BIGINT AS small FROM data")
  expect_s3_class(taco_rows(q)$large, "integer64")
  expect_identical(taco_rows(q)$small, rep(5, 6))
  withr <- options(tacore.bigint = "character")
  on.exit(options(withr))
  expect_identical(taco_rows(q)$large, rep("9007199254740993", 6))
  options(tacore.bigint = "double")
  expect_identical(taco_rows(q)$large, rep(9007199254740992, 6))
})

test_that("a frame of an ended session is an error", {
  file <- tempfile(fileext = ".rds")
  x <- example()
  saveRDS(x, file)
  back <- readRDS(file)
  expect_equal(back$id, x$id)
  expect_error(taco_bytes(back, 1, "mask"), "session")
})
