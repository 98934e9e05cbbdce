-- The tables of a store of Endless Winter in PostgreSQL, in a schema of their own.
-- A game is its entries; everything else is what servers need beside them.
-- Unlike the file (../../schema.sql) rows carry no hash: the database's checksums guard them.
-- Any server of schema 1 or newer may write.

CREATE TABLE store (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    schema integer NOT NULL,           -- the newest migration that was applied
    oldest integer NOT NULL,           -- the oldest schema whose programs may still write
    recovered bigint NOT NULL DEFAULT 0 -- recoveries; each waits until all before it is durable
);

-- Content packs, each by its hash; they stay when games are removed.
CREATE TABLE packs (
    hash text PRIMARY KEY,
    data bytea NOT NULL
);

-- What a game was created with, where it stands, and the head of its log. A commit compares the
-- head and moves it: that alone decides between two writers. No index may cover what each choice
-- changes (head, chain, deadline_ms, node, delivered_ms), so that updates stay in their page (HOT).
CREATE SEQUENCE game_numbers;
CREATE TABLE games (
    id bigint PRIMARY KEY,             -- from game_numbers: in the order of creation
    game_id text NOT NULL UNIQUE,
    head integer NOT NULL,             -- the number of the last entry
    chain bytea NOT NULL,              -- its hash
    created_ms bigint NOT NULL,
    rules_version text NOT NULL,
    content_hash text NOT NULL REFERENCES packs (hash),
    config bytea NOT NULL,
    commitment bytea NOT NULL,         -- to the seed, which is in secrets
    creator text NOT NULL,             -- a player_id
    listed boolean NOT NULL,
    seats integer NOT NULL,
    rivers boolean NOT NULL,
    solo boolean NOT NULL,
    title text NOT NULL,
    tournament_id text NOT NULL,
    status smallint NOT NULL DEFAULT 1, -- 1 open, 2 starting, 3 running, 4 ended
    started_ms bigint,
    ended_ms bigint,
    open_seats integer NOT NULL DEFAULT 0,
    sealed boolean NOT NULL DEFAULT false,
    summary bytea NOT NULL DEFAULT '', -- a GameInfo without names, of an ended game
    deadline_ms bigint,                -- the earliest of its timers, in the database's time
    node text NOT NULL DEFAULT '',     -- the node that has shown the pending question
    delivered_ms bigint                -- when
) WITH (fillfactor = 90);
CREATE INDEX games_by_age ON games (created_ms, id);
CREATE INDEX games_unfinished ON games (created_ms, id) WHERE status < 4;
CREATE INDEX games_by_tournament ON games (tournament_id) WHERE tournament_id <> '';

CREATE TABLE tags (
    game bigint NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    tag text NOT NULL,
    PRIMARY KEY (game, tag)
);
CREATE INDEX tags_by_tag ON tags (tag, game);

-- The log. No foreign key: the statement that moves the head adds the entries.
CREATE TABLE entries (
    game bigint NOT NULL,
    seq integer NOT NULL CHECK (seq > 0),
    kind text NOT NULL,
    at_ms bigint NOT NULL,
    payload bytea NOT NULL,            -- a LogEntry of the contract
    chain bytea NOT NULL,              -- the hash of this entry and all before it
    PRIMARY KEY (game, seq)
);

-- Idempotency keys with their first answers. scope: the game, or 0 for a request to create one.
CREATE TABLE requests (
    scope bigint NOT NULL,
    caller bytea NOT NULL,
    request_id bytea NOT NULL,         -- UTF-8; a client may put any character into it
    game bigint NOT NULL,
    seq integer NOT NULL,              -- the head of the log after it
    digest bytea NOT NULL,             -- of what was asked
    answer bytea NOT NULL,
    PRIMARY KEY (scope, caller, request_id)
);
CREATE INDEX requests_to_create ON requests (game) WHERE scope = 0;

-- People, apart from the log, which names their player_id only: they can be erased.
CREATE TABLE people (
    game bigint NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    player_id text NOT NULL,
    client bytea NOT NULL,             -- the hash of the client's secret; empty: erased
    display_name text NOT NULL,
    PRIMARY KEY (game, player_id)
);
CREATE INDEX people_by_client ON people (client) WHERE client <> ''::bytea;

-- Who holds which seat now.
CREATE TABLE seats (
    game bigint NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    seat integer NOT NULL,
    player_id text NOT NULL,
    PRIMARY KEY (game, seat)
);

-- Secrets: no query that lists games or reads logs touches these two tables, and a role that
-- reports has no right to read them (../roles.sql).
CREATE TABLE secrets (
    game bigint PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
    seed bytea NOT NULL,
    salt bytea NOT NULL
);

-- What must not be in the log, by the number of its entry.
CREATE TABLE private_parts (
    game bigint NOT NULL,
    seq integer NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (game, seq)
);

-- When there was a server: while there was none, no clock ran.
CREATE TABLE uptimes (
    since_ms bigint PRIMARY KEY,
    until_ms bigint NOT NULL
);

-- The nodes that serve, by their heartbeats. One that was silent for too long stays dead.
CREATE TABLE nodes (
    node text PRIMARY KEY,
    version text NOT NULL,
    draining boolean NOT NULL,
    heard_ms bigint NOT NULL
);

INSERT INTO store (schema, oldest) VALUES (1, 1);
