// A chain whose genesis has contracts that measure gas, and the opcode proposals and upgrades of a test.
import { createHash } from 'node:crypto'
import type { Hex } from 'viem'
import type { Proposal } from '../../src/cip/define.ts'
import type { ProposalModule } from '../../src/cip/modules.ts'
import { fromHex, hexToAddress, hexToHash } from '../../src/lib/hex.ts'
import type { NodeOptions } from '../../src/node.ts'
import type { GenesisAccount, GenesisSpec, Upgrade } from '../../src/spec/chain-spec.ts'
import { presets } from '../../src/spec/presets.ts'
import { playground } from '../support/assembler.ts'
import { testChain } from '../support/chain.ts'

/** Empty CREATE and CREATE2, an SSTORE of 1 to slot 0, and a CALL with zero gas of the identity precompile, which is warm. */
export const CODES = {
  create: { address: '0x000000000000000000000000000000000000c001', code: '0x600060006000f000' },
  create2: { address: '0x000000000000000000000000000000000000c002', code: '0x6000600060006000f500' },
  sstore: { address: '0x000000000000000000000000000000000000c003', code: '0x6001600055' },
  call: { address: '0x000000000000000000000000000000000000c004', code: '0x6000600060006000600060046000f1' },
} as const

/** Gas of a transaction to each (EIP-2929, EIP-2028: no calldata), with two to seven pushes of 3. */
export const USED = {
  create: 21_000n + 9n + 32_000n,
  create2: 21_000n + 12n + 32_000n,
  sstore: 21_000n + 6n + 22_100n,
  call: 21_000n + 21n + 100n,
} as const

/** A module of these proposals, with the hash of their code. */
export function moduleOf(...proposals: readonly Proposal[]): ProposalModule {
  const code = proposals.map(({ name, number, apply }) => `${name} ${number} ${apply}`).join('\n')
  return { file: 'test.mjs', sha256: hexToHash(`0x${createHash('sha256').update(code).digest('hex')}`), proposals }
}

export type Setting = {
  readonly active?: readonly string[]
  readonly upgrades?: readonly Upgrade[]
  /** More contracts. */
  readonly codes?: Readonly<Record<Hex, Hex>>
}

export function specWith({ active = [], upgrades = [], codes = {} }: Setting): GenesisSpec {
  const spec = presets.kestrel()
  if (spec.native === undefined) throw new Error('the preset has no native modules')
  const contracts = [
    ...Object.values(CODES).map(({ address, code }) => [address, code] as const),
    ...Object.entries(codes),
  ]
  const accounts = contracts.map(([address, code]) => {
    const account: GenesisAccount = { balance: 0n, nonce: 1n, code: fromHex(code), storage: new Map() }
    return [hexToAddress(address), account] as const
  })
  const alloc = new Map([...spec.genesis.alloc, ...accounts])
  const native = { ...spec.native, params: { activeProposals: active }, upgrades }
  return { ...spec, genesis: { ...spec.genesis, alloc }, native }
}

/** A running node with such a chain. It mines each `send` at once. */
export async function proposalChain(setting: Setting, options: Partial<NodeOptions> = {}) {
  const chain = await testChain({ spec: specWith(setting), ...options })
  return { ...chain, ...measures(chain) }
}

export function measures(chain: Parameters<typeof playground>[0]) {
  const { send, rpc, alice } = playground(chain)
  const receiptOf = (hash: Hex) => rpc('eth_getTransactionReceipt', hash)
  return {
    send: (to: Hex, gas = 1_000_000) => send(to, { gas }),
    rpc,
    receiptOf,
    /** Gas used by a transaction to a contract in the next block. */
    async gasOf(to: Hex, gas = 1_000_000): Promise<bigint> {
      return BigInt((await receiptOf(await send(to, { gas }))).gasUsed)
    },
    estimate: async (to: Hex, block = 'latest') => BigInt(await rpc('eth_estimateGas', { from: alice, to }, block)),
    /** Gas used by a call at a block, from its trace. */
    async gasOfCall(to: Hex, block: string): Promise<bigint> {
      return BigInt((await rpc('debug_traceCall', { from: alice, to }, block, {})).gas)
    },
    /** Cost of the first such opcode. */
    async costIn(hash: Hex, opcode: string): Promise<number> {
      const { structLogs } = await rpc('debug_traceTransaction', hash)
      return structLogs.find(({ op }: { op: string }) => op === opcode).gasCost
    },
  }
}
