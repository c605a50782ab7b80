-- What each token sends is an origin of its own, so that its figures can be removed. same is the number of the first origin that
-- differs by its token only, or of itself. Of what came before the token is not known.

CREATE TABLE origin4 (
	id BIGINT PRIMARY KEY,
	build TEXT NOT NULL,
	go TEXT NOT NULL,
	goos TEXT NOT NULL,
	goarch TEXT NOT NULL,
	cpu TEXT NOT NULL,
	token TEXT NOT NULL DEFAULT '',
	same BIGINT NOT NULL DEFAULT 0,
	first BIGINT NOT NULL,
	changed BIGINT NOT NULL,
	UNIQUE (build, go, goos, goarch, cpu, token)
);
INSERT INTO origin4 (id, build, go, goos, goarch, cpu, first, changed) SELECT id, build, go, goos, goarch, cpu, first, changed FROM origin;
DROP TABLE origin;
ALTER TABLE origin4 RENAME TO origin;
UPDATE origin SET same = id WHERE same = 0;
