{# The R script that comes nearest to an experiment; names from files stand in strings, by the filter r. #}
{% macro arcs(edges) %}
matrix(c(
  {% for one in edges %}
    {{ one[0] | r }}, {{ one[1] | r }}{{ "," if not loop.last }}
  {% endfor %}
  ), ncol = 2, byrow = TRUE, dimnames = list(NULL, c("from", "to")))
{%- endmacro %}
{% macro vector(names) %}c({% for name in names %}{{ name | r }}{{ ", " if not loop.last }}{% endfor %}){% endmacro %}
# The nearest calls of the R package bnlearn; comments say what differs.
library(bnlearn)

# The table after its treatment; a session saved with its data holds it. In Python:
#     data.to_frame().to_csv({{ file | r }}, index=False)
# A state that no row has is no level here, so a score may count fewer parameters than ours.
{% if experiment.data.interventions %}
# All rows are taken as observed here, also those in which an experiment set a variable. Of bnlearn's scores mbde
# leaves such rows out: score = "mbde", exp = a list that names for each variable the rows in which it was set.
{% endif %}
{% if experiment.data.sampling_weights %}
# Rows have sampling weights, which bnlearn's scores do not take: here each row counts alike.
{% endif %}
{% if experiment.data.clusters or experiment.data.blocks %}
# Rows depend on each other. bnlearn has neither resamples of whole units or blocks nor effective rows: boot.strength
# draws row by row and each score counts every row in full, so expect more edges, and surer ones, than bnengine finds.
{% endif %}
{% if holes %}
# An empty cell is a missing one, NA here.
{% if by_em %}
# {{ search }} refuses NA with this score. So structural.em learns: it fills each missing cell with its likeliest state
# under the network so far, learns by {{ search }} from the filled rows, and so on, at most five times.
{% else %}
# chow.liu weighs each pair on the rows in which both variables are seen.
{% endif %}
# bnengine {{ "draws missing cells from their distribution, anew in every replicate" if holes == "drawn" else "scores each family on the rows in which all of it is seen" }}.
{% endif %}
data <- read.csv({{ file | r }}, colClasses = "factor", check.names = FALSE, na.strings = "")
{% if numbers %}
numbers <- {{ vector(numbers) }}
data[numbers] <- lapply(data[numbers], function(x) as.numeric(as.character(x)))
normal.scores <- function(x) qnorm((rank(x, na.last = "keep") - 0.5) / sum(!is.na(x)))
data[numbers] <- lapply(data[numbers], normal.scores)
{% endif %}
{% if experiment.seed >= most_seeds %}
# R takes seeds below {{ most_seeds }}; {{ experiment.seed }} is taken by its remainder.
{% endif %}
set.seed({{ experiment.seed % most_seeds }})  # R draws other numbers than Python: results agree in distribution at best

{% if given.required %}
whitelist <- {{ arcs(given.required) }}
{% endif %}
{% if blacklisted %}
blacklist <- rbind(
{% if given.forbidden %}
  {{ arcs(given.forbidden) }}{{ "," if tiers or ordering is not none }}
{% endif %}
{% if tiers %}
  tiers2blacklist(list({% for tier in tiers %}{{ vector(tier) }}{{ ", " if not loop.last }}{% endfor %})){{ "," if ordering is not none }}
{% endif %}
{% if ordering is not none %}
  ordering2blacklist({{ vector(ordering) if ordering else "names(data)" }})
{% endif %}
)
{% endif %}
{% for remark in remarks %}
# {{ remark | one_line }}
{% endfor %}
arguments <- list({{ arguments | join(", ") }})
{% if search == "chow.liu" %}
# The tree has no directions; cextend gives it some, from a root of its own choice.
{% endif %}
# bnlearn breaks ties in the order of the columns{{ "; bnengine draws that order with the seed" if drawn_ties else ", as is chosen for bnengine" }}.
{% if by_em %}
learn <- function(rows) {
  if (!anyNA(rows)) return(do.call({{ search }}, c(list(x = rows), arguments)))
  structural.em(rows, maximize = {{ search | r }}, maximize.args = arguments, fit = "bayes")
}
{% else %}
learn <- function(rows) {{ "cextend(" if search == "chow.liu" }}do.call({{ search }}, c(list(x = rows), arguments)){{ ")" if search == "chow.liu" }}
{% endif %}
graph <- learn(data)
print(arcs(graph))
{% if lacking or strengths %}

{% for key, what in lacking.items() %}
# Method {{ key }}: bnlearn has no {{ what }}; the plain bootstrap is its nearest.
{% endfor %}
{% if cpdag == "TRUE" %}
# With cpdag = TRUE a reversible edge counts half in each direction; bnengine leaves it out.
{% endif %}
{% for key, graphs in strengths.items() %}
{% if not graphs and by_em %}
# boot.strength has no structural.em: its replicates are drawn here.
strength.{{ key }} <- custom.strength(lapply(seq_len({{ experiment.n }}), function(k) learn(data[sample(nrow(data), {{ experiment.size or "nrow(data)" }}, replace = TRUE), {{ "sample(ncol(data))" if drawn_ties }}])), nodes = names(data), cpdag = {{ cpdag }})
{% elif graphs %}
strength.{{ key }} <- custom.strength({{ graphs }}, nodes = names(data), cpdag = {{ cpdag }})
{% else %}
strength.{{ key }} <- boot.strength(data, R = {{ experiment.n }}{{ ", m = %d" % experiment.size if experiment.size }}, algorithm = {{ search | r }}, algorithm.args = arguments, cpdag = {{ cpdag }}, shuffle = {{ "TRUE" if drawn_ties else "FALSE" }})
{% endif %}
{% endfor %}

strength <- strength.{{ shown }}
{% if threshold is not none %}
averaged <- averaged.network(strength, threshold = {{ threshold }})
{% elif experiment.rule == "mean" %}
# As many edges as the graphs have on average: each pair stands in two rows of the table.
edges <- max(1, round(sum(strength$strength) / 2))
threshold <- sort(strength$strength, decreasing = TRUE)[2 * edges]
averaged <- averaged.network(strength, threshold = threshold - 1e-9)
{% else %}
{% if experiment.rule == "permutation" %}
# bnlearn has no threshold by shuffled columns; its own, by L1 distance, is used.
{% endif %}
averaged <- averaged.network(strength)
{% endif %}
print(strength[strength$strength > 0, ])
print(arcs(averaged))
{% endif %}
