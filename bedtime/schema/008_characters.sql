-- In a script without spaces each character is a word of the search; `findable` is of this program (bedtime/lettering.py).
DELETE FROM story_words;
INSERT INTO story_words (rowid, title, text) SELECT id, findable(title), findable(text) FROM stories;
