package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

// Assets is the path prefix of the style sheet, the script and the icon. They are the same for all
// users and must be public.
const Assets = "/assets/"

//go:embed assets
var assetFiles embed.FS

// An asset is a file whose URL contains a hash of its content, so that clients may cache it for
// ever.
type asset struct {
	text []byte
	sum  string
}

var assets = sync.OnceValue(func() map[string]asset {
	files := map[string]asset{}
	list, err := assetFiles.ReadDir("assets")
	for _, f := range list {
		var text []byte
		if text, err = assetFiles.ReadFile("assets/" + f.Name()); err != nil {
			break
		}
		sum := sha256.Sum256(text)
		files[f.Name()] = asset{text, hex.EncodeToString(sum[:8])}
	}
	if err != nil {
		panic(err) // the program was built without its files
	}
	return files
})

func assetPath(name string) string { return Assets + assets()[name].sum + "/" + name }

func sendAsset(w http.ResponseWriter, r *http.Request) {
	sum, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Assets), "/")
	a, ok := assets()[name]
	h := w.Header()
	protect(h)
	if !ok || a.sum != sum {
		h.Set("Cache-Control", "no-store")
		http.Error(w, "there is no such file; load the page again", http.StatusNotFound)
		return
	}
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	if !notModified(w, r, a.text) && r.Method != http.MethodHead {
		_, _ = w.Write(a.text) // an error means that the client is gone
	}
}
