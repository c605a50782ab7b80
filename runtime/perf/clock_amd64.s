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

// func ticksAndDepth(at *byte) (t uint64, gp, depth uintptr)
TEXT ·ticksAndDepth(SB), NOSPLIT, $0-32
	MOVQ (TLS), CX
	MOVQ CX, gp+16(FP)
	MOVQ 8(CX), BX // g.stack.hi
	SUBQ at+0(FP), BX
	MOVQ BX, depth+24(FP)
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, t+8(FP)
	RET

// func depthOf(at *byte) (gp, depth uintptr)
TEXT ·depthOf(SB), NOSPLIT, $0-24
	MOVQ (TLS), CX
	MOVQ CX, gp+8(FP)
	MOVQ 8(CX), BX // g.stack.hi
	SUBQ at+0(FP), BX
	MOVQ BX, depth+16(FP)
	RET

// func frame() (gp, fp, hi uintptr)
TEXT ·frame(SB), NOSPLIT, $0-24
	MOVQ (TLS), CX
	MOVQ CX, gp+0(FP)
	MOVQ BP, fp+8(FP)
	MOVQ 8(CX), BX // g.stack.hi
	MOVQ BX, hi+16(FP)
	RET

// func getg() uintptr
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
