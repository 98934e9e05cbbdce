"""The game as a view shows it, typed: what lies on the table and what is printed.

Every part reads the contract's message when it is asked, so a bot that does not look pays nothing.
"""
