-- What was committed together, in order of arrival: the rows of all games in one value (rows.py).
-- A commit of many games writes one row here; once a game's part of it stands in its log, it goes.
CREATE TABLE moments (
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- Logs, each in parts of many entries. What is newer stands in moments.
CREATE TABLE logs (
    game INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    first_seq INTEGER NOT NULL CHECK (first_seq > 0),
    last_seq INTEGER NOT NULL CHECK (last_seq >= first_seq),
    data BLOB NOT NULL,
    PRIMARY KEY (game, last_seq)
) STRICT;

-- How often somebody else has removed games: the writer has to look again at what it remembers.
CREATE TABLE prunings (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    count INTEGER NOT NULL
) STRICT;
INSERT INTO prunings VALUES (1, 0);
