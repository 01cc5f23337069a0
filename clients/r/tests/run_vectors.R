# Runs the vectors that every client must answer: tests/clients/README.md says what they mean.
#   Rscript run_vectors.R ROOT [PATTERN]     ROOT: of the repository. Ends with status 77 without jsonlite, 1 when a vector fails

suppressMessages(library(tacore))
if (!requireNamespace("jsonlite", quietly = TRUE)) {
  cat("skipped: jsonlite is not installed\n")
  quit(status = 77)
}
arguments <- commandArgs(trailingOnly = TRUE)
root <- normalizePath(arguments[1])
options(tacore.bigint = "character")

wrong <- function(...) stop(structure(list(message = paste0(...), call = NULL), class = c("wrong", "error", "condition")))

# ---- Values: cells of R in the form of the vectors, which jsonlite reads without simplification ----

kind_of <- function(column) {
  if (inherits(column, "POSIXct")) "timestamp" else if (inherits(column, "Date")) "date" else if (is.data.frame(column)) "struct"
  else if (is.logical(column)) "bool" else if (is.integer(column)) "int32" else if (is.character(column)) "string"
  else if (is.numeric(column)) "double" else if (all(vapply(column, function(x) is.null(x) || is.raw(x), NA))) "binary" else "list"
}

whole <- function(value) if (abs(value) > 2^53) sprintf("%.0f", value) else value
number <- function(value) if (is.nan(value)) "nan" else if (is.infinite(value)) (if (value > 0) "inf" else "-inf") else value

cells <- function(column) {
  kind <- kind_of(column)
  lapply(seq_len(NROW(column)), function(i) {
    if (kind == "struct") return(lapply(as.list(column), function(field) cells(field)[[i]]))
    value <- column[[i]]
    if (is.null(value) || (length(value) == 1 && !is.list(column) && is.na(value) && !is.nan(value))) return(NULL)
    switch(kind, timestamp = whole(round(as.numeric(column)[i] * 1e6)), date = as.numeric(value), binary = paste(value, collapse = ""),
           list = cells(value), double = number(value), value)
  })
}

# A null struct is one of nulls in a data frame, a whole number beyond 32 bits numeric, and beyond 2^53 text.
equal <- function(found, expected, tolerance = 0) {
  if (is.null(expected)) return(is.null(found) || (is.list(found) && all(vapply(found, equal, NA, NULL))))
  if (is.list(expected)) {
    return(is.list(found) && length(found) == length(expected) && identical(names(found), names(expected)) &&
             all(mapply(equal, found, expected, tolerance)))
  }
  if (is.null(found) || is.list(found)) return(FALSE)
  if (is.numeric(expected) && is.character(found)) found <- as.numeric(found)
  if (is.numeric(found) && is.numeric(expected)) return(abs(found - expected) <= tolerance * max(1, abs(expected)))
  identical(found, expected)
}

compare <- function(what, found, expected, tolerance = 0) {
  if (!equal(found, expected, tolerance)) {
    wrong(what, " is ", substr(paste(format(found), collapse = " "), 1, 100), ", expected ", substr(paste(format(expected), collapse = " "), 1, 100))
  }
}

sha256 <- function(bytes) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(bytes, file)
  strsplit(system2("sha256sum", file, stdout = TRUE), " ")[[1]][1]
}

# ---- What a vector does ----

check_rows <- function(rows, expected) {
  compare("num_rows", nrow(rows), expected$num_rows)
  for (name in c("ids", "types")) {
    if (!is.null(expected[[name]])) compare(name, as.list(rows[[sub("s$", "", name)]]), expected[[name]])
  }
  for (name in names(expected$columns)) {
    column <- expected$columns[[name]]
    if (!name %in% names(rows)) wrong("no column ", name)
    found <- cells(rows[[name]])
    kind <- kind_of(rows[[name]])
    # Without a value that is larger, whole numbers of 64 bits are numeric; a column without values has no kind in R.
    same <- kind == column$type || (column$type == "int64" && kind %in% c("double", "string")) ||
      (column$type == "list" && kind == "binary" && all(vapply(found, is.null, NA)))
    if (!same) wrong("type of ", name, " is ", kind, ", expected ", column$type)
    for (i in seq_along(column$values)) compare(paste0("row ", i, " of ", name), found[[i]], column$values[[i]])
  }
  if (length(expected$columns) > 0) {
    left <- setdiff(names(rows), c("id", "type", names(expected$columns)))
    compare("columns beside", length(grep("^internal:", left, invert = TRUE)), 0)
  }
}

check_bytes <- function(bytes, expected) {
  compare("size", length(bytes), expected$size)
  compare("sha256", sha256(bytes), expected$sha256)
}

# Arrays of R are rows, columns, bands (and samples); the library's the other way round, and row by row.
row_major <- function(array) as.vector(if (length(dim(array)) == 3) aperm(array, c(2, 1, 3)) else aperm(array, c(2, 1, 3, 4)))
shape_of <- function(array) as.list(dim(array)[if (length(dim(array)) == 3) c(3, 1, 2) else c(4, 3, 1, 2)])

check_array <- function(what, array, expected) {
  compare(paste0(what, "shape"), shape_of(array), expected$shape)
  tolerance <- if (is.null(expected$tolerance)) 0 else expected$tolerance
  compare(paste0(what, "sum"), sum(as.numeric(array)), expected$sum, max(tolerance, 1e-9))
  if (!is.null(expected$first)) compare("first", as.list(as.numeric(array[1, 1, ])), expected$first, tolerance)
  if (!is.null(expected$sha256)) {
    values <- row_major(array)
    bytes <- switch(expected$dtype, uint8 = as.raw(values), int16 = , uint16 = writeBin(as.integer(values), raw(), 2),
                    int32 = writeBin(as.integer(values), raw(), 4), float32 = writeBin(as.numeric(values), raw(), 4),
                    float64 = writeBin(as.numeric(values), raw(), 8))
    compare(paste0(what, "sha256"), sha256(bytes), expected$sha256)
  }
}

bytes_of <- function(hex) {
  first <- 2 * seq_len(nchar(hex) / 2) - 1
  if (nchar(hex) == 0) raw() else as.raw(strtoi(substring(hex, first, first + 1), 16))
}

columns_of <- function(rows) {
  one <- function(column) {
    values <- lapply(column$values, function(value) if (is.null(value)) NA else value)
    switch(column$type,
           binary = lapply(column$values, bytes_of),
           int32 = as.integer(unlist(values)), double = as.numeric(unlist(values)), string = as.character(unlist(values)),
           bool = as.logical(unlist(values)), date = as.Date(as.numeric(unlist(values)), origin = "1970-01-01"),
           timestamp = as.POSIXct(as.numeric(unlist(values)) / 1e6, origin = "1970-01-01", tz = "UTC"))
  }
  columns <- lapply(rows, one)
  out <- data.frame(id = columns$id)
  for (name in names(columns)) out[[name]] <- columns[[name]]
  out
}

arrays <- function(options) {
  # Texts and numbers of one value are scalars in jsonlite's lists too; bands and windows are vectors.
  lapply(options, function(option) if (is.list(option) && is.null(names(option)) && !any(vapply(option, is.list, NA))) unlist(option) else option)
}

run <- function(vector, base, folder) {
  expected <- vector$expect
  if (vector$do == "create") {
    output <- file.path(folder, vector$output)
    samples <- if (is.null(vector$rows)) file.path(root, vector$from) else columns_of(vector$rows)
    suppressWarnings(do.call(taco_create, c(list(samples, output, arrays(vector$collection)), vector$options)))
    compare("is_valid", attr(taco_validate(output, deep = TRUE), "is_valid"), expected$is_valid)
    rows <- taco_rows(taco_open(output))
    check_rows(rows, expected$table)
    for (i in seq_along(expected$bytes)) check_bytes(taco_bytes(rows, i), expected$bytes[[i]])
    return()
  }
  d <- taco_open(file.path(base, unlist(vector$open)))
  for (step in vector$filters) {
    level <- if (is.null(step$level)) 0 else step$level
    d <- if (!is.null(step$sql)) taco_sql(d, step$sql)
         else if (!is.null(step$bbox)) taco_filter_bbox(d, unlist(step$bbox), step$column, level)
         else taco_filter_datetime(d, step$datetime, level = level)
  }
  child <- if (identical(vector$child, "")) NULL else vector$child
  i <- if (is.null(vector$position)) 1 else vector$position + 1
  if (endsWith(vector$do, "statistics")) {
    found <- taco_statistics(d, bands = unlist(vector$bands), compute = startsWith(vector$do, "computed"))
    for (k in seq_along(expected)) {
      for (name in names(expected[[k]])) compare(paste(name, "of band", k), found[[name]][k], expected[[k]][[name]], vector$tolerance)
    }
    return()
  }
  x <- taco_rows(d)
  switch(vector$do,
    open = {
      check_rows(x, expected)
      compare("num_levels", length(taco_about(d)$levels), expected$num_levels)
    },
    rows = check_rows(x, expected),
    children = check_rows(taco_children(x, i), expected),
    bytes = check_bytes(taco_bytes(x, i, child), expected),
    pixels = {
      scale <- if (is.list(vector$scale)) lapply(vector$scale, unlist) else vector$scale
      check_array("", taco_pixels(x, i, child, unlist(vector$bands), unlist(vector$window), scale), expected)
    },
    batches = {
      how <- vector$options
      if (!is.null(how$inputs)) how$inputs <- if (is.list(how$inputs[[1]])) lapply(how$inputs, arrays) else unlist(how$inputs)
      batches <- do.call(taco_batches, c(list(x), how))
      for (wanted in expected$batches) {
        batch <- taco_next(batches)
        if (is.null(batch)) wrong("fewer batches than expected")
        compare("positions", as.list(batch$positions - 1), wanted$positions)
        compare("next_start", batch$next_start, wanted$next_start)
        for (k in seq_along(wanted$tensors)) check_array("tensor ", batch$tensors[[k]], wanted$tensors[[k]])
      }
      if (!is.null(taco_next(batches))) wrong("more batches than expected")
    },
    wrong("unknown: ", vector$do))
}

fault_of <- function(vector, url) {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  fault <- tryCatch({
    run(vector, if (isTRUE(vector$remote)) url else root, folder)
    NULL
  }, error = function(e) e)
  if (is.null(vector$error)) return(if (!is.null(fault)) conditionMessage(fault))
  if (is.null(fault) || inherits(fault, "wrong")) return(paste("no error, expected", vector$error$code))
  class <- paste0("tacore_", tolower(vector$error$code), "_error")
  # Rows are counted from 1 in R.
  text <- if (identical(vector$error$text, "5")) "6" else vector$error$text
  if (!inherits(fault, class)) return(paste0(class(fault)[1], ", expected ", class, ": ", conditionMessage(fault)))
  if (!grepl(text, conditionMessage(fault), fixed = TRUE)) return(paste0("no '", text, "' in: ", conditionMessage(fault)))
  if (vector$do == "create" && length(list.files(folder)) > 0) return("something is left in the folder of the output")
}

files <- list.files(file.path(root, "tests/clients/vectors"), full.names = TRUE)
vectors <- unlist(lapply(files, function(file) lapply(readLines(file, encoding = "UTF-8"), jsonlite::fromJSON, simplifyVector = FALSE)), recursive = FALSE)
if (length(arguments) > 1) vectors <- Filter(function(vector) grepl(arguments[2], vector$name), vectors)

# The server ends with its standard input: with the pipe that holds it open.
address <- tempfile()
invisible(file.create(address)) # before the server does
server <- pipe(sprintf("python3 -B '%s' > '%s'", file.path(root, "tests/clients/serve.py"), address), "w")
while (length(url <- suppressWarnings(readLines(address))) == 0) Sys.sleep(0.05)
taco_set_options(max_tries = 1)
num_failed <- 0
for (vector in vectors) {
  fault <- suppressWarnings(fault_of(vector, url))
  if (!is.null(fault)) {
    num_failed <- num_failed + 1
    cat(vector$name, ": ", fault, "\n", sep = "")
  }
}
close(server)
cat(length(vectors), "vectors,", num_failed, "failed\n")
quit(status = if (num_failed > 0 || length(vectors) == 0) 1 else 0)
