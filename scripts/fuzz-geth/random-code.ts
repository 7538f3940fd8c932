// The makers of random code that this fuzzer shares with `npm run fuzz`; they stand beside the tests of the engine.
export { DenseCode, inputOf } from '../../test/evm/compiler/dense.ts'
export { Program, Random } from '../../test/evm/engine/programs.ts'
