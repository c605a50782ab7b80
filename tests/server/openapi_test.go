package server_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/markgen/markgen/service/server"
)

// described is the parsed openapi.yaml.
var described = sync.OnceValues(func() (*openapi3.T, error) {
	for _, is := range []string{"application/problem+json", "application/vnd.markgen.profile", "application/x-ndjson", "application/yaml",
		"application/octet-stream", "text/html", "text/plain", "application/openmetrics-text"} {
		openapi3filter.RegisterBodyDecoder(is, wholeBody)
	}
	openapi3filter.RegisterBodyDecoder("application/problem+json", openapi3filter.JSONBodyDecoder)
	doc, err := openapi3.NewLoader().LoadFromFile("../../service/server/openapi.yaml")
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(context.Background(), openapi3.EnableSchemaFormatValidation())
})

var router = sync.OnceValues(func() (routers.Router, error) {
	doc, err := described()
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// wholeBody decodes a body that is a single string in openapi.yaml.
func wholeBody(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
	text, err := io.ReadAll(body)
	return string(text), err
}

// conforms checks an answer against openapi.yaml. For a path or method not described there it must
// be a problem.
func conforms(t testing.TB, r *http.Request, got reply) {
	t.Helper()
	routes, err := router()
	if err != nil {
		t.Fatal(err)
	}
	look := r.Clone(context.Background())
	if look.Method == http.MethodHead {
		look.Method = http.MethodGet
	}
	look.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery} // servers: /
	route, params, err := routes.FindRoute(look)
	if err != nil {
		if got.problem() == "" && got.status != http.StatusTemporaryRedirect && r.Method != http.MethodHead && ofProgram(r.URL.Path) {
			t.Errorf("%s %s: %d %s\n%s\nis neither described nor a problem", r.Method, r.URL, got.status, got.header.Get("Content-Type"), got.body)
		}
		return
	}
	body := got.body
	header := got.header.Clone()
	if header.Get("Content-Encoding") != "" || r.Method == http.MethodHead {
		return // other tests send the same requests without it
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: look, PathParams: params, Route: route},
		Status:                 got.status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	if err := openapi3filter.ValidateResponse(context.Background(), in); err != nil {
		t.Errorf("%s %s: %d\n%.2000s\n%v", r.Method, r.URL, got.status, body, err)
	}
}

// ofProgram reports whether a path can't be a page.
func ofProgram(path string) bool {
	return strings.HasPrefix(path, "/v1") || strings.HasPrefix(path, "/problems/")
}

// The server has the routes that openapi.yaml describes.
func TestDescribed(t *testing.T) {
	doc, err := described()
	if err != nil {
		t.Fatal(err)
	}
	inDoc := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			inDoc[method+" "+path] = true
		}
	}
	// None is answered with 404 or 405 like an unknown one.
	at := start(t, server.Options{}, server.Limits{}, nil)
	text, err := os.ReadFile("../../service/server/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := at.do("GET", "/openapi.yaml", nil); !bytes.Equal(got.body, text) || got.header.Get("ETag") == "" {
		t.Errorf("GET /openapi.yaml: %d\n%s", got.status, got.body)
	}
	for route := range inDoc {
		method, path, _ := strings.Cut(route, " ")
		path = strings.NewReplacer("{run}", strings.Repeat("0", 32), "{sequence}", "0", "{id}", "0000000000000001", "{word}", "busy").Replace(path)
		if got := at.do(method, path, nil); got.status == 405 || got.problem() == "not-found" {
			t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
		}
		if got := at.do("PATCH", path, nil); got.status != 405 || got.problem() != "method-not-allowed" || !strings.Contains(got.header.Get("Allow"), method) {
			t.Errorf("PATCH %s: %d, Allow: %s\n%s", path, got.status, got.header.Get("Allow"), got.body)
		}
	}
}
