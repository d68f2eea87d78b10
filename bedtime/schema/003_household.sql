-- Who may come in, and what the household chose.

CREATE TABLE settings (
    name       TEXT PRIMARY KEY,
    value      TEXT NOT NULL,
    changed_at REAL NOT NULL
) STRICT;

-- While this table is empty no grown-up exists, and nothing is served to the network.
CREATE TABLE secrets (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    passphrase TEXT NOT NULL,             -- scrypt: n$r$p$salt$hash, hexadecimal
    pin        TEXT NOT NULL,
    changed_at REAL NOT NULL
) STRICT;

CREATE TABLE devices (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT    NOT NULL,
    role             TEXT    NOT NULL CHECK (role IN ('reader', 'grown_up', 'script')),
    key_sha256       TEXT    NOT NULL UNIQUE,               -- of the session id or of the bearer token; never the thing itself
    approval         INTEGER NOT NULL DEFAULT 1 CHECK (approval IN (0, 1)),  -- a reader's: only approved stories are seen
    pin_until        REAL    NOT NULL DEFAULT 0,            -- the PIN was given, and holds until then
    daily_cap_micros INTEGER CHECK (daily_cap_micros >= 0), -- a script's own
    created_at       REAL    NOT NULL,
    seen_at          REAL    NOT NULL,
    expires_at       REAL,                                  -- NULL: a script's token holds until it is revoked
    CHECK ((expires_at IS NULL) = (role = 'script')),
    CHECK (pin_until = 0 OR role = 'grown_up')
) STRICT;

-- A pairing code works once, for ten minutes, for the role that was chosen when it was made.
CREATE TABLE pairings (
    code_sha256 TEXT PRIMARY KEY,
    device_name TEXT NOT NULL,
    role        TEXT NOT NULL CHECK (role IN ('reader', 'grown_up')),
    approval    INTEGER NOT NULL CHECK (approval IN (0, 1)),
    expires_at  REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Wrong guesses, counted for the household and not for an address.
CREATE TABLE guesses (
    what          TEXT PRIMARY KEY CHECK (what IN ('passphrase', 'pin')),
    failures      INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    blocked_until REAL    NOT NULL DEFAULT 0
) STRICT;

INSERT INTO guesses (what) VALUES ('passphrase'), ('pin');

-- What a reader's device wished, and nobody has bought.
CREATE TABLE wishes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    device_id  INTEGER REFERENCES devices (id) ON DELETE SET NULL,
    fields     TEXT    NOT NULL,           -- JSON, as the form has them; children by id
    created_at REAL    NOT NULL,
    decided_at REAL,
    request_id INTEGER REFERENCES story_requests (id)   -- set when a grown-up turned it into a request
) STRICT;

CREATE INDEX wishes_open ON wishes (id) WHERE decided_at IS NULL;

-- A reader sees a story only once `approved_at` is set; `held` says why a check kept it back, in words divided by spaces.
ALTER TABLE stories ADD COLUMN approved_at REAL;
ALTER TABLE stories ADD COLUMN hidden_at REAL;
ALTER TABLE stories ADD COLUMN held TEXT NOT NULL DEFAULT '';
ALTER TABLE stories ADD COLUMN first_title TEXT;        -- as it was told, kept when a grown-up edits it
ALTER TABLE stories ADD COLUMN first_text TEXT;
ALTER TABLE story_requests ADD COLUMN device_id INTEGER REFERENCES devices (id) ON DELETE SET NULL;  -- who asked

CREATE INDEX requests_of_device ON story_requests (device_id, created_at) WHERE device_id IS NOT NULL;
CREATE INDEX stories_to_approve ON stories (id) WHERE approved_at IS NULL AND hidden_at IS NULL;
