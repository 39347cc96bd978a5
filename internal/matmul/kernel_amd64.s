//go:build !purego

#include "textflag.h"

// A row of the tile: its factor of a times twelve factors of b.
#define ROW(at, x, y, z) \
	VBROADCASTSD at(SI), Y15; \
	VFMADD231PD  Y12, Y15, x; \
	VFMADD231PD  Y13, Y15, y; \
	VFMADD231PD  Y14, Y15, z

#define STORE(x, y, z) \
	VADDPD  (DI), x, x; \
	VMOVUPD x, (DI); \
	VADDPD  32(DI), y, y; \
	VMOVUPD y, 32(DI); \
	VADDPD  64(DI), z, z; \
	VMOVUPD z, 64(DI); \
	ADDQ    R8, DI

// func kernelAVX2(k int, a, b, c *float64, stride int)
TEXT ·kernelAVX2(SB), NOSPLIT, $0-40
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), DI
	MOVQ stride+32(FP), R8
	SHLQ $3, R8
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11

factors:
	VMOVUPD (DX), Y12
	VMOVUPD 32(DX), Y13
	VMOVUPD 64(DX), Y14
	ROW(0, Y0, Y1, Y2)
	ROW(8, Y3, Y4, Y5)
	ROW(16, Y6, Y7, Y8)
	ROW(24, Y9, Y10, Y11)
	ADDQ $32, SI
	ADDQ $96, DX
	DECQ CX
	JNZ  factors
	STORE(Y0, Y1, Y2)
	STORE(Y3, Y4, Y5)
	STORE(Y6, Y7, Y8)
	STORE(Y9, Y10, Y11)
	VZEROUPPER
	RET
