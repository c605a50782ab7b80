//go:build !markgen_off

#include "textflag.h"

// func ticks() uint64
TEXT ·ticks(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

// func ticksAndG() (t uint64, gp uintptr)
TEXT ·ticksAndG(SB), NOSPLIT, $0-16
	MOVQ (TLS), CX
	MOVQ CX, gp+8(FP)
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, t+0(FP)
	RET

// func getg() uintptr
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
