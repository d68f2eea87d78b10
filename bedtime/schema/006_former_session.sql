-- A press that comes twice finds its device although the first has changed the session id: for seconds, and without the PIN.
ALTER TABLE devices ADD COLUMN former_key_sha256 TEXT;
ALTER TABLE devices ADD COLUMN former_until REAL NOT NULL DEFAULT 0;
