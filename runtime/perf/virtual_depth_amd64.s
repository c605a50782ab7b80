//go:build markgen_virtual && !markgen_off

#include "textflag.h"

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
