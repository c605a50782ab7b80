package main

import (
	"strings"

	"github.com/markgen/markgen/registry"
)

// giveIDs gives the points of the units their IDs and returns the registry that knows all of them.
//
// Files that exclude each other may declare the same function. In any one build there is only one of them, and its
// markers have the IDs that it alone would have; so the points get their IDs in layers, each with no more than one
// file for a function, from the registry that has them all.
func giveIDs(before *registry.Registry, packages []string, units []*markedUnit) *registry.Registry {
	var all []registry.Point
	for _, u := range units {
		all = append(all, u.RegistryPoints()...)
	}
	ids, after := before.Assign(packages, all)

	layer := layers(all)
	count := 0
	for _, n := range layer {
		count = max(count, n+1)
	}
	for n := 0; count > 1 && n < count; n++ {
		var points []registry.Point
		var index []int
		for i, p := range all {
			if layer[i] == n {
				points, index = append(points, p), append(index, i)
			}
		}
		some, _ := after.Assign(packages, points)
		for i, at := range index {
			ids[at] = some[i]
		}
	}
	for _, u := range units {
		u.SetIDs(ids[:len(u.Points)])
		ids = ids[len(u.Points):]
	}
	return after
}

// layers numbers the points so that those of one function in different files have different numbers. Any number of
// init functions and blank ones may be in one build.
func layers(points []registry.Point) []int {
	type function struct{ pkg, name string }
	files := map[function][]string{}
	numbers := make([]int, len(points))
	for i, p := range points {
		base, _, _ := strings.Cut(p.Func, "#")
		if base == "init" || base == "_" {
			continue
		}
		f := function{p.Package, p.Func}
		n := 0
		for n < len(files[f]) && files[f][n] != p.File {
			n++
		}
		if n == len(files[f]) {
			files[f] = append(files[f], p.File)
		}
		numbers[i] = n
	}
	return numbers
}
