package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/units"
)

// A copyState is stored beside a copy of the catalogue: its source, and how up to date it is.
type copyState struct {
	Server string       `json:"server"`
	Query  client.Query `json:"query"`
	Paths  bool         `json:"paths,omitempty"` // it has call paths
	Size   int64        `json:"size"`            // size of the copy in bytes: if it differs, something else has written the file
	Cursor string       `json:"cursor"`
}

// downloadTo writes the catalogue, or the part selected by flags, to a file. If that is already
// such a copy, only changes are fetched.
func (o *queryFlags) downloadTo(ctx context.Context, env *cli.Env, c *client.Client) error {
	name := env.Path(o.download)
	now := copyState{Server: c.Host(), Query: o.Query, Paths: o.paths}
	now.Query.Limit = 0
	p, cursor, err := readCopy(name, now)
	if err != nil {
		return err
	}
	had := 0
	if p != nil {
		had = len(p.Markers)
	}
	progress := showProgress(env, "downloading", "APIs")
	p, next, came, err := c.Refresh(ctx, p, cursor, o.Query, func(apis int) { progress(apis, max(apis, had)) })
	if err != nil {
		return err
	}
	if o.paths {
		if p.Paths, err = readPaths(ctx, env, c, o.Query, p.Markers); err != nil {
			return err
		}
	}
	file, err := codec.Encode(p)
	if err != nil {
		return err
	}
	// An older cursor beside a newer copy is harmless: some APIs would be fetched twice.
	if err := cli.WriteFile(name, file); err != nil {
		return err
	}
	now.Cursor, now.Size = next, int64(len(file))
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	if err := cli.WriteFile(name+".cursor", append(text, '\n')); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s: %s, of which %d were fetched\n", o.download, units.Plural(len(p.Markers), "API"), came)
	return err
}

// readPaths requests the call paths of the markers, and warns if there are none.
func readPaths(ctx context.Context, env *cli.Env, c *client.Client, q client.Query, markers []profile.Marker) (*profile.Paths, error) {
	p, err := c.Paths(ctx, q)
	if err != nil {
		return nil, err
	}
	paths := p.Paths
	if paths == nil || len(paths.Nodes) == 0 {
		env.Warn(c.Host() + " has no call paths of what the flags choose; markgen push -paths sends them")
		return nil, nil
	}
	known := map[registry.ID]bool{0: true}
	for i := range markers {
		known[markers[i].ID] = true
	}
	kept := profile.KeepPaths(paths.Nodes, func(i int) bool { return known[paths.Nodes[i].ID] }) // others came meanwhile
	paths.Nodes = profile.NewPaths(kept).Nodes
	return paths, nil
}

// readCopy reads the existing copy, or returns nil if there is none that can be updated. A file
// with other content is an error, since it must not be overwritten.
func readCopy(name string, now copyState) (*profile.Profile, string, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	text, err := fileread.File(name + ".cursor")
	var was copyState
	if err != nil || json.Unmarshal(text, &was) != nil || was.Size != info.Size() {
		return nil, "", fmt.Errorf("%s is there, and %s.cursor does not say that it is a copy of the catalogue; name another file, or remove it", name, name)
	}
	cursor := was.Cursor
	was.Cursor, was.Size = "", 0
	if was != now {
		return nil, "", fmt.Errorf("%s is a copy of what %s had for other flags; name another file, or remove it", name, was.Server)
	}
	p, err := runfile.Read(name)
	if err != nil {
		return nil, "", fmt.Errorf("%w; remove it to have all fetched anew", err)
	}
	return p, cursor, nil
}
