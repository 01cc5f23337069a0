# Errors of the library as conditions of R, and messages of the library as warnings.

codes <- c("format", "schema", "io", "not_found", "query", "validation", "navigation", "unsupported", "cancelled", "argument",
           "memory", "internal")

#' Errors of tacore
#'
#' Every error is a condition of a class that says what kind it is, of class `tacore_error`, and has the fields `path` (the
#' file or dataset), `offset` (its byte) and `level`, each NA where it is unknown.
#'
#' | class | when |
#' |---|---|
#' | `tacore_format_error` | a file is damaged, or not what the specification defines |
#' | `tacore_schema_error` | columns, types or trees do not fit together |
#' | `tacore_io_error` | a file, server or disk fails |
#' | `tacore_not_found_error` | a path does not exist; also a `tacore_io_error` |
#' | `tacore_query_error` | wrong SQL, an unknown column or level, an argument out of range |
#' | `tacore_validation_error` | what is to be written breaks a rule; nothing is written |
#' | `tacore_navigation_error` | a row or child does not exist |
#' | `tacore_unsupported_error` | a raster that tacore does not decode: `terra::rast(taco_path(x, i))` opens it |
#' | `tacore_argument_error` | an unknown option |
#'
#' A call that the user interrupts ends with an interrupt, as other functions of R do, within 0.2 seconds, and leaves no
#' unfinished output behind.
#'
#' @name tacore_error
#' @examples
#' tryCatch(taco_open("none.tacozip"), tacore_not_found_error = function(e) conditionMessage(e))
NULL

# The result of a call, or its failure as a condition. Warnings of the library are given first.
checked <- function(result, call = sys.call(-1)) {
  force(result) # before its messages are taken
  after <- .Call(r_after_call)
  if (!is.null(after)) {
    for (line in strsplit(after[[1]], "\n", fixed = TRUE)[[1]]) {
      entry <- .Call(r_parse_json, line)
      if (identical(entry$level, "warning")) warning(entry$message, call. = FALSE) else message(entry$message)
    }
    if (after[[2]]) interrupt(call)
  }
  if (!inherits(result, "tacore_failure")) return(result)
  code <- if (result$code %in% seq_along(codes)) codes[result$code] else "internal"
  fields <- unclass(result)[c("message", "path", "offset", "level")]
  fields$message <- in_rows(fields$message)
  kinds <- paste0("tacore_", c(code, if (code == "not_found") "io"), "_error")
  stop(structure(c(fields, list(call = call)), class = c(kinds, "tacore_error", "error", "condition")))
}

# An interrupt as R has it, which the library took notice of.
interrupt <- function(call) {
  signalCondition(structure(list(message = "interrupted by the user", call = call),
                            class = c("tacore_cancelled", "interrupt", "condition")))
  invokeRestart("abort")
}

# The library counts rows from 0: "position 4" is row 5.
in_rows <- function(text) {
  found <- gregexpr("position [0-9]+", text)
  regmatches(text, found) <- lapply(regmatches(text, found), function(each) {
    sprintf("row %.0f", as.numeric(sub("position ", "", each)) + 1)
  })
  text
}

# An error of this package, of the same classes.
fail <- function(code, ..., call = sys.call(-1)) {
  stop(structure(list(message = paste0(...), path = NA_character_, offset = NA_real_, level = NA_integer_, call = call),
                 class = c(paste0("tacore_", code, "_error"), "tacore_error", "error", "condition")))
}
