package server

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// The documentation of the service has a line for each problem, with its status.
func TestProblemsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/http-api.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("(?m)^`([a-z-]+)`\\|(\\d{3})\\|")
	listed := map[string]string{}
	for _, m := range line.FindAllStringSubmatch(string(text), -1) {
		listed[m[1]] = m[2]
	}
	want := map[string]string{}
	for _, k := range kinds {
		if want[k.word] != "" {
			t.Errorf("%s is there twice", k.word)
		}
		want[k.word] = fmt.Sprint(k.status)
	}
	if diff := gocmp.Diff(want, listed); diff != "" {
		t.Error(diff)
	}
}

// openapi.yaml describes exactly the routes of the server.
func TestRoutesDescribed(t *testing.T) {
	var want, got []string
	for _, r := range new(Server).routes() {
		want = append(want, r.method+" "+r.path)
	}
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, paths, _ := strings.Cut(string(text), "\npaths:\n")
	path := ""
	for _, m := range regexp.MustCompile(`(?m)^(?:  (/.*)|    (get|put|post|delete)|(\w+)):`).FindAllStringSubmatch(paths, -1) {
		if m[3] != "" { // the next part of the document
			break
		} else if m[1] != "" {
			path = m[1]
		} else {
			got = append(got, strings.ToUpper(m[2])+" "+path)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
