-- Two counts that stand on pages read an index, and no longer every story: a story's text is long.
CREATE INDEX stories_by_eyes ON stories (guarded);

DROP INDEX stories_to_approve;
CREATE INDEX stories_to_approve ON stories (id, held) WHERE approved_at IS NULL AND hidden_at IS NULL;

DROP INDEX stories_again;
CREATE INDEX stories_again ON stories (guarded) WHERE again_at IS NOT NULL;
