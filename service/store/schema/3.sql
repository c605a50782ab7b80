-- Starts of runs are to the hour, and not later than what came: so a start that somebody made up decides about words no longer than
-- others from then on.

UPDATE api SET as_of = CASE WHEN as_of > changed * 1000000 THEN changed * 1000000 ELSE as_of END WHERE as_of > 0;
UPDATE api SET as_of = as_of - as_of % 3600000000000 WHERE as_of > 0;

-- What a batch was added to, and by whose token it came; whose the words are. Of what came before that is not known.

ALTER TABLE batch ADD COLUMN origin BIGINT NOT NULL DEFAULT 0;
ALTER TABLE batch ADD COLUMN day BIGINT NOT NULL DEFAULT 0;
ALTER TABLE batch ADD COLUMN token TEXT NOT NULL DEFAULT '';
ALTER TABLE words ADD COLUMN origin BIGINT NOT NULL DEFAULT 0;
