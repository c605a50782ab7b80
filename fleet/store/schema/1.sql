-- What the store has of each table is in docs/store.md. The words are those of PostgreSQL; for SQLite, BIGINT is
-- INTEGER, BYTEA is BLOB, and tables are STRICT and WITHOUT ROWID.

-- One row: what there is, which bounds it, and the number of the last change.
CREATE TABLE total (
	id BIGINT PRIMARY KEY,
	apis BIGINT NOT NULL,
	origins BIGINT NOT NULL,
	names BIGINT NOT NULL,
	writers BIGINT NOT NULL,
	revision BIGINT NOT NULL
);
INSERT INTO total (id, apis, origins, names, writers, revision) VALUES (1, 0, 0, 0, 0, 0);

CREATE TABLE api (
	id BIGINT PRIMARY KEY,
	name TEXT NOT NULL,
	package TEXT NOT NULL,
	kind TEXT NOT NULL,
	file TEXT NOT NULL,
	line BIGINT NOT NULL,
	col BIGINT NOT NULL,
	grp TEXT NOT NULL,
	as_of BIGINT NOT NULL,
	first BIGINT NOT NULL,
	changed BIGINT NOT NULL,
	revision BIGINT NOT NULL,
	runs BIGINT NOT NULL,
	count BIGINT NOT NULL,
	total BIGINT NOT NULL,
	total_hi BIGINT NOT NULL,
	most BIGINT NOT NULL,
	reported BIGINT NOT NULL
);
CREATE INDEX api_revision ON api (revision, id);
CREATE INDEX api_name ON api (name, id);

CREATE TABLE words (
	api BIGINT NOT NULL,
	hash BIGINT NOT NULL,
	name TEXT NOT NULL,
	package TEXT NOT NULL,
	kind TEXT NOT NULL,
	file TEXT NOT NULL,
	line BIGINT NOT NULL,
	col BIGINT NOT NULL,
	grp TEXT NOT NULL,
	as_of BIGINT NOT NULL,
	PRIMARY KEY (api, hash)
);

CREATE TABLE origin (
	id BIGINT PRIMARY KEY,
	build TEXT NOT NULL,
	go TEXT NOT NULL,
	goos TEXT NOT NULL,
	goarch TEXT NOT NULL,
	cpu TEXT NOT NULL,
	first BIGINT NOT NULL,
	changed BIGINT NOT NULL,
	UNIQUE (build, go, goos, goarch, cpu)
);

CREATE TABLE name (
	id BIGINT PRIMARY KEY,
	collector TEXT NOT NULL,
	value TEXT NOT NULL,
	is_value BIGINT NOT NULL,
	UNIQUE (collector, value, is_value)
);

CREATE TABLE reach (
	api BIGINT NOT NULL,
	origin BIGINT NOT NULL,
	PRIMARY KEY (api, origin)
);

CREATE TABLE cell (
	api BIGINT NOT NULL,
	origin BIGINT NOT NULL,
	day BIGINT NOT NULL,
	"runs" BIGINT NOT NULL,
	"count" BIGINT NOT NULL,
	"open" BIGINT NOT NULL,
	"self" BIGINT NOT NULL,
	"nested" BIGINT NOT NULL,
	"ticks" BIGINT NOT NULL,
	"least" BIGINT NOT NULL,
	"most" BIGINT NOT NULL,
	"first_least" BIGINT NOT NULL,
	"first_most" BIGINT NOT NULL,
	"sample" BIGINT NOT NULL,
	"flags" BIGINT NOT NULL,
	PRIMARY KEY (api, origin, day)
);

CREATE TABLE bucket (
	api BIGINT NOT NULL,
	origin BIGINT NOT NULL,
	day BIGINT NOT NULL,
	series BIGINT NOT NULL,
	part BIGINT NOT NULL,
	"count0" BIGINT NOT NULL,
	"sum0" BIGINT NOT NULL,
	"sq0" BIGINT NOT NULL,
	"sq0_hi" BIGINT NOT NULL,
	"count1" BIGINT NOT NULL,
	"sum1" BIGINT NOT NULL,
	"sq1" BIGINT NOT NULL,
	"sq1_hi" BIGINT NOT NULL,
	"count2" BIGINT NOT NULL,
	"sum2" BIGINT NOT NULL,
	"sq2" BIGINT NOT NULL,
	"sq2_hi" BIGINT NOT NULL,
	"count3" BIGINT NOT NULL,
	"sum3" BIGINT NOT NULL,
	"sq3" BIGINT NOT NULL,
	"sq3_hi" BIGINT NOT NULL,
	"count4" BIGINT NOT NULL,
	"sum4" BIGINT NOT NULL,
	"sq4" BIGINT NOT NULL,
	"sq4_hi" BIGINT NOT NULL,
	"count5" BIGINT NOT NULL,
	"sum5" BIGINT NOT NULL,
	"sq5" BIGINT NOT NULL,
	"sq5_hi" BIGINT NOT NULL,
	"count6" BIGINT NOT NULL,
	"sum6" BIGINT NOT NULL,
	"sq6" BIGINT NOT NULL,
	"sq6_hi" BIGINT NOT NULL,
	"count7" BIGINT NOT NULL,
	"sum7" BIGINT NOT NULL,
	"sq7" BIGINT NOT NULL,
	"sq7_hi" BIGINT NOT NULL,
	PRIMARY KEY (api, origin, day, series, part)
);

CREATE TABLE estimate (
	api BIGINT NOT NULL,
	origin BIGINT NOT NULL,
	day BIGINT NOT NULL,
	"samples" BIGINT NOT NULL,
	"seen" BIGINT NOT NULL,
	"count_var" BIGINT NOT NULL,
	"count_var_hi" BIGINT NOT NULL,
	"sum_var" BIGINT NOT NULL,
	"sum_var_hi" BIGINT NOT NULL,
	"picks" BIGINT NOT NULL,
	"weight" BIGINT NOT NULL,
	"weight_hi" BIGINT NOT NULL,
	"picked" BIGINT NOT NULL,
	"picked_hi" BIGINT NOT NULL,
	"picked_var" BIGINT NOT NULL,
	"picked_var_hi" BIGINT NOT NULL,
	PRIMARY KEY (api, origin, day)
);

CREATE TABLE reading (
	api BIGINT NOT NULL,
	origin BIGINT NOT NULL,
	day BIGINT NOT NULL,
	value BIGINT NOT NULL,
	"sum" BIGINT NOT NULL,
	"self" BIGINT NOT NULL,
	"nested" BIGINT NOT NULL,
	PRIMARY KEY (api, origin, day, value)
);

CREATE TABLE head (
	origin BIGINT NOT NULL,
	day BIGINT NOT NULL,
	"batches" BIGINT NOT NULL,
	"runs" BIGINT NOT NULL,
	"elapsed" BIGINT NOT NULL,
	"lost" BIGINT NOT NULL,
	"flags" BIGINT NOT NULL,
	"sample" BIGINT NOT NULL,
	"windows" BIGINT NOT NULL,
	"open" BIGINT NOT NULL,
	"net" BIGINT NOT NULL,
	"of" BIGINT NOT NULL,
	"wild_runs" BIGINT NOT NULL,
	"wild_picked" BIGINT NOT NULL,
	"wild_of" BIGINT NOT NULL,
	"wild_loaded" BIGINT NOT NULL,
	"wild_full" BIGINT NOT NULL,
	"wild_noplace" BIGINT NOT NULL,
	PRIMARY KEY (origin, day)
);

CREATE TABLE batch (
	run BYTEA NOT NULL,
	sequence BIGINT NOT NULL,
	build BIGINT NOT NULL,
	digest BYTEA NOT NULL,
	came BIGINT NOT NULL,
	PRIMARY KEY (run, sequence, build)
);

CREATE TABLE log (
	writer BIGINT NOT NULL,
	number BIGINT NOT NULL,
	origin BIGINT NOT NULL,
	day BIGINT NOT NULL,
	body BYTEA NOT NULL,
	PRIMARY KEY (writer, number)
);

CREATE TABLE writer (
	id BIGINT PRIMARY KEY,
	owner BYTEA NOT NULL,
	beat BIGINT NOT NULL
);

CREATE TABLE written (
	writer BIGINT NOT NULL,
	chunk BIGINT NOT NULL,
	number BIGINT NOT NULL,
	PRIMARY KEY (writer, chunk)
);

CREATE TABLE token (
	id TEXT PRIMARY KEY,
	hash BYTEA NOT NULL,
	name TEXT NOT NULL,
	scopes TEXT NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	revoked BIGINT NOT NULL,
	UNIQUE (hash)
);
