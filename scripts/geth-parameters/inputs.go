package main

import (
	"bytes"
	"encoding/binary"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// precompileInputs are inputs whose prices differ, by the number of the precompile.
func precompileInputs() map[int][][]byte {
	out := map[int][][]byte{}
	zeros := func(number int, sizes ...int) {
		for _, size := range sizes {
			out[number] = append(out[number], make([]byte, size))
		}
	}
	for _, number := range []int{1, 2, 3, 4} {
		zeros(number, 0, 1, 32, 33, 128, 1_000)
	}
	zeros(5, 0, 1, 96, 128)
	for _, base := range []int64{0, 1, 32, 33, 64, 65, 1_024} {
		for _, exponent := range []int64{0, 1, 32, 33, 128, 1_024} {
			for _, modulus := range []int64{0, 1, 32, 200, 1_024} {
				for _, high := range []byte{0, 1, 0xff} {
					out[5] = append(out[5], modexp(base, exponent, modulus, high))
				}
			}
		}
	}
	zeros(6, 0, 64, 128, 200)
	zeros(7, 0, 64, 96, 200)
	zeros(8, 0, 1, 191, 192, 384, 1_920)
	zeros(9, 0, 212, 213, 214)
	for _, rounds := range []uint32{1, 12, 1 << 20, 1<<32 - 1} {
		input := make([]byte, 213)
		binary.BigEndian.PutUint32(input, rounds)
		out[9] = append(out[9], input)
	}
	zeros(10, 0, 192)
	zeros(11, 0, 256)
	zeros(13, 0, 512)
	for pairs := range 131 {
		zeros(12, 160*pairs)
		zeros(14, 288*pairs)
	}
	zeros(15, 0, 384, 768, 3_840)
	zeros(16, 0, 64)
	zeros(17, 0, 128)
	zeros(0x100, 0, 160)
	return out
}

func modexp(base, exponent, modulus int64, high byte) []byte {
	var head [96]byte
	for i, length := range []int64{base, exponent, modulus} {
		copy(head[32*i:], common.BigToHash(big.NewInt(length)).Bytes())
	}
	e := bytes.Repeat([]byte{0}, int(exponent))
	if exponent > 0 {
		e[0], e[exponent-1] = high, 3
	}
	return join(head[:], bytes.Repeat([]byte{2}, int(base)), e, bytes.Repeat([]byte{7}, int(modulus)))
}
