example <- function() taco_rows(taco_open(taco_example()))
about <- list(id = "chips", description = "Chips", licenses = "CC-BY-4.0", providers = "Example", tasks = "classification")

chips <- function() {
  out <- data.frame(id = c("a", "b", "c"))
  out$data <- list(raw(), charToRaw("second"), as.raw(0:255))
  out
}

create <- function(samples, output = tempfile(fileext = ".tacozip"), ...) {
  suppressWarnings(taco_create(samples, output, about, places = FALSE, ...)) # they have no places
  output
}

# Runs a script in an R process of its own, and gives its output.
in_process <- function(code, ..., before = "") {
  file <- tempfile(fileext = ".R")
  writeLines(c(sprintf(".libPaths(c(%s))", paste(shQuote(.libPaths()), collapse = ", ")), "library(tacore)", code), file)
  system2("sh", c("-c", shQuote(paste(before, shQuote(file.path(R.home("bin"), "Rscript")), "--vanilla", file, "2>&1"))), stdout = TRUE, ...)
}
