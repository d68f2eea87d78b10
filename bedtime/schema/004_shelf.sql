-- The shelf chooses its page from this index, and reads the stories of that page alone: a story's text is long.

CREATE INDEX stories_to_show ON stories (id DESC, request_id, favourite, series);
