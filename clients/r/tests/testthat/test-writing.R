test_that("columns of every type come back", {
  given <- chips()
  given$label <- factor(c("water", NA, "\u00e9"))
  given$cloud <- c(0.5, NA, NaN)
  given$count <- c(1L, NA, -3L)
  given$is_train <- c(TRUE, FALSE, NA)
  given$day <- as.Date(c("2020-02-29", NA, "1969-12-31"))
  given$moment <- as.POSIXct(c("2023-11-14 22:13:20.123456", NA, "1970-01-01"), tz = "UTC")
  given$numbers <- list(c(1, 2), numeric(), NULL)
  given$names <- list("a", c("b", NA), NULL)
  found <- taco_rows(taco_open(create(given)))
  expect_equal(found$label, as.character(given$label))
  for (name in c("count", "is_train", "day", "moment")) expect_equal(found[[name]], given[[name]])
  expect_equal(is.na(found$cloud), c(FALSE, TRUE, TRUE))
  expect_equal(found$numbers, given$numbers)
  expect_equal(found$names, given$names)
  expect_equal(taco_bytes(found, 1:3), given$data)
  if (requireNamespace("bit64", quietly = TRUE)) {
    given$large <- bit64::as.integer64(c("9007199254740993", NA, "-1"))
    expect_equal(taco_rows(taco_open(create(given)))$large, given$large)
  }
})

test_that("trees, folders and tables are written", {
  tree <- data.frame(id = c("x/a", "x/b", "y/a", "y/b"), n = 1:4)
  tree$data <- lapply(tree$id, charToRaw)
  rows <- taco_rows(taco_open(create(tree, tempfile())))
  expect_equal(rows$id, c("x", "y"))
  expect_equal(rawToChar(taco_bytes(rows, 2, "b")), "y/b")
  expect_equal(taco_children(rows, 1)$n, 1:2)
  folder <- tempfile()
  dir.create(folder)
  for (name in c("a.txt", "b.txt")) writeLines(name, file.path(folder, name))
  expect_equal(taco_rows(taco_open(create(folder)))$id, c("a.txt", "b.txt"))
  table <- file.path(tempdir(), "table.csv")
  utils::write.csv(data.frame(name = c("p", "q"), file = file.path(folder, c("a.txt", "b.txt")), day = "2020-01-05"), table, row.names = FALSE)
  rows <- taco_rows(taco_open(create(table, id_column = "name", path_column = "file", rename = list(day = "date"))))
  expect_equal(rows$id, c("p", "q"))
  expect_true("date" %in% names(rows))
  skip_if_not_installed("sf")
  placed <- chips()
  placed$`istac:geometry` <- sf::st_sfc(sf::st_point(c(1, 2)), sf::st_point(c(3, 4)), sf::st_point(c(5, 6)), crs = 4326)
  output <- tempfile(fileext = ".tacozip")
  taco_create(placed, output, about)
  expect_equal(taco_rows(taco_filter_bbox(taco_open(output), c(2, 3, 4, 5)))$id, "b")
})

test_that("wrong input is refused, and nothing is written", {
  folder <- tempfile()
  dir.create(folder)
  output <- file.path(folder, "no.tacozip")
  twice <- chips()
  twice$id <- "a"
  expect_error(create(twice, output), "id", class = "tacore_schema_error")
  expect_error(taco_create(chips(), output, about[-3]), class = "tacore_validation_error")
  expect_error(create(data.frame(id = "a", path = "none.tif"), output), "none.tif", class = "tacore_error")
  expect_error(create(chips(), output, nothing = 1), "known are", class = "tacore_argument_error")
  expect_error(create("none", output), class = "tacore_not_found_error")
  bad <- chips()
  bad$z <- complex(3)
  expect_error(create(bad, output), "complex")
  bad$z <- list(1, "a", 2)
  expect_error(create(bad, output), "element 2")
  expect_length(list.files(folder, all.files = TRUE, no.. = TRUE), 0)
  create(chips(), output)
  expect_error(create(chips(), output), "exists", class = "tacore_validation_error")
  expect_silent(create(chips(), output, overwrite = TRUE))
})

test_that("a full disk is an error that leaves nothing behind", {
  folder <- tempfile()
  dir.create(folder)
  code <- sprintf("x <- data.frame(id = 'a'); x$data <- list(raw(3e6))
    tryCatch(taco_create(x, %s, %s, places = FALSE), tacore_io_error = function(e) cat('IO:', conditionMessage(e), '\n'))",
    shQuote(file.path(folder, "a.tacozip")), paste(deparse(about), collapse = ""))
  # Files of at most 2 MB, and no signal for more.
  shown <- in_process(code, before = "trap '' XFSZ; ulimit -f 4096;")
  expect_match(paste(shown, collapse = "\n"), "IO:.*a.tacozip")
  expect_length(list.files(folder, all.files = TRUE, no.. = TRUE), 0)
})

test_that("an interrupt ends a call soon, and leaves nothing behind", {
  folder <- tempfile()
  dir.create(folder)
  source <- tempfile()
  dir.create(source)
  for (i in 1:4000) writeBin(raw(20000), file.path(source, sprintf("%05d.bin", i)))
  # The process sends itself SIGINT while it creates.
  sent <- tempfile()
  code <- sprintf("
    send <- function() system(sprintf('(sleep 0.3; date +%%%%s.%%%%N > %s; kill -INT %%d) &', Sys.getpid()))
    send()
    start <- Sys.time()
    repeat {
      # All writing lies within one tryCatch, for an interrupt between two calls would end the process.
      done <- tryCatch({
        while (Sys.time() - start < 20) suppressWarnings(taco_create(%s, %s, %s, places = FALSE, overwrite = TRUE, jobs = 1))
        'written'
      }, interrupt = function(e) class(e)[1])
      if (!identical(done, 'interrupt')) break
      send() # it came while R itself worked
    }
    cat(done, as.numeric(Sys.time()) - as.numeric(readLines('%s')), '\n')", sent, shQuote(source),
    shQuote(file.path(folder, "a.tacozip")), paste(deparse(about), collapse = ""), sent)
  # Where tests run in the background, SIGINT is ignored from the start.
  shown <- in_process(code, before = "env --default-signal=INT")
  words <- strsplit(shown[length(shown)], " ")[[1]]
  expect_equal(words[1], "tacore_cancelled")
  expect_lt(as.numeric(words[2]), 5) # bench/RESULTS.md has the time on a quiet machine
  expect_length(setdiff(list.files(folder, all.files = TRUE, no.. = TRUE), "a.tacozip"), 0)
  if (length(list.files(folder)) == 1) expect_true(attr(taco_validate(file.path(folder, "a.tacozip")), "is_valid"))
})

test_that("a forked child opens datasets anew", {
  skip_on_os("windows")
  x <- example()
  found <- parallel::mclapply(1:2, function(i) taco_bytes(taco_rows(taco_open(taco_example())), i, "mask"), mc.cores = 2)
  expect_equal(found, list(taco_bytes(x, 1, "mask"), taco_bytes(x, 2, "mask")))
})

test_that("operations on files", {
  folder <- tempfile()
  expect_warning(expect_equal(taco_convert(taco_example(), folder), folder), "extent")
  zip <- taco_convert(folder, tempfile(fileext = ".tacozip"))
  expect_true(taco_diff(folder, zip)$equal)
  taco_edit(folder, set = list(title = "Tiles"))
  expect_equal(taco_open(folder)$title, "Tiles")
  expect_false(taco_diff(folder, zip)$equal)
  expect_true(attr(taco_validate(folder, deep = TRUE), "is_valid"))
  output <- tempfile(fileext = ".tacozip")
  expect_equal(taco_export(example()[c(4, 2), ], output), output)
  expect_equal(taco_rows(taco_open(output))$id, c("tile_r2_c1", "tile_r1_c2"))
  store <- tempfile()
  expect_gt(taco_sync(taco_example(), store)$num_chunks_moved, 0)
  expect_match(taco_describe(taco_open(taco_example()), "stac"), "stac_version")
  both <- file.path(tempfile(), c("a.tacozip", "b.tacozip"))
  dir.create(dirname(both[1]))
  file.copy(taco_example(), both)
  index <- taco_index(both)
  expect_match(index, "tacocat")
  expect_error(taco_validate(), "path")
  expect_length(taco_version(), 2)
})
