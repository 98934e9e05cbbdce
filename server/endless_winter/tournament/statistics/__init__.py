"""What a table of results says, and how sure it is. Pure: numbers in, numbers out."""
