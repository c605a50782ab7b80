package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A sharedProgram is a command whose shares are compared, with an input that keeps it busy for some
// seconds.
type sharedProgram struct {
	name   string
	module string // path@version; "" for the program with known shares
	main   string // package of the module, relative to its root
	deep   bool   // its goroutines wait, so it is built with -deep

	// input writes the input to dir and returns the arguments of the command.
	input func(ctx context.Context, dir string) (args []string, err error)
}

var sharedPrograms = []sharedProgram{
	{"known", "", ".", false, noInput},
	{"scc", "github.com/boyter/scc/v3@v3.5.0", ".", true, goSource},
	{"goawk", "github.com/benhoyt/goawk@v1.29.1", ".", false, awkInput},
	{"gojq", "github.com/itchyny/gojq@v0.12.17", "./cmd/gojq", false, jsonInput},
	{"minify", "github.com/tdewolff/minify/v2@v2.24.8", "./cmd/minify", false, scriptInput},
	{"shfmt", "mvdan.cc/sh/v3@v3.13.0", "./cmd/shfmt", false, shellInput},
	{"gxz", "github.com/ulikunitz/xz@v0.5.17", "./cmd/gxz", true, compressInput},
	{"goja", "github.com/dop251/goja@v0.0.0-20260917113740-793a2a65c13b", "./goja", false, javascriptInput},
	{"glua", "github.com/yuin/gopher-lua@v1.1.2", "./cmd/glua", false, luaInput},
	{"jsonnet", "github.com/google/go-jsonnet@v0.22.0", "./cmd/jsonnet", false, jsonnetInput},
	{"esbuild", "github.com/evanw/esbuild@v0.28.2", "./cmd/esbuild", true, bundleInput},
}

func noInput(context.Context, string) ([]string, error) { return nil, nil }

// goSource is the source of the Go distribution.
func goSource(ctx context.Context, _ string) ([]string, error) {
	root, err := goRoot(ctx)
	return []string{filepath.Join(root, "src")}, err
}

func awkInput(_ context.Context, dir string) ([]string, error) {
	var text strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&text, "host%d GET /page/%d %d %d\n", i%977, i*i%4391, 200+i%3*100, i*7919%100_003)
	}
	program := `
function grade(size) { if (size < 1000) return "small"; if (size < 50000) return "medium"; return "large" }
{
	hits[$1]++; bytes[$3] += $5; n = split($4, part, "/"); depth += n; kind[grade($5)]++
	if ($4 ~ /9+$/) nines++
	for (i = 0; i < 5; i++) sum = (sum * 31 + $5 + i) % 65521
}
END { for (h in hits) total += hits[h]; print total, depth, nines, sum; for (k in kind) print k, kind[k] }
`
	return []string{"-f", "program.awk", "log.txt"}, writeInput(dir, map[string]string{"program.awk": program, "log.txt": text.String()})
}

func jsonInput(_ context.Context, dir string) ([]string, error) {
	var text strings.Builder
	text.WriteString("[")
	for i := range 200_000 {
		if i > 0 {
			text.WriteString(",\n")
		}
		fmt.Fprintf(&text, `{"id": %d, "name": "user %d", "tags": ["a%d", "b%d"], "score": %d.5, "address": {"city": "c%d", "zip": "%05d"}}`,
			i, i*7919%200_000, i%7, i%11, i%100, i%313, i%99_999)
	}
	text.WriteString("]\n")
	filter := `map(select(.score > 20) | {name, city: .address.city, tags: (.tags | join("-")), n: ([range(5)] | add + .id)})
| group_by(.city) | map({city: .[0].city, count: length, best: (map(.n) | max), tags: (map(.tags) | unique | length)})`
	filter = strings.Replace(filter, "([range(5)] | add + .id)", "(.id as $i | [range(5)] | add + $i)", 1)
	return []string{"-c", filter, "users.json"}, writeInput(dir, map[string]string{"users.json": text.String()})
}

// javascript returns code of n functions of several shapes.
func javascript(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `
// Adds up the entries of a list whose keys match, %[1]d.
function collectEntries%[1]d(entries, options) {
	var result = { total: 0, matched: [], skipped: %[1]d };
	for (var index = 0; index < entries.length; index++) {
		var entry = entries[index];
		if (entry === undefined || entry.key === null) { continue; }
		switch (entry.kind) {
		case "number": result.total += entry.value * (options.scale || 1); break;
		case "string": result.matched.push("item-" + entry.key + '"quoted"'); break;
		default: result.skipped = result.skipped + 1;
		}
	}
	return result.total > 100 ? result : Object.assign({}, result, { small: true });
}
class Handler%[1]d extends Base {
	constructor(name, ...rest) { super(name); this.rest = rest.filter(x => x !== null && x > %[1]d); }
	get size() { return this.rest.reduce((a, b) => a + b, 0); }
	run(callback) { try { return callback(this.size) || /ab+[c-e]/g.test(this.name); } catch (error) { return false; } }
}
`, i)
	}
	return text.String()
}

func scriptInput(_ context.Context, dir string) ([]string, error) {
	return []string{"-o", "out.js", "in.js"}, writeInput(dir, map[string]string{"in.js": "class Base {}\n" + javascript(10_000)})
}

func bundleInput(_ context.Context, dir string) ([]string, error) {
	files := map[string]string{"base.js": "export class Base { constructor(name) { this.name = name } }\n"}
	var all strings.Builder
	for i := range 40 {
		files[fmt.Sprintf("m%d.js", i)] = "import { Base } from './base.js';\n" + javascript(250) + "\nexport { collectEntries1, Handler2 };\n"
		fmt.Fprintf(&all, "import { collectEntries1 as c%[1]d, Handler2 as h%[1]d } from './m%[1]d.js';\nconsole.log(c%[1]d([], {}), new h%[1]d('x'));\n", i)
	}
	files["main.js"] = all.String()
	return []string{"main.js", "--bundle", "--minify", "--outfile=out.js", "--log-level=error"}, writeInput(dir, files)
}

func shellInput(_ context.Context, dir string) ([]string, error) {
	var text strings.Builder
	text.WriteString("#!/bin/bash\nset -e\n")
	for i := range 30_000 {
		fmt.Fprintf(&text, `
# install_%[1]d copies files to their places.
install_%[1]d() {
  local source="$1" target="${2:-/usr/local/step%[1]d}"   mode=0755
  if [ ! -d "$target" ] && [[ $source == *.tar.gz ]]; then
      mkdir -p "$target" || { echo "cannot create $target" >&2; return 1; }
  fi
  for file in "$source"/*.sh $(find . -name '*.%[1]d' | sort); do
    case "$file" in
      *test*) continue ;;
      *.sh|*.bash) cp -p "$file" "$target/${file##*/}" && chmod $mode "$target/${file##*/}";;
      *) echo "skipped: ${file%%.*} $((%[1]d + 3 * count))" ;;
    esac
  done
  cat <<END | sed -e 's/x/y/' > "$target/list"
files of $target: $(ls "$target" | wc -l)
END
}
`, i)
	}
	return []string{"-i", "4", "install.sh"}, writeInput(dir, map[string]string{"install.sh": text.String()})
}

// compressInput is 4 MB of words that are drawn at random, some more often than others.
func compressInput(_ context.Context, dir string) ([]string, error) {
	var text strings.Builder
	for x := uint32(1); text.Len() < 4_000_000; {
		x = x*1664525 + 1013904223
		fmt.Fprintf(&text, "w%d ", (x>>8)%1000*((x>>20)%50))
	}
	return []string{"--keep", "--force", "in.txt"}, writeInput(dir, map[string]string{"in.txt": text.String()})
}

func javascriptInput(_ context.Context, dir string) ([]string, error) {
	const script = `
function Node(key) { this.key = key; this.left = null; this.right = null; }
function insert(node, key) {
	if (node === null) { return new Node(key); }
	if (key < node.key) { node.left = insert(node.left, key); } else if (key > node.key) { node.right = insert(node.right, key); }
	return node;
}
function sieve(n) {
	var composite = [], count = 0;
	for (var i = 2; i < n; i++) {
		if (!composite[i]) { count++; for (var j = i * 2; j < n; j += i) { composite[j] = true; } }
	}
	return count;
}
var root = null, x = 12345, words = {};
for (var i = 0; i < 200000; i++) {
	x = (x * 1103515245 + 12345) % 2147483648;
	root = insert(root, x % 100000);
	var word = "w" + x % 500;
	words[word] = (words[word] || 0) + 1;
}
var list = Object.keys(words).map(function (w) { return { w: w, n: words[w] }; });
list.sort(function (a, b) { return b.n - a.n || (a.w < b.w ? -1 : 1); });
var text = list.map(function (e) { return e.w + "=" + e.n; }).join(",").replace(/w(\d)/g, "<$1>");
console.log(sieve(1500000), list.length, text.length);
`
	return []string{"script.js"}, writeInput(dir, map[string]string{"script.js": script})
}

func luaInput(_ context.Context, dir string) ([]string, error) {
	const script = `
local function insert(node, key)
	if node == nil then return {key = key} end
	if key < node.key then node.left = insert(node.left, key) elseif key > node.key then node.right = insert(node.right, key) end
	return node
end
local function sieve(n)
	local composite, count = {}, 0
	for i = 2, n do
		if not composite[i] then
			count = count + 1
			for j = i * 2, n, i do composite[j] = true end
		end
	end
	return count
end
local root, x, words = nil, 12345, {}
for i = 1, 150000 do
	x = (x * 16807) % 2147483647
	root = insert(root, x % 100000)
	local word = "w" .. x % 500
	words[word] = (words[word] or 0) + 1
end
local list = {}
for w, n in pairs(words) do list[#list + 1] = {w = w, n = n} end
table.sort(list, function(a, b) return a.n > b.n or a.n == b.n and a.w < b.w end)
local parts = {}
for _, e in ipairs(list) do parts[#parts + 1] = e.w .. "=" .. e.n end
print(sieve(1000000), #list, #table.concat(parts, ","):gsub("w(%d)", "<%1>"))
`
	return []string{"script.lua"}, writeInput(dir, map[string]string{"script.lua": script})
}

func jsonnetInput(_ context.Context, dir string) ([]string, error) {
	const config = `
local service(i) = {
	name: 'service-%d' % i,
	port: 8000 + i,
	labels: { ['label%d' % k]: std.toString(i * k) for k in std.range(1, 8) },
	env: [{ name: std.asciiUpper('var_%d' % k), value: $.name + '/' + k } for k in std.range(1, 5)],
	replicas: if i % 3 == 0 then 3 else 1,
};
local services = [service(i) for i in std.range(1, 1000)];
{
	services: std.sort(services, function(s) -s.port),
	total: std.foldl(function(sum, s) sum + s.replicas, services, 0),
	names: std.join(',', [s.name for s in services if std.length(s.labels) > 3]),
}
`
	return []string{"config.jsonnet"}, writeInput(dir, map[string]string{"config.jsonnet": config})
}

// writeInput writes files by name to dir.
func writeInput(dir string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
