package report

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/profile"
)

// ServeProm serves a Prometheus scrape of the profile, in the format that the request asks for,
// with the same content as the format prom with options o. The name[] parameters of the request
// select families by name. Native histograms are only included in the protocol buffer format: in
// the other formats they would be histograms without buckets.
func ServeProm(w http.ResponseWriter, r *http.Request, p *profile.Profile, o Options) {
	format, contentType := negotiate(r.Header)
	w.Header().Add("Vary", "Accept")
	w.Header().Add("Vary", "Accept-Encoding")
	w.Header().Set("Content-Type", contentType)
	var to io.Writer = w
	if acceptsGzip(r.Header) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		to = z
	}
	out := bufio.NewWriterSize(to, 1<<16)
	defer out.Flush() // write errors mean that the client is gone
	var proto protoWriter
	names := r.URL.Query()["name[]"]
	for _, f := range promFamilies(p, sorted(p, o.Sort), o.Buckets, format == promProto) {
		if len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		var err error
		if format == promProto {
			err = proto.family(out, &f)
		} else {
			err = f.writeText(out, format == promOpen)
		}
		if err != nil {
			return
		}
	}
	if format == promOpen {
		out.WriteString(openMetricsEnd)
	}
}

// A promFormat is a format that Prometheus can ask for.
type promFormat int

const (
	promPlain promFormat = iota
	promOpen
	promProto
)

// negotiate returns the format that the request header asks for, and the content type of the
// response. The default is text. The requested escaping of names is only repeated: these names need
// none.
func negotiate(h http.Header) (format promFormat, contentType string) {
	escaping := "; escaping=underscores"
	for _, a := range accepted(h, "Accept") {
		switch e := a.params["escaping"]; e {
		case "allow-utf-8", "underscores", "dots", "values":
			escaping = "; escaping=" + e
		}
		switch version := a.params["version"]; a.value {
		case "application/openmetrics-text":
			if version = cmp.Or(version, "0.0.1"); version == "1.0.0" || version == "0.0.1" {
				return promOpen, "application/openmetrics-text; version=" + version + "; charset=utf-8" + escaping
			}
		case "application/vnd.google.protobuf":
			if a.params["proto"] == "io.prometheus.client.MetricFamily" && a.params["encoding"] == "delimited" {
				return promProto, "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited" + escaping
			}
		case "text/plain":
			if cmp.Or(version, "0.0.4") == "0.0.4" {
				return promPlain, promTextType + escaping
			}
		}
	}
	return promPlain, promTextType + escaping
}

const promTextType = "text/plain; version=0.0.4; charset=utf-8"

// acceptsGzip reports whether a client prefers gzip to no compression.
func acceptsGzip(h http.Header) bool {
	for _, a := range accepted(h, "Accept-Encoding") {
		switch a.value {
		case "gzip":
			return true
		case "identity", "*":
			return false
		}
	}
	return false
}

// An acceptance is one element of an Accept header.
type acceptance struct {
	value  string // such as a media type
	params map[string]string
	q      float64 // quality: preference from 0 to 1
}

// accepted parses a header such as Accept, and returns its elements by decreasing preference.
func accepted(h http.Header, name string) []acceptance {
	var list []acceptance
	for _, one := range strings.Split(strings.Join(h.Values(name), ","), ",") {
		value, params, err := mime.ParseMediaType(one)
		if err != nil {
			continue
		}
		q, err := strconv.ParseFloat(cmp.Or(params["q"], "1"), 64)
		if err == nil && q > 0 {
			list = append(list, acceptance{value, params, q})
		}
	}
	slices.SortStableFunc(list, func(a, b acceptance) int { return cmp.Compare(b.q, a.q) })
	return list
}
