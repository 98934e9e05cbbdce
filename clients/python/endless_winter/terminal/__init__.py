"""Endless Winter for people: a full-screen client, and a line mode for pipes and screen readers."""
