package steer

// MonoNS is for tests that make a run begin now.
var MonoNS = monoNS
