"""The store in a PostgreSQL database. Needs psycopg 3, the extra `postgres`."""
