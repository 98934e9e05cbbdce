-- When a server had this store, and until when it is known to have: whoever was thinking meanwhile
-- was thinking, and while there was no server no clock ran.
CREATE TABLE uptimes (
    since_ms INTEGER PRIMARY KEY,
    until_ms INTEGER NOT NULL CHECK (until_ms >= since_ms)
) STRICT;
