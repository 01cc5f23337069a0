# Runs the R code of a document, in order, with its pictures in a folder of their own.
#   Rscript run_readme.R DOCUMENT
lines <- readLines(commandArgs(trailingOnly = TRUE)[1])
fences <- grep("^```", lines)
starts <- fences[lines[fences] == "```r"]
stopifnot(length(starts) >= 8)
code <- unlist(lapply(starts, function(start) lines[(start + 1):(fences[fences > start][1] - 1)]))
script <- tempfile(fileext = ".R")
writeLines(code, script)
grDevices::pdf(tempfile(fileext = ".pdf"))
source(script, echo = TRUE, max.deparse.length = Inf)
invisible(grDevices::dev.off())
