library(testthat)
library(tacore)

test_check("tacore")
