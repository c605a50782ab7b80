//go:build markgen_virtual && !markgen_off

#include "textflag.h"

// func ticksAndDepth(at *byte) (t uint64, gp, depth uintptr)
TEXT ·ticksAndDepth(SB), NOSPLIT, $0-32
	MOVD g, gp+16(FP)
	MOVD 8(g), R1 // g.stack.hi
	MOVD at+0(FP), R2
	SUB  R2, R1, R1
	MOVD R1, depth+24(FP)
	MRS  CNTVCT_EL0, R0
	MOVD R0, t+8(FP)
	RET

// func depthOf(at *byte) (gp, depth uintptr)
TEXT ·depthOf(SB), NOSPLIT, $0-24
	MOVD g, gp+8(FP)
	MOVD 8(g), R1 // g.stack.hi
	MOVD at+0(FP), R2
	SUB  R2, R1, R1
	MOVD R1, depth+16(FP)
	RET

// func frame() (gp, fp, hi uintptr)
TEXT ·frame(SB), NOSPLIT, $0-24
	MOVD g, gp+0(FP)
	MOVD R29, fp+8(FP)
	MOVD 8(g), R1 // g.stack.hi
	MOVD R1, hi+16(FP)
	RET
