# The nearest calls of the R package bnlearn; comments say what differs.
library(bnlearn)

# The table after its treatment; a session saved with its data holds it. In Python:
#     data.to_frame().to_csv("learned_from.csv", index=False)
# A state that no row has is no level here, so a score may count fewer parameters than ours.
data <- read.csv("learned_from.csv", colClasses = "factor", check.names = FALSE, na.strings = character(0))
set.seed(1)  # R draws other numbers than Python: results agree in distribution at best

blacklist <- matrix(c("dysp", "smoke"), ncol = 2, byrow = TRUE, dimnames = list(NULL, c("from", "to")))

arguments <- list(score = "bde", iss = 10.0, max.iter = 10000, blacklist = blacklist)

# bnlearn breaks ties in the order of the columns; bnengine draws that order with the seed.
learn <- function(rows) do.call(hc, c(list(x = rows), arguments))
graph <- learn(data)
print(arcs(graph))

# Method boot_bc: bnlearn has no score corrected for the bias of resampling; the plain bootstrap is its
# nearest.
strength.boot <- boot.strength(data, R = 20, algorithm = "hc", algorithm.args = arguments, cpdag = FALSE, shuffle = TRUE)

strength <- strength.boot
# As many edges as the graphs have on average: each pair stands in two rows of the table.
edges <- max(1, round(sum(strength$strength) / 2))
threshold <- sort(strength$strength, decreasing = TRUE)[2 * edges]
averaged <- averaged.network(strength, threshold = threshold - 1e-9)
print(strength[strength$strength > 0, ])
print(arcs(averaged))
