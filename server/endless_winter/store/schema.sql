-- The tables of a store of Endless Winter, one file of SQLite.
-- A game is its entries; everything else is what a server needs beside them.
-- row_hash: a hash of the row, with the id of its game for its key, for 'ew store check'
-- (schema.py). Entries have their chain instead, and a seed the game's commitment.

PRAGMA application_id = 1163359092;  -- "EWst"
PRAGMA user_version = 1;             -- the schema; schema.py has the number too

-- Content packs, each by its hash; they stay when games are removed.
CREATE TABLE packs (
    hash TEXT PRIMARY KEY,
    data BLOB NOT NULL,
    row_hash BLOB NOT NULL
) STRICT;

-- What a game was created with, and where it stands, as lists show it. No choice changes this row.
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    game_id TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    rules_version TEXT NOT NULL,
    content_hash TEXT NOT NULL REFERENCES packs (hash),
    config BLOB NOT NULL,
    commitment BLOB NOT NULL,         -- to the seed, which is in secrets
    creator TEXT NOT NULL,            -- a player_id
    listed INTEGER NOT NULL,
    seats INTEGER NOT NULL,
    rivers INTEGER NOT NULL,
    solo INTEGER NOT NULL,
    title TEXT NOT NULL,
    tournament_id TEXT NOT NULL,
    status INTEGER NOT NULL,          -- 1 open, 2 starting, 3 running, 4 ended
    started_ms INTEGER,
    ended_ms INTEGER,
    open_seats INTEGER NOT NULL,
    sealed INTEGER NOT NULL,
    summary BLOB NOT NULL,            -- a GameInfo without names, of an ended game
    row_hash BLOB NOT NULL
) STRICT;
CREATE INDEX games_by_age ON games (created_ms, id);
CREATE INDEX games_unfinished ON games (created_ms, id) WHERE status < 4;
CREATE INDEX games_by_tournament ON games (tournament_id) WHERE tournament_id <> '';

CREATE TABLE tags (
    game INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    row_hash BLOB NOT NULL,
    PRIMARY KEY (game, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag, game);

-- The log. Its key alone decides between two writers, and a number needs the one before it.
-- In order of arrival: a commit of many games writes a third of the pages of a table by key.
CREATE TABLE entries (
    game INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL CHECK (seq > 0),
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    payload BLOB NOT NULL,            -- a LogEntry of the contract
    chain BLOB NOT NULL,              -- the hash of this entry and all before it
    PRIMARY KEY (game, seq)
) STRICT;
CREATE TRIGGER entries_have_no_gap BEFORE INSERT ON entries
WHEN NEW.seq > 1 AND NOT EXISTS
    (SELECT 1 FROM entries WHERE game = NEW.game AND seq = NEW.seq - 1)
BEGIN
    SELECT RAISE(ABORT, 'the entry before it is missing');
END;

-- Idempotency keys with their first answers. scope: the game, or 0 for a request to create one.
CREATE TABLE requests (
    scope INTEGER NOT NULL,
    caller BLOB NOT NULL,
    request_id TEXT NOT NULL,
    game INTEGER NOT NULL,
    seq INTEGER NOT NULL,             -- the head of the log after it
    digest BLOB NOT NULL,             -- of what was asked
    answer BLOB NOT NULL,
    row_hash BLOB NOT NULL,
    UNIQUE (scope, caller, request_id)
) STRICT;
CREATE INDEX requests_to_create ON requests (game) WHERE scope = 0;

-- People, apart from the log, which names their player_id only: they can be erased.
CREATE TABLE people (
    game INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    player_id TEXT NOT NULL,
    client BLOB NOT NULL,             -- the hash of the client's secret; empty: erased
    display_name TEXT NOT NULL,
    row_hash BLOB NOT NULL,
    PRIMARY KEY (game, player_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX people_by_client ON people (client) WHERE client <> x'';

-- Who holds which seat now.
CREATE TABLE seats (
    game INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    player_id TEXT NOT NULL,
    row_hash BLOB NOT NULL,
    PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID;

-- Secrets: no query that lists games or reads logs touches these two tables.
CREATE TABLE secrets (
    game INTEGER PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
    seed BLOB NOT NULL,
    salt BLOB NOT NULL
) STRICT;

-- What must not be in the log, by the number of its entry.
CREATE TABLE private_parts (
    game INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    data BLOB NOT NULL,
    row_hash BLOB NOT NULL,
    PRIMARY KEY (game, seq)
) STRICT;

-- When there was a server: while there was none, no clock ran.
CREATE TABLE uptimes (
    since_ms INTEGER PRIMARY KEY,
    until_ms INTEGER NOT NULL,
    row_hash BLOB NOT NULL
) STRICT;
