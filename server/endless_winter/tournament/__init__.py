"""Tournaments: spec, schedule, results, statistics, report, and what plays the games."""
