package rewrite
import ("testing";"time";"fmt";"bytes")
func TestZZ(t *testing.T){
 var in, st time.Duration; n, m := 0,0
 stdPackages(t, func(path string, sources []Source) {
   u,err := Load(path, sources); if err!=nil {return}
   s := time.Now()
   if u.Find(Options{All:true})!=nil {return}
   out, err := u.InPlace(InPlace{Runtime:testRuntime}); if err!=nil {t.Error(err)}
   in += time.Since(s)
   for _, f := range sources { n += len(f.Text) }
   s = time.Now()
   for name, text := range out { Strip(name,text); m += len(text) }
   st += time.Since(s)
 })
 t.Logf("in place %.1f MB/s, strip %.1f MB/s of %d %d", float64(n)/1e6/in.Seconds(), float64(m)/1e6/st.Seconds(), n, m)
 var b bytes.Buffer
 b.WriteString("package p\n")
 for i := range 12000 { fmt.Fprintf(&b, "\nfunc f%d(n int) int { return %d }\n\nfunc g%d(n int) int {\n\tfor range n {\n\t\tif n > %d {\n\t\t\tbreak\n\t\t}\n\t}\n\treturn n\n}\n", i,i,i,i) }
 u,_ := Load("p", []Source{{"p.go", b.Bytes()}}); s := time.Now(); u.Find(Options{All:true}); t.Log("find", time.Since(s)); s = time.Now();out, err := u.InPlace(InPlace{Runtime:testRuntime}); t.Log(len(u.Points), err, "big", time.Since(s), b.Len()); s=time.Now(); x,err := Strip("p.go", out["p.go"]); t.Log(bytes.Equal(x,b.Bytes()), err, "strip", time.Since(s))
}
