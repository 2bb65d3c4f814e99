# Rscript ask_sdcmicro.R WORK FILE K OUT: the same work by sdcMicro, for whoever has it.
# OUT: CPU seconds, version, then a group label per record, or one value.
suppressMessages(library(sdcMicro))
asked <- commandArgs(trailingOnly = TRUE)
table <- read.csv(asked[2])
k <- as.integer(asked[3])

spent <- function(work) {
  time <- system.time(found <- work())
  list(seconds = sum(time[c("user.self", "sys.self")]), found = found)
}

if (asked[1] == "mdav") {
  done <- spent(function() microaggregation(table, method = "mdav", aggr = k)$mx)
  values <- as.integer(factor(do.call(paste, as.data.frame(done$found))))
} else {
  table[] <- lapply(table, factor)
  done <- switch(asked[1],
    suppression = spent(function() kAnon(table, keyVars = names(table), k = k)$xAnon),
    pram = spent(function() as.data.frame(lapply(table, function(column) pram(column)[, 2]))))
  values <- if (asked[1] == "pram") 100 * mean(as.matrix(done$found) != as.matrix(table)) else sum(is.na(done$found))
}
writeLines(c(done$seconds, as.character(packageVersion("sdcMicro")), values), asked[4])
