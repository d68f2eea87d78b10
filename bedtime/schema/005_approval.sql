-- Who may see a story, said once: 0 every device, 1 a reader's that needs no approval, 2 grown-ups only.

ALTER TABLE stories ADD COLUMN guarded INTEGER GENERATED ALWAYS AS (
    CASE WHEN hidden_at IS NOT NULL THEN 2 WHEN approved_at IS NOT NULL THEN 0 WHEN held = '' THEN 1 ELSE 2 END
) VIRTUAL;

DROP INDEX stories_to_show;
CREATE INDEX stories_to_show ON stories (id DESC, request_id, favourite, series, guarded);
