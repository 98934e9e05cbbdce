"""What people look at: a table for the terminal, CSV, Markdown, and one HTML page."""
