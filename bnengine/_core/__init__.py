"""What every room needs: compilation, random generators, parallel replicates, standard errors."""
