// The makers of random code that this fuzzer shares with `npm run fuzz`; they stand beside the tests of the engine.

export { Program, Random } from '../../test/evm/wasm/programs.ts'
export { DenseCode, inputOf } from '../../test/evm/wasm-compiler/dense.ts'
