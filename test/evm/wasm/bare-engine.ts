// The engine's WebAssembly module without the host's classes: one frame in its memory, and a host with a test's functions.
// Tests read and write memory at the offsets of layout.ts.

import { memoryOf, writeFrame } from '../../../src/evm/wasm/frame-header.ts'
import { engineModule } from '../../../src/evm/wasm/instance-pool.ts'
import {
  CODE_HEADER,
  CODE_PADDING,
  CODES,
  CURRENT,
  F_GAS,
  F_PC,
  F_STACK,
  F_TOP,
  FRAMES,
  JOURNALED,
  MISSING,
  OPCODES,
  PARAMETERS,
  STORAGE,
  TRANSACTION,
  TURN,
  WARMTH,
} from '../../../src/evm/wasm/layout.ts'
import { rulesOf } from '../../../src/evm/wasm/rules.ts'
import type { Fork } from '../../../src/spec/chain-spec.ts'
import { forkChain } from './differential.ts'

type Exports = {
  readonly memory: WebAssembly.Memory
  run(): number
  step(): number
  reserve(end: bigint): number
  analyse(code: number, length: number, jumps: number): void
}

/** The functions that the engine imports from its host, by name; missing ones throw. */
export type BareHost = Readonly<Record<string, (...values: number[]) => number | undefined>>

export class BareEngine {
  readonly exports: Exports

  constructor(code: readonly number[], gas: bigint, { fork = 'osaka' as Fork, host = {} as BareHost } = {}) {
    const module = engineModule()
    if (module === undefined) throw new Error('there is no dist/engine.wasm: run `npm run build`')
    const missingImport = (name: string) => () => {
      throw new Error(`the engine asks for ${name}`)
    }
    const imports = new Proxy(host, { get: (_, name: string) => host[name] ?? missingImport(name) })
    // The types of assembly/index.ts's exports.
    this.exports = new WebAssembly.Instance(module, { host: imports }).exports as Exports
    this.#begin(Uint8Array.from(code), gas, fork)
  }

  #begin(code: Uint8Array, gas: bigint, fork: Fork): void {
    const { table } = forkChain(fork)
    const rules = rulesOf(table)
    const at = CODES + CODE_HEADER
    const jumps = (at + code.length + CODE_PADDING + 31) & ~31
    this.bytes.set(rules.opcodes, OPCODES)
    this.limbs.set(rules.parameters, PARAMETERS / 8)
    this.bytes.set(code, at)
    this.exports.analyse(at, code.length, jumps)
    this.exports.reserve(BigInt(memoryOf(FRAMES) + 65_536))
    const loaded = { at, length: code.length, jumps }
    const start = { data: 0, dataLength: 0, gas: Number(gas), isStatic: false, depth: 0, account: 0 }
    writeFrame(this.words, FRAMES, { code: loaded, ...start })
    this.words[CURRENT / 4] = FRAMES
    // No slot has a value or is warm, and the host is asked for both.
    for (const counter of [STORAGE, TRANSACTION, WARMTH, JOURNALED]) this.words[counter / 4] = 1
    this.limbs[TURN / 8] = 1n << 60n
    this.limbs[(FRAMES + F_GAS) / 8] = gas
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer)
  }

  get words(): Uint32Array {
    return new Uint32Array(this.exports.memory.buffer)
  }

  get limbs(): BigUint64Array {
    return new BigUint64Array(this.exports.memory.buffer)
  }

  get pc(): number {
    return this.#field(F_PC)
  }

  get gas(): bigint {
    return this.limbs[(FRAMES + F_GAS) / 8] ?? 0n
  }

  /** Gas that the last opcode lacked; 0: none, or unknown. */
  get missing(): bigint {
    return this.limbs[MISSING / 8] ?? 0n
  }

  /** The stack's items, bottom first. */
  get stack(): bigint[] {
    const from = this.#field(F_STACK)
    const to = this.#field(F_TOP)
    const limbs = this.limbs
    return Array.from({ length: (to - from) / 32 }, (_, item) =>
      [3, 2, 1, 0].reduce((word, limb) => (word << 64n) | (limbs[from / 8 + item * 4 + limb] ?? 0n), 0n),
    )
  }

  #field(offset: number): number {
    return this.words[(FRAMES + offset) / 4] ?? 0
  }
}
