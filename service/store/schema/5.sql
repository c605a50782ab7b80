-- Call paths. A node is the scopes of an API, with a label, directly inside those of another node; its figures are by origin and
-- day, in rows of value 0; the other values are numbers of the table name. The nodes of API 0 are for scopes beyond the limit of nodes.

ALTER TABLE total ADD COLUMN nodes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE head ADD COLUMN path_runs BIGINT NOT NULL DEFAULT 0;
ALTER TABLE head ADD COLUMN path_lost BIGINT NOT NULL DEFAULT 0;
ALTER TABLE head ADD COLUMN path_labels BIGINT NOT NULL DEFAULT 0;

CREATE TABLE node (
	id BIGINT PRIMARY KEY,
	parent BIGINT NOT NULL,
	api BIGINT NOT NULL,
	starts BIGINT NOT NULL,
	label TEXT NOT NULL,
	UNIQUE (parent, api, starts, label)
);

CREATE TABLE path (
	api BIGINT NOT NULL,
	origin BIGINT NOT NULL,
	day BIGINT NOT NULL,
	node BIGINT NOT NULL,
	value BIGINT NOT NULL,
	"count" BIGINT NOT NULL DEFAULT 0,
	"sum" BIGINT NOT NULL DEFAULT 0,
	"nested" BIGINT NOT NULL DEFAULT 0,
	"self" BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (api, origin, day, node, value)
);
