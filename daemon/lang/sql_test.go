package lang

import "testing"

func TestSQL(t *testing.T) {
	check(t, "sqlite", []sample{
		{"select readfile('/etc/passwd')", "read /etc/passwd"},
		{"SELECT writefile('/tmp/x', data) FROM t", "write /tmp/x"},
		{"select readfile('/etc/' || name) from t", "read /etc/…"},
		{"select readfile(path) from t", "unknown"},
		{".shell cat /etc/passwd", "shell cat /etc/passwd"},
		{".system ls '/x'", "shell ls '/x'"},
		{".read /tmp/x.sql\n.output /tmp/o\nselect 1;", "read /tmp/x.sql; write /tmp/o"},
		{".once -x |cat", "shell cat"},
		{".import \"|cat /x\" t", "shell cat /x"},
		{".import --csv --skip 1 /tmp/x.csv t", "read /tmp/x.csv"},
		{".backup main /tmp/b.db", "write /tmp/b.db"},
		{".open '/tmp/x y.db'", "read /tmp/x y.db; write /tmp/x y.db"},
		{".load /tmp/x.so", "execute /tmp/x.so"},
		{"attach database '/tmp/o.db' as o; select 1", "read /tmp/o.db; write /tmp/o.db"},
		{"ATTACH 'file:/tmp/o.db?mode=ro' AS o", "read /tmp/o.db; write /tmp/o.db"},
		{"vacuum into '/tmp/v.db'", "write /tmp/v.db"},
		{"select load_extension('/tmp/x')", "execute /tmp/x"},
		{"…", "unknown"},
		{"select 1; …", "unknown"},
		{".dump users", ""},
		{".schema users", ""},
		{"attach ':memory:' as m", ""},
		{"VACUUM", ""},
		{"select * from t where path = '/etc/x' and id = …", ""},
		{"insert into t values ('/etc/x', '.read /y')", ""},
		{"-- readfile('/x')\nselect 1 /* readfile('/y') */", ""},
		{"select 'it''s readfile(' from t", ""},
	})
	check(t, "psql", []sample{
		{`\i /tmp/x.sql`, "read /tmp/x.sql"},
		{`\o /tmp/o`, "write /tmp/o"},
		{`\o |cat > /x`, "shell cat > /x"},
		{`\! cat /etc/passwd`, "shell cat /etc/passwd"},
		{`\copy t from '/tmp/x.csv' with csv`, "read /tmp/x.csv"},
		{`\copy (select 1) to /tmp/o.csv csv`, "write /tmp/o.csv"},
		{`\copy t from program 'cat /x'`, "shell cat /x"},
		{`\copy (SELECT * FROM orders) TO '/tmp/o.csv' CSV`, "write /tmp/o.csv"},
		{`\copy t from stdin`, ""},
		{"select 1 \\g /tmp/o", "write /tmp/o"},
		{"\\set x `cat /etc/x`", "shell cat /etc/x"},
		{"COPY t FROM '/tmp/x.csv'", "read /tmp/x.csv"},
		{"COPY t TO PROGRAM 'cat > /x'", "shell cat > /x"},
		{"COPY (SELECT * FROM t) TO STDOUT", ""},
		{"select pg_read_file('/etc/passwd')", "read /etc/passwd"},
		{"SELECT lo_export(1, '/tmp/x')", "write /tmp/x"},
		{`\d users`, ""},
		{`SELECT id, url FROM pages WHERE url ~ '^/blog/' LIMIT 5`, ""},
		{"select $$ COPY t FROM '/x' $$", ""},
		{"select substring('/a/b' from '/a')", ""},
		{"SELECT * FROM … WHERE id IN (…, …) LIMIT …", ""},
	})
	check(t, "mysql", []sample{
		{"source /tmp/x.sql", "read /tmp/x.sql"},
		{"\\. /tmp/x.sql", "read /tmp/x.sql"},
		{"system cat /etc/passwd", "shell cat /etc/passwd"},
		{"\\! cat /x", "shell cat /x"},
		{"tee /tmp/log;", "write /tmp/log"},
		{"select * into outfile '/tmp/x' from t", "write /tmp/x"},
		{"LOAD DATA LOCAL INFILE '/tmp/x' INTO TABLE t", "read /tmp/x"},
		{`select load_file("/etc/passwd")`, "read /etc/passwd"},
		{"SHOW TABLES", ""},
		{"select '\\'', '/etc/x' # load_file('/x')", ""},
	})
	check(t, "duckdb", []sample{
		{"select * from '/data/x.csv'", "read /data/x.csv"},
		{"from read_csv('/data/*.csv', header=true)", "read /data/*.csv"},
		{"select * from read_parquet(['/a.parquet', 'b.parquet'])", "read /a.parquet; read b.parquet"},
		{"copy t to '/tmp/o.parquet' (format parquet)", "write /tmp/o.parquet"},
		{"export database '/tmp/d'", "write /tmp/d"},
		{"select 'a' from t", ""},
	})
}

func TestFileQuery(t *testing.T) {
	check(t, "filequery", []sample{
		{"SELECT * FROM /srv/a.csv", "read /srv/a.csv"},
		{"select * from `/srv/a.csv` a join '/srv/b.csv' b on a.id = b.id where a.p = '/etc/x'", "read /srv/a.csv; read /srv/b.csv"},
		{`SELECT name FROM "/srv/a b.json" WHERE x LIKE '/y/%'`, "read /srv/a b.json"},
		{"SELECT count(*) FROM /srv/a.csv+/srv/b.csv, ./c.csv", "read /srv/a.csv; read /srv/b.csv; read ./c.csv"},
		{"SELECT * FROM (SELECT a FROM /srv/a.csv) t", "read /srv/a.csv"},
		{"SELECT * FROM /srv/a.json?tail=true; select 1", "read /srv/a.json"},
		{"SELECT * FROM /srv/a.json::.rows", "read /srv/a.json"},
		{"UPDATE `/srv/a.csv` SET a = '/x'", "write /srv/a.csv"},
		{"INSERT INTO /srv/a.csv VALUES ('/x')", "write /srv/a.csv"},
		{"select '/etc/x', 1/2", ""},
		{"SELECT * FROM /srv/…/a.csv WHERE id = …", "read /srv/…/a.csv"},
		{"…", "unknown"},
		{"select * from '", "read "},
	})
}
