// Every parameter of every fork against go-ethereum: its jump table, the prices of its precompiles, and the gas of some 900
// transactions that each need one parameter. geth-parameters.json.gz is what scripts/geth-parameters prints.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BuiltinContracts } from '../../src/evm/builtin-contracts.ts'
import { ENGINES, type EngineChoice } from '../../src/evm/engine-selection.ts'
import { MAX_DEPTH, STACK_LIMIT } from '../../src/evm/gas/gas-rules.ts'
import { ownMemorySize } from '../../src/evm/gas/memory-gas.ts'
import { forkTable, hasDynamicGas, stackBounds } from '../../src/evm/opcode-table.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { bigToWord, EMPTY_BYTES, hexToAddress, hexToHash, ZERO_HASH } from '../../src/lib/hex.ts'
import { GAS_PER_BLOB, MAX_TOTAL_GAS, MAX_TRANSACTION_GAS } from '../../src/primitives/gas.ts'
import type { TransactionMessage } from '../../src/primitives/types.ts'
import { blockEnv } from '../../src/runtime/block-env.ts'
import { executeMessage } from '../../src/runtime/execute-message.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { type BlobParams, type ChainSpec, FORKS, type Fork } from '../../src/spec/chain-spec.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { MAINNET_BLOBS } from '../../src/spec/forks.ts'
import { accounts, address, bytes, quantity, storeAccounts } from '../conformance/fields.ts'
import { forkChain } from './wasm/differential.ts'

const fork = z.enum(FORKS)
/** Values by fork; a fork that is missing has the value of the one before. */
const rows = <T>(value: z.ZodType<T>) => z.array(z.tuple([fork, value]))
const count = z.number().transform(BigInt)
const word = z.string().transform((hex) => hexToHash(hex))

const probe = z.object({
  name: z.string(),
  code: bytes.default(EMPTY_BYTES),
  to: address.nullable(),
  data: bytes.default(EMPTY_BYTES),
  value: count.default(0n),
  gas: count,
  accesses: z.array(z.object({ address, storageKeys: z.array(word).nullable() })).default([]),
  authorities: z
    .array(z.object({ chainId: quantity, address, nonce: quantity, yParity: quantity, r: quantity, s: quantity }))
    .default([]),
  blobs: z.number().default(0),
  outcome: rows(z.string()),
})
type Probe = z.infer<typeof probe>

const blobLimits = z.object({ target: count, max: count, baseFeeUpdateFraction: count })
const fixture = z.object({
  forks: z.array(fork),
  opcodes: z.array(
    z.object({
      code: z.number(),
      name: z.string(),
      rows: rows(z.tuple([count, z.number(), z.number(), z.boolean(), z.boolean()]).nullable()),
    }),
  ),
  precompiles: z.array(z.object({ address, input: bytes, gas: rows(z.string().transform(BigInt).nullable()) })),
  limits: z.record(z.string(), z.unknown()),
  blobs: z.partialRecord(fork, blobLimits),
  accounts: z.array(z.object({ address, balance: z.string(), nonce: z.string(), code: z.string(), slots: z.number() })),
  probes: z.array(probe),
})
const geth = fixture.parse(
  JSON.parse(gunzipSync(readFileSync(new URL('geth-parameters.json.gz', import.meta.url))).toString()),
)

/** The value of a fork; undefined before the first row. */
const valueIn = <T>(of: Fork, values: readonly (readonly [Fork, T])[]): T | undefined =>
  values.findLast(([since]) => forkRules(of)[since])?.[1]

/** Defined to be undefined. */
const INVALID = 0xfe
const SELFDESTRUCT = 0xff
/** Has two names. */
const DIFFICULTY = 0x44

describe.each(FORKS)('the opcode table of %s', (of) => {
  const { operations } = forkTable(forkRules(of))

  it('has the opcodes, constant gas and stack bounds of go-ethereum', () => {
    const ours = operations.flatMap((operation) => {
      if (operation === undefined) return []
      const { code, name, constantGas } = operation
      const { least, most } = stackBounds(operation)
      // go-ethereum has EIP-150's 5,000 in the dynamic gas up to Berlin, and we in the constant.
      const gas = code === SELFDESTRUCT && !forkRules(of).berlin ? 0n : constantGas
      return [[code, name, gas, least, most, ownMemorySize(name) !== undefined]]
    })
    const theirs = geth.opcodes.flatMap(({ code, name, rows }) => {
      const row = valueIn(of, rows)
      if (row == null || code === INVALID) return []
      const [gas, least, most, isDynamic, hasMemory] = row
      // Ours says it of all forks: an opcode may have dynamic gas later.
      if (isDynamic) expect([name, hasDynamicGas(name)]).toEqual([name, true])
      return [[code, code === DIFFICULTY ? operations[code]?.name : name, gas, least, most, hasMemory]]
    })
    expect(ours).toEqual(theirs)
  })
})

it('the forks are those of go-ethereum, and all are compared', () => {
  expect(geth.forks).toEqual(FORKS)
})

it('the limits are those of go-ethereum', () => {
  const { limits, blobs } = geth
  expect(limits).toMatchObject({
    stack: STACK_LIMIT,
    callDepth: MAX_DEPTH,
    maxTransactionGas: Number(MAX_TRANSACTION_GAS),
    maxTotalGas: Number(MAX_TOTAL_GAS),
    blobGas: Number(GAS_PER_BLOB),
  })
  // go-ethereum has no entry for Osaka, which keeps Prague's.
  expect(blobs).toEqual(Object.fromEntries([...MAINNET_BLOBS].filter(([name]) => name !== 'osaka')))
  expect(MAINNET_BLOBS.get('osaka')).toEqual(blobs.prague)
})

describe.each(FORKS)('the precompiles of %s', (of) => {
  it('have the prices of go-ethereum', async () => {
    const contracts = new BuiltinContracts(forkChain(of).spec, forkRules(of), new Map())
    const wrong: unknown[] = []
    for (const { address, input, gas } of geth.precompiles) {
      const price = valueIn(of, gas)
      const precompile = contracts.precompileAt(address)
      if ((price == null) !== (precompile === undefined)) wrong.push([address, price])
      if (price == null || precompile === undefined) continue
      // More than any machine computes in time: it must be out of gas.
      const most = 30_000_000n
      const result = await precompile(input, price > most ? most : price)
      const isPaid = result.failure?.code !== 'out of gas' && result.gasUsed === price
      const less = price === 0n ? undefined : await precompile(input, price > most ? most : price - 1n)
      const isDear = less === undefined || less.failure !== undefined
      if (!(isPaid || price > most) || !isDear)
        wrong.push([address, input.length, price, result.gasUsed, result.failure])
    }
    expect(wrong).toEqual([])
  })
})

const SENDER = geth.accounts[0]?.address ?? hexToAddress('0x')
const TARGET = hexToAddress('0x00000000000000000000000000000000007a26e7')
const PRAGUE_BLOBS: BlobParams = { target: 6n, max: 9n, baseFeeUpdateFraction: 5_007_716n }

const worlds = new Map<Probe, ReturnType<typeof worldOf>>()

/** The state in which a probe runs: those of the program's accounts, and the target with the probe's code. */
function worldOf(code: Uint8Array) {
  const target = {
    address: TARGET,
    balance: '0x3e8',
    nonce: '0x1',
    code: `0x${Buffer.from(code).toString('hex')}`,
    slots: 4,
  }
  const slot = (n: number) => bigToWord(BigInt(n))
  const entries = [...geth.accounts, target].map(({ address, balance, nonce, code, slots }) => {
    const storage = Object.fromEntries(Array.from({ length: slots }, (_, n) => [slot(n + 1), slot(1)]))
    return [address, { balance, nonce, code, storage }]
  })
  return storeAccounts(accounts.parse(Object.fromEntries(entries)))
}

const messageOf = ({ to, data, value, gas, accesses, authorities, blobs }: Probe): TransactionMessage => ({
  from: SENDER,
  to,
  nonce: 0n,
  value,
  data,
  gasLimit: gas,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  accessList: accesses.map(({ address, storageKeys }) => ({ address, storageKeys: storageKeys ?? [] })),
  blobVersionedHashes: Array.from({ length: blobs }, (_, n) =>
    hexToHash(`0x01${n.toString(16).padStart(2, '0')}${'00'.repeat(30)}`),
  ),
  maxFeePerBlobGas: blobs > 0 ? 1n : 0n,
  authorizationList: authorities,
})

/** A function that runs probes in a fork, and answers in the program's words. */
function runsIn(of: Fork, engine: EngineChoice) {
  const rules = forkRules(of)
  const spec: ChainSpec = {
    ...forkChain(of).spec,
    chainId: 1n,
    blobSchedule: new Map([
      ['cancun', PRAGUE_BLOBS],
      ['bpo1', PRAGUE_BLOBS],
      ['bpo2', PRAGUE_BLOBS],
    ]),
  }
  const runtime = new Runtime(spec, undefined, engine)
  const env = blockEnv(spec, of, {
    number: 1n,
    timestamp: 1n,
    coinbase: hexToAddress('0x00000000000000000000000000000000c01bba5e'),
    gasLimit: 1n << 40n,
    difficulty: rules.paris ? 0n : 0x20000n,
    mixHash: ZERO_HASH,
    baseFeePerGas: rules.london ? 0n : undefined,
    excessBlobGas: rules.cancun ? 0n : undefined,
    slotNumber: rules.amsterdam ? 0n : undefined,
  })
  return async (probe: Probe, { state, version }: Awaited<ReturnType<typeof worldOf>>): Promise<string> => {
    const machine = runtime.machine(
      state.at(version),
      env,
      () => undefined,
      () => undefined,
    )
    try {
      const result = await executeMessage(machine, env, 1n, messageOf(probe), 'impersonated', runtime.fees)
      const { gasUsed, error, executionGas, stateGas } = result
      const dimensions = rules.amsterdam ? ` ${executionGas}+${stateGas}` : ''
      return `${gasUsed}${error === undefined ? '' : ' failed'}${dimensions}`
    } catch (error) {
      if (error instanceof ChainError) return `refused: ${error.message}`
      throw error
    }
  }
}

/** The library does not know these forks. */
const UNKNOWN: readonly Fork[] = ['amsterdamOpcodes']
const [first] = geth.probes

it.each(UNKNOWN)('the engine of the library refuses %s', async (of) => {
  if (first === undefined) throw new Error('there are no probes')
  const running = runsIn(of, 'library')(first, await worldOf(first.code))
  await expect(running).resolves.toContain("cannot run Amsterdam's opcodes without its other rules")
})

describe.each(ENGINES)('with the engine %s', (engine) => {
  it.each(FORKS.filter((of) => engine !== 'library' || !UNKNOWN.includes(of)))(
    'transactions use the gas of go-ethereum in %s',
    async (of) => {
      const run = runsIn(of, engine)
      const wrong: string[] = []
      for (const probe of geth.probes) {
        const expected = valueIn(of, probe.outcome)
        if (expected === undefined) continue
        const world = worlds.get(probe) ?? worldOf(probe.code)
        worlds.set(probe, world)
        const outcome = await run(probe, await world)
        if (outcome !== expected) wrong.push(`${probe.name}: ${outcome}, go-ethereum ${expected}`)
      }
      expect(wrong).toEqual([])
    },
  )
})
