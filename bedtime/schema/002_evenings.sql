-- Series, favourites, reactions, search, plans for evenings, notes that expire.

ALTER TABLE stories ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE stories ADD COLUMN season TEXT NOT NULL DEFAULT '';
ALTER TABLE stories ADD COLUMN series INTEGER;                       -- the id of its first part; NULL: a story of its own
ALTER TABLE stories ADD COLUMN part INTEGER NOT NULL DEFAULT 1 CHECK (part >= 1);
ALTER TABLE stories ADD COLUMN favourite INTEGER NOT NULL DEFAULT 0 CHECK (favourite IN (0, 1));
ALTER TABLE stories ADD COLUMN again_at REAL;                        -- somebody said "again!", and it was not read since

CREATE INDEX stories_of_series ON stories (series, part) WHERE series IS NOT NULL;
CREATE INDEX stories_favourite ON stories (id) WHERE favourite = 1;
CREATE INDEX stories_again ON stories (id) WHERE again_at IS NOT NULL;

CREATE VIRTUAL TABLE story_words USING fts5 (title, text, tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO story_words (rowid, title, text) SELECT id, title, text FROM stories;

-- What they thought of a story: it steers the next one.
CREATE TABLE reactions (
    story_id   INTEGER NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    reaction   TEXT    NOT NULL
                       CHECK (reaction IN ('loved_it', 'too_scary', 'too_long', 'too_babyish', 'too_hard')),
    created_at REAL    NOT NULL,
    PRIMARY KEY (story_id, reaction)
) STRICT, WITHOUT ROWID;

-- "Dentist on Thursday", "no hospitals until the 20th": goes into the prompt until it expires.
CREATE TABLE notes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    text       TEXT NOT NULL CHECK (text <> ''),
    expires_at REAL NOT NULL,
    created_at REAL NOT NULL
) STRICT;

CREATE TABLE schedules (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    children   TEXT    NOT NULL,              -- JSON: ids, in the order of the form
    days       TEXT    NOT NULL,              -- JSON: 0 for Monday to 6
    at         TEXT    NOT NULL,              -- HH:MM on the wall of zone
    zone       TEXT    NOT NULL,              -- IANA name
    minutes    INTEGER NOT NULL CHECK (minutes BETWEEN 3 AND 15),
    mood       TEXT    NOT NULL CHECK (mood IN ('calm', 'funny', 'adventure', 'very_sleepy')),
    themes     TEXT    NOT NULL DEFAULT '',   -- one a line; they take turns
    language   TEXT    NOT NULL DEFAULT 'en',
    paused     INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    since      REAL    NOT NULL               -- nothing that was due before this is planned
) STRICT;

-- What was planned, whatever became of it: one a schedule and date.
CREATE TABLE planned_evenings (
    schedule_id INTEGER NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    date        TEXT    NOT NULL,             -- YYYY-MM-DD on the schedule's wall
    job_id      INTEGER NOT NULL REFERENCES jobs (id),
    PRIMARY KEY (schedule_id, date)
) STRICT, WITHOUT ROWID;
