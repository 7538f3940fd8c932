// Maps the names of rules in Ethereum's tests to the forks of a chain: a fork from the first block on (`Cancun`), or a
// transition at a block, a time or a total difficulty (`ShanghaiToCancunAtTime15k`).
import { ChainError } from '../../src/lib/errors.ts'
import { ZERO_ADDRESS, ZERO_HASH } from '../../src/lib/hex.ts'
import { type ChainSpec, FORKS, type Fork, type ForkActivation, type GenesisBlock } from '../../src/spec/chain-spec.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'

/** The names of single forks. go-ethereum's tests/init.go has the same list. */
export const TEST_FORKS: Readonly<Record<string, Fork>> = {
  Frontier: 'chainstart',
  Homestead: 'homestead',
  EIP150: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  Byzantium: 'byzantium',
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Istanbul: 'istanbul',
  MuirGlacier: 'muirGlacier',
  Berlin: 'berlin',
  London: 'london',
  ArrowGlacier: 'arrowGlacier',
  GrayGlacier: 'grayGlacier',
  Merge: 'paris',
  Paris: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
  Prague: 'prague',
  Osaka: 'osaka',
  BPO1: 'bpo1',
  BPO2: 'bpo2',
  BPO3: 'bpo3',
  BPO4: 'bpo4',
  BPO5: 'bpo5',
  Amsterdam: 'amsterdam',
}
/** `Dao` occurs only in `HomesteadToDaoAt5`: chains of the other names do not have the DAO fork. */
const TRANSITION_FORKS: Readonly<Record<string, Fork>> = { ...TEST_FORKS, Dao: 'dao' }

/** The fork of a name; undefined also for inherited names like `toString`. */
const find = (names: Readonly<Record<string, Fork>>, name: string): Fork | undefined =>
  Object.hasOwn(names, name) ? names[name] : undefined

const TRANSITION = /^([A-Za-z0-9]+?)To([A-Z][A-Za-z0-9]*?)At(Time|Diff)?([0-9A-F]+)(k)?$/

/** When the second fork of a transition begins. */
type Start = { readonly block: bigint } | { readonly time: bigint } | { readonly difficulty: bigint }

/** The fork of a name without a transition; undefined if unknown. */
export const forkOf = (name: string): Fork | undefined => find(TEST_FORKS, name)

/** Forks of a test's chain, and the terminal total difficulty. */
export type Network = Pick<ChainSpec, 'forks' | 'terminalTotalDifficulty'>

/**
 * The forks of a name; undefined for an unknown name, or rules that this node does not have.
 * `FrontierToHomesteadAt5`: Homestead from block 5 on. `...AtTime15k`: from timestamp 15,000 on.
 * `ArrowGlacierToParisAtDiffC0000`: from the block after total difficulty 0xc0000 on.
 */
export function networkOf(name: string): Network | undefined {
  const single = forkOf(name)
  if (single !== undefined) return networkFrom(single, single, { block: 0n })
  const [, from = '', to = '', unit, digits = '', thousands] = TRANSITION.exec(name) ?? []
  const first = forkOf(from)
  const second = find(TRANSITION_FORKS, to)
  if (first === undefined || second === undefined) return undefined
  if (unit === 'Diff') return networkFrom(first, second, { difficulty: BigInt(`0x${digits}`) })
  const at = BigInt(digits) * (thousands === undefined ? 1n : 1000n)
  return networkFrom(first, second, unit === 'Time' ? { time: at } : { block: at })
}

/** Forks up to `first` from block 0, those after it up to `last` from `start` on. */
function networkFrom(first: Fork, last: Fork, start: Start): Network {
  const happened = FORKS.filter((fork) => forkRules(last)[fork] && (fork !== 'dao' || last === 'dao'))
  const forks = happened.map((fork): ForkActivation => {
    const isFirst = forkRules(first)[fork]
    if (fork === 'paris' && !isFirst && 'difficulty' in start) return { fork }
    if (forkRules(fork).shanghai) return { fork, time: !isFirst && 'time' in start ? start.time : 0n }
    return { fork, block: !isFirst && 'block' in start ? start.block : 0n }
  })
  const terminal = 'difficulty' in start ? start.difficulty : 0n
  return { forks, terminalTotalDifficulty: forkRules(last).paris ? terminal : undefined }
}

/** A genesis block of zeros. */
export const EMPTY_GENESIS: GenesisBlock = {
  parentHash: ZERO_HASH,
  coinbase: ZERO_ADDRESS,
  timestamp: 0n,
  gasLimit: 0n,
  gasUsed: 0n,
  difficulty: 0n,
  extraData: '0x',
  mixHash: ZERO_HASH,
  nonce: `0x${'00'.repeat(8)}`,
  baseFeePerGas: undefined,
  blobGasUsed: undefined,
  excessBlobGas: undefined,
}

/** A chain without native modules by the rules of a name. Throws ChainError `invalid-params` for an unknown name. */
export function specOf(name: string, overrides: Partial<ChainSpec> = {}): ChainSpec {
  const network = networkOf(name)
  if (network === undefined) throw new ChainError('invalid-params', `no network ${name}`)
  return {
    name: 'conformance-test',
    chainId: 1n,
    mergeNetsplitBlock: undefined,
    blobSchedule: new Map(),
    depositContract: ZERO_ADDRESS,
    genesis: EMPTY_GENESIS,
    native: undefined,
    ...network,
    ...overrides,
  }
}
