//go:build unix

// Package dual is compiled into the plain program of a dual build (markgen build -dual). If MARKGEN
// is set, it replaces the process by the marked program, which is a file beside the plain one. No
// other package calls it, and none is compiled differently for it.
package dual

import (
	"syscall"
	_ "unsafe" // for go:linkname
)

// suffix is appended to the path of the plain program to get that of the marked one. Package
// overlay and AppName of the runtime have it, too.
const suffix = ".marked"

// buildID is the build ID of the marked program, which is at offset buildIDAt of its file. Both are
// variables of package main, since one build may make several programs.
//
//go:linkname buildID main.markgenBuildID
var buildID string

//go:linkname buildIDAt main.markgenBuildIDAt
var buildIDAt int64

// arguments and environment return what the process was started with. Those of packages os and
// syscall are not initialised yet.
//
//go:linkname arguments os.runtime_args
func arguments() []string

//go:linkname environment syscall.runtime_envs
func environment() []string

// Become replaces this process by the marked program if MARKGEN asks for it, and returns if not. If
// that program cannot be run, or is of another build, it says so, and the plain one goes on.
//
// It runs before any package is initialised, so it must not use package variables that are
// initialised by code.
//
//go:linkname Become
func Become() {
	env := environment()
	if lookUp(env, "MARKGEN") == "" {
		return
	}
	if privileged() {
		refuse("", "ignored in a program with rights that its caller lacks (setuid, setgid, file capabilities)")
		return
	}
	args := arguments()
	path := program(args, env)
	if path == "" {
		refuse("", "the directory of this program is unknown: there is no /proc, and PATH does not lead to it")
		return
	}
	path += suffix
	same, err := ofThisBuild(path)
	switch {
	case err != nil:
		refuse(path, err.Error())
	case !same:
		refuse(path, "it is of another build than this program")
	default:
		refuse(path, syscall.Exec(path, args, env).Error())
	}
}

// refuse says why the plain program goes on.
func refuse(path, why string) {
	if path != "" {
		why = path + ": " + why + "; put there what markgen build -dual wrote together with this program"
	}
	print("markgen: MARKGEN: ", why, "; nothing is collected\n")
}

// ofThisBuild reports whether the file is the marked program that was built with this one.
func ofThisBuild(path string) (bool, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false, err
	}
	b := make([]byte, len(buildID))
	n, err := syscall.Pread(fd, b, buildIDAt)
	_ = syscall.Close(fd)
	return err == nil && string(b[:max(n, 0)]) == buildID, err
}

// program returns the path of this program: where the kernel says it, or else as a shell would find
// it; "" if unknown.
func program(args, env []string) string {
	var b [4096]byte
	if n, err := syscall.Readlink("/proc/self/exe", b[:]); err == nil && n > 0 {
		return string(b[:n])
	}
	if len(args) == 0 {
		return ""
	}
	for i := range len(args[0]) {
		if args[0][i] == '/' {
			return args[0]
		}
	}
	dirs := lookUp(env, "PATH")
	for i, from := 0, 0; i <= len(dirs); i++ {
		if i < len(dirs) && dirs[i] != ':' {
			continue
		}
		dir := dirs[from:i]
		if from = i + 1; dir == "" {
			dir = "."
		}
		var stat syscall.Stat_t
		if path := dir + "/" + args[0]; syscall.Stat(path, &stat) == nil {
			return path
		}
	}
	return ""
}

// lookUp returns the value of a variable, or "".
func lookUp(env []string, key string) string {
	for _, kv := range env {
		if len(kv) > len(key) && kv[:len(key)] == key && kv[len(key)] == '=' {
			return kv[len(key)+1:]
		}
	}
	return ""
}
