"""Measures of files that are never in memory as a whole: what adds up over parts, and people."""
