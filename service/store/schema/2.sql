-- How many passages of an API have a time, and the sum of their times, from which the mean follows. Unlike total, it has recursive
-- passages in their own time and in that of the outer one. Of what is there already both are added up from the buckets: in
-- halves of 32 bits, so that no sum leaves the 63 bits of a number.

ALTER TABLE api ADD COLUMN timed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE api ADD COLUMN took BIGINT NOT NULL DEFAULT 0;
ALTER TABLE api ADD COLUMN took_hi BIGINT NOT NULL DEFAULT 0;

UPDATE api SET
	timed = CASE WHEN v.n + (v.n_low >> 32) >= 2147483648 THEN 9223372036854775807 ELSE ((v.n + (v.n_low >> 32)) << 32) + (v.n_low & 4294967295) END,
	took = (((v.ns + (v.ns_low >> 32)) & 1073741823) << 32) + (v.ns_low & 4294967295),
	took_hi = (v.ns + (v.ns_low >> 32)) >> 30
	FROM (SELECT api AS id,
		CAST(sum((count0 >> 32) + (count1 >> 32) + (count2 >> 32) + (count3 >> 32) + (count4 >> 32) + (count5 >> 32) + (count6 >> 32) + (count7 >> 32)) AS BIGINT) AS n,
		CAST(sum((count0 & 4294967295) + (count1 & 4294967295) + (count2 & 4294967295) + (count3 & 4294967295)
			+ (count4 & 4294967295) + (count5 & 4294967295) + (count6 & 4294967295) + (count7 & 4294967295)) AS BIGINT) AS n_low,
		CAST(sum((sum0 >> 32) + (sum1 >> 32) + (sum2 >> 32) + (sum3 >> 32) + (sum4 >> 32) + (sum5 >> 32) + (sum6 >> 32) + (sum7 >> 32)) AS BIGINT) AS ns,
		CAST(sum((sum0 & 4294967295) + (sum1 & 4294967295) + (sum2 & 4294967295) + (sum3 & 4294967295)
			+ (sum4 & 4294967295) + (sum5 & 4294967295) + (sum6 & 4294967295) + (sum7 & 4294967295)) AS BIGINT) AS ns_low
		FROM bucket WHERE series = 0 GROUP BY api) AS v
	WHERE api.id = v.id;
