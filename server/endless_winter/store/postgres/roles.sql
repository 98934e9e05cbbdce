-- Roles for a store of Endless Winter in PostgreSQL. Run it as the owner of the tables, again after
-- each upgrade:  ew store roles | psql DATABASE
-- Without it only the owner, who made the tables, may read or write them.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ew_server') THEN
        CREATE ROLE ew_server NOLOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ew_report') THEN
        CREATE ROLE ew_report NOLOGIN;
    END IF;
END $$;

REVOKE ALL ON SCHEMA endless_winter FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA endless_winter FROM PUBLIC, ew_server, ew_report;

-- For servers: everything but to change the tables. GRANT ew_server TO the role of a server.
GRANT USAGE ON SCHEMA endless_winter TO ew_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA endless_winter TO ew_server;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA endless_winter TO ew_server;

-- For reports: how many games there are, what was agreed, how they ended, who thinks for how long.
-- Not what lies hidden in a game (secrets, private_parts, the payloads of its log), nor who somebody
-- is (people, the callers of requests).
GRANT USAGE ON SCHEMA endless_winter TO ew_report;
GRANT SELECT ON endless_winter.games, endless_winter.tags, endless_winter.seats,
    endless_winter.packs, endless_winter.uptimes TO ew_report;
GRANT SELECT (game, seq, kind, at_ms) ON endless_winter.entries TO ew_report;
