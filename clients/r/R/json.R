# R values as JSON: named lists become objects, vectors of length 1 scalars, others arrays; I() keeps an array of one.

to_json <- function(value) {
  if (is.null(value)) return("null")
  if (is.list(value) && !is.null(names(value))) {
    fields <- vapply(value, to_json, "")
    return(paste0("{", paste0(quoted(names(value)), ": ", fields, recycle0 = TRUE, collapse = ", "), "}"))
  }
  items <- if (is.list(value)) vapply(value, to_json, "") else scalars(value)
  if (!is.list(value) && length(items) == 1 && !inherits(value, "AsIs")) return(items)
  paste0("[", paste(items, collapse = ", "), "]")
}

scalars <- function(value) {
  if (is.factor(value)) value <- as.character(value)
  if (inherits(value, "Date") || inherits(value, "POSIXct")) value <- moment(value)
  out <- if (is.character(value)) quoted(value)
         else if (is.logical(value)) ifelse(value, "true", "false")
         else if (is.numeric(value)) formatC(value, digits = 17, width = 1, format = "g")
         else fail("argument", "an option is of class ", class(value)[1], ", a number, text or truth value expected")
  ifelse(is.na(value), "null", out)
}

quoted <- function(text) {
  text <- enc2utf8(as.character(text))
  text <- gsub("\\", "\\\\", text, fixed = TRUE)
  text <- gsub("\"", "\\\"", text, fixed = TRUE)
  for (code in 1:31) text <- gsub(intToUtf8(code), sprintf("\\u%04x", code), text, fixed = TRUE)
  paste0("\"", text, "\"")
}

# Options as the library reads them: those that are NULL are its defaults.
options_of <- function(...) {
  given <- list(...)
  if (length(given) > 0 && (is.null(names(given)) || any(names(given) == ""))) fail("argument", "options have names")
  given <- given[!vapply(given, is.null, NA)]
  if (length(given) == 0) NULL else to_json(given)
}

# A time as text: of a Date the day, of a POSIXct the instant in UTC.
moment <- function(time) {
  if (inherits(time, "Date")) format(time, "%Y-%m-%d") else format(time, "%Y-%m-%dT%H:%M:%OS6Z", tz = "UTC")
}
