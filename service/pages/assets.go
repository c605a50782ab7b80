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

// Assets is the path below which the style sheet, the script and the icon are. They are the same for all, and have to
// be open to all.
const Assets = "/assets/"

//go:embed assets
var assetFiles embed.FS

// An asset's address has a part that follows from its bytes. So it can be kept for ever: another one has another
// address.
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
	if !known(w, r, a.text) && r.Method != http.MethodHead {
		_, _ = w.Write(a.text) // an error is the client's, who has gone
	}
}
