// Package runtime is what a marked program compiles against.
package runtime
