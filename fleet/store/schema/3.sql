-- Starts of runs are to the hour, and not later than what came: so a start that somebody made up decides about words no longer than
-- others from then on.

UPDATE api SET as_of = CASE WHEN as_of > changed * 1000000 THEN changed * 1000000 ELSE as_of END WHERE as_of > 0;
UPDATE api SET as_of = as_of - as_of % 3600000000000 WHERE as_of > 0;
