"""From numbers to the view: both answers about every edge, the verdict, all that is known of one edge, rows needed."""
