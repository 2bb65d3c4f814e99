"""Who is nearest to whom: linkage with exact ties, agreement, assignment."""
