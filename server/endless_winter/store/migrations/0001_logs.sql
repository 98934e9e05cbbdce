-- The logs of games, and an index of the games for listing.
-- 0x45577374 is "EWst": tells our files from other SQLite files.
PRAGMA application_id = 1163359092;

CREATE TABLE packs (
    hash TEXT PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- Derived from the marks of the entries: 'ew store check' derives it again and compares.
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    game_id TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    rules_version TEXT NOT NULL,
    content_hash TEXT NOT NULL REFERENCES packs (hash),
    config BLOB NOT NULL,
    commitment BLOB NOT NULL,
    creator BLOB NOT NULL,
    listed INTEGER NOT NULL,
    seats INTEGER NOT NULL,
    rivers INTEGER NOT NULL,
    solo INTEGER NOT NULL,
    title TEXT NOT NULL,
    tournament_id TEXT NOT NULL,
    status INTEGER NOT NULL,
    started_ms INTEGER,
    ended_ms INTEGER,
    open_seats INTEGER NOT NULL,
    sealed INTEGER NOT NULL,
    summary BLOB NOT NULL
) STRICT;
CREATE INDEX games_by_age ON games (created_ms, id);
CREATE INDEX games_unfinished ON games (created_ms, id) WHERE status < 4;
CREATE INDEX games_by_creator ON games (creator) WHERE creator <> x'';
CREATE INDEX games_by_tournament ON games (tournament_id) WHERE tournament_id <> '';

CREATE TABLE tags (
    tag TEXT NOT NULL,
    game INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    PRIMARY KEY (tag, game)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_game ON tags (game);

CREATE TABLE holders (
    game INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    client BLOB NOT NULL,
    PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX holders_by_client ON holders (client);

-- Seeds stand apart: no query that lists or reads a log touches this table.
CREATE TABLE secrets (
    game INTEGER PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
    seed BLOB NOT NULL,
    salt BLOB NOT NULL
) STRICT;

-- A table in order of arrival: a commit of many games writes few pages.
CREATE TABLE entries (
    game INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL CHECK (seq > 0),
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    payload BLOB NOT NULL,
    private BLOB NOT NULL,
    events BLOB NOT NULL,
    position_hash BLOB NOT NULL,
    marks TEXT,
    PRIMARY KEY (game, seq)
) STRICT;

-- scope: the game, or 0 for requests to create one. No reference to games: it would need a whole
-- index more, and a request is only ever written together with entries, which have one.
CREATE TABLE requests (
    scope INTEGER NOT NULL,
    caller BLOB NOT NULL,
    request_id TEXT NOT NULL,
    game INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    answer BLOB NOT NULL,
    PRIMARY KEY (scope, caller, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_to_create ON requests (game) WHERE scope = 0;
