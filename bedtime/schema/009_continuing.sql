-- Each story that leaves asks which wishes continue it: with its child leave many.
CREATE INDEX requests_that_continue ON story_requests (continues) WHERE continues IS NOT NULL;
