-- The queue, the ledger, and the shelf. Times are unix seconds (UTC); money is whole micro-units.

CREATE TABLE queues (
    name          TEXT PRIMARY KEY,
    paused_at     REAL,
    paused_reason TEXT,     -- a code: key, money, model, price, storyteller, quota, unknown_twice, hand
    paused_detail TEXT,     -- one sentence, for a person
    CHECK ((paused_at IS NULL) = (paused_reason IS NULL))
) STRICT;

INSERT INTO queues (name) VALUES ('stories'), ('book');

CREATE TABLE jobs (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    queue            TEXT    NOT NULL REFERENCES queues (name),
    kind             TEXT    NOT NULL,
    payload          TEXT    NOT NULL DEFAULT '{}',  -- ids only, never a name
    status           TEXT    NOT NULL DEFAULT 'pending'
                             CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
    priority         INTEGER NOT NULL DEFAULT 0,
    run_after        REAL    NOT NULL,
    expires_at       REAL,
    attempts         INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    claimed_at       REAL,
    lease_expires_at REAL,
    claimed_by       TEXT,
    sent_at          REAL,
    failures         INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    error_code       TEXT,
    error_text       TEXT,
    retry_of         INTEGER REFERENCES jobs (id),
    dedupe_key       TEXT,
    created_at       REAL    NOT NULL,
    completed_at     REAL,
    CHECK ((lease_expires_at IS NOT NULL) = (status = 'running')),
    CHECK ((completed_at IS NOT NULL) = (status IN ('completed', 'failed', 'cancelled'))),
    CHECK (status <> 'failed' OR error_code IS NOT NULL),
    CHECK (status NOT IN ('pending', 'cancelled') OR sent_at IS NULL)    -- what may have been bought is never handed out again
) STRICT;

-- Asked again twice is asked again once, and planned twice is planned once; most jobs are neither, and pay for no entry.
CREATE UNIQUE INDEX jobs_asked_again ON jobs (retry_of) WHERE retry_of IS NOT NULL;
CREATE UNIQUE INDEX jobs_planned ON jobs (kind, dedupe_key) WHERE dedupe_key IS NOT NULL;

CREATE INDEX jobs_to_claim ON jobs (queue, priority DESC, id) WHERE status = 'pending';
CREATE INDEX jobs_on_lease ON jobs (lease_expires_at) WHERE status = 'running';
CREATE INDEX jobs_to_expire ON jobs (expires_at) WHERE status = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX jobs_dead ON jobs (queue, error_code) WHERE status = 'failed';

CREATE TABLE children (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    nickname   TEXT NOT NULL CHECK (nickname <> ''),
    band       TEXT NOT NULL CHECK (band IN ('2-3', '4-5', '6-7', '8-10')),
    pronouns   TEXT NOT NULL CHECK (pronouns IN ('she', 'he', 'they')),
    likes      TEXT NOT NULL DEFAULT '',
    friends    TEXT NOT NULL DEFAULT '',
    leave_out  TEXT NOT NULL DEFAULT '',
    created_at REAL NOT NULL
) STRICT;

CREATE TABLE story_requests (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    idempotency_key TEXT    NOT NULL UNIQUE,
    fingerprint     TEXT    NOT NULL,
    job_id          INTEGER UNIQUE REFERENCES jobs (id),    -- the first job; filled in by the transaction that inserts the row
    idea            TEXT    NOT NULL,
    today           TEXT    NOT NULL,
    minutes         INTEGER NOT NULL CHECK (minutes BETWEEN 3 AND 15),
    mood            TEXT    NOT NULL CHECK (mood IN ('calm', 'funny', 'adventure', 'very_sleepy')),
    lesson          TEXT    NOT NULL,
    language        TEXT    NOT NULL,
    continues       INTEGER REFERENCES stories (id),
    shape           TEXT    NOT NULL DEFAULT '',             -- chosen when it is told
    created_at      REAL    NOT NULL
) STRICT;

-- Who is in a story: slot {child:position} of its text. A deleted child leaves its place, not its name.
CREATE TABLE casts (
    request_id INTEGER NOT NULL REFERENCES story_requests (id),
    position   INTEGER NOT NULL CHECK (position >= 1),
    child_id   INTEGER REFERENCES children (id) ON DELETE SET NULL,
    stand_in   TEXT    NOT NULL,
    pronouns   TEXT    NOT NULL,
    listens    INTEGER NOT NULL CHECK (listens IN (0, 1)),
    PRIMARY KEY (request_id, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX casts_by_child ON casts (child_id, request_id);

-- The ledger: one request to a provider a row.
CREATE TABLE calls (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id          INTEGER NOT NULL REFERENCES jobs (id),
    attempt         INTEGER NOT NULL,
    model           TEXT    NOT NULL,
    host            TEXT    NOT NULL,
    status          TEXT    NOT NULL CHECK (status IN ('sending', 'received', 'settled', 'unknown', 'refused')),
    period          TEXT    NOT NULL,                                -- YYYY-MM
    reserved_micros INTEGER NOT NULL CHECK (reserved_micros >= 0),
    spent_micros    INTEGER CHECK (spent_micros >= 0),
    tokens_in       INTEGER,
    tokens_out      INTEGER,
    draft           TEXT    NOT NULL DEFAULT '',
    words           INTEGER NOT NULL DEFAULT 0,
    raw             BLOB,
    finish_reason   TEXT,
    outcome         TEXT,
    sent_at         REAL    NOT NULL,
    received_at     REAL,
    settled_at      REAL,
    CHECK ((spent_micros IS NOT NULL) = (status = 'settled')),
    CHECK (status <> 'received' OR raw IS NOT NULL),
    UNIQUE (job_id, attempt)
) STRICT;

-- The second bill for one job is refused here, whatever the code does.
CREATE UNIQUE INDEX calls_one_bill_a_job ON calls (job_id) WHERE status <> 'refused';
CREATE INDEX calls_of_period ON calls (period, status);
CREATE INDEX calls_unsettled ON calls (status) WHERE status IN ('sending', 'received');

CREATE TABLE stories (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id     INTEGER NOT NULL UNIQUE REFERENCES jobs (id),
    request_id INTEGER NOT NULL REFERENCES story_requests (id),
    title      TEXT    NOT NULL CHECK (title <> ''),
    text       TEXT    NOT NULL,                                     -- paragraphs with slots, divided by blank lines
    sha256     TEXT    NOT NULL,                                     -- of title, line feed, text
    language   TEXT    NOT NULL,
    minutes    INTEGER NOT NULL,
    told_by    TEXT    NOT NULL,                                     -- 'book' or the model
    tale       TEXT,                                                 -- which tale of the book
    shape      TEXT    NOT NULL DEFAULT '',
    recap      TEXT    NOT NULL DEFAULT '',
    cast_text  TEXT    NOT NULL DEFAULT '',
    flags      TEXT    NOT NULL DEFAULT '',                          -- words divided by spaces
    created_at REAL    NOT NULL
) STRICT;

CREATE INDEX stories_by_request ON stories (request_id);

-- How far a story was read aloud; a row at all means that it was opened.
CREATE TABLE readings (
    story_id   INTEGER PRIMARY KEY REFERENCES stories (id) ON DELETE CASCADE,
    paragraph  INTEGER NOT NULL DEFAULT 1 CHECK (paragraph >= 1),
    read_at    REAL    NOT NULL
) STRICT;

-- What the queues look like now: serves the page, the command line and the metrics.
CREATE VIEW queue_now AS
SELECT q.name, q.paused_at, q.paused_reason, q.paused_detail,
       (SELECT count(*) FROM jobs j WHERE j.queue = q.name AND j.status = 'pending')           AS pending,
       (SELECT min(j.created_at) FROM jobs j WHERE j.queue = q.name AND j.status = 'pending')  AS oldest_pending_at,
       (SELECT min(j.run_after) FROM jobs j WHERE j.queue = q.name AND j.status = 'pending')   AS oldest_due_at,
       (SELECT count(*) FROM jobs j WHERE j.queue = q.name AND j.status = 'running')           AS running,
       (SELECT count(*) FROM jobs j WHERE j.queue = q.name AND j.status = 'failed')            AS failed
  FROM queues q;
