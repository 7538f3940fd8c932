// CometBFT's genesis.json. It follows from kestrel's genesis file alone, so all nodes of a network have the same: CometBFT
// takes its validators from the application, which has the whole genesis in `app_state`.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { type ChainSpec, type GenesisAllocation, type GenesisSpec, requireNetwork } from '../../spec/chain-spec.ts'
import { formatAccount, formatSpec, parseExactly } from '../../spec/genesis-file.ts'

/** Staking's default (Cosmos SDK). */
const UNBONDING_TIME = 21n * SECONDS_A_DAY
const NANOSECONDS = 1_000_000_000n
/** Milliseconds between blocks if the genesis does not say: the maximum age of evidence is a time and a number of blocks. */
const BLOCK_TIME_MS = 3_000n
const MAX_INT64 = 2n ** 63n - 1n
/** CometBFT's default size of all evidence in a block. */
const EVIDENCE_BYTES = 1_048_576n

const stakingSection = z.object({
  params: z.object({ unbondingTime: z.union([z.int(), z.string()]).transform(BigInt).optional() }).optional(),
})

/** In a genesis of CometBFT. Evidence is valid as long as the stake behind it can be slashed. */
export function evidenceParams({ native }: Pick<ChainSpec, 'native'>, maxBytes: bigint) {
  const section = stakingSection.safeParse(native?.modules.staking)
  const seconds = section.data?.params?.unbondingTime ?? UNBONDING_TIME
  const blockTime = native?.consensus?.blockTimeMs ?? BLOCK_TIME_MS
  return {
    max_age_num_blocks: String((seconds * 1_000n + blockTime - 1n) / blockTime),
    max_age_duration: String(seconds * NANOSECONDS),
    max_bytes: String(maxBytes < EVIDENCE_BYTES ? maxBytes : EVIDENCE_BYTES),
  }
}

/** -1: CometBFT's integer cannot hold it. */
export const maxGasOf = ({ genesis: { gasLimit } }: ChainSpec): bigint => (gasLimit > MAX_INT64 ? -1n : gasLimit)

/** All fields but `app_state`. */
function engineFields(spec: ChainSpec) {
  const { textChainId, consensus } = requireNetwork(spec)
  const { timestamp } = spec.genesis
  const time = new Date(Number(timestamp) * 1000)
  if (Number.isNaN(time.getTime()))
    throw new ChainError('invalid-genesis', 'timestamp: expected a time that a date can hold')
  return {
    genesis_time: time.toISOString(),
    chain_id: textChainId,
    initial_height: String(consensus.initialHeight),
    consensus_params: {
      block: { max_bytes: String(consensus.maxBytes), max_gas: String(maxGasOf(spec)) },
      evidence: evidenceParams(spec, consensus.maxBytes),
      validator: { pub_key_types: ['ed25519'] },
      version: { app: '0' },
      abci: { vote_extensions_enable_height: '0' },
    },
    validators: [],
    app_hash: '',
  }
}

/** Characters of a piece of a genesis file: a write per account would dominate the time. */
const PIECE = 65_536

/** The text of kestrel's genesis file in pieces, because it may be larger than memory. */
export async function* genesisText(spec: GenesisSpec<GenesisAllocation>): AsyncGenerator<string> {
  const text = JSON.stringify(formatSpec(spec), null, 2)
  let piece = `${text.slice(0, text.lastIndexOf('\n}'))},\n  "alloc": {`
  let isFirst = true
  for await (const entry of spec.genesis.alloc) {
    const [address, account] = formatAccount(entry)
    const lines = JSON.stringify(account, null, 2).replaceAll('\n', '\n    ')
    piece += `${isFirst ? '' : ','}\n    "${address}": ${lines}`
    isFirst = false
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  yield `${piece}\n  }\n}\n`
}

/** The text of CometBFT's genesis.json. Throws ChainError `not-allowed` for a chain of one node. */
export async function* cometBftGenesisText(spec: GenesisSpec<GenesisAllocation>): AsyncGenerator<string> {
  const text = JSON.stringify(engineFields(spec), null, 2)
  yield `${text.slice(0, text.lastIndexOf('\n}'))},\n  "app_state": `
  yield* genesisText(spec)
  yield '}\n'
}

const engineGenesis = z.object({ chain_id: z.string(), app_state: z.unknown() })

/**
 * The chain id in CometBFT's genesis.json, and kestrel's genesis as JSON values. Throws ChainError `invalid-params`, whose
 * message begins with the path.
 */
export function readEngineGenesis(
  text: string,
  path: string,
): { readonly chainId: string; readonly appState: unknown } {
  let json: unknown
  try {
    json = parseExactly(text)
  } catch {
    json = undefined
  }
  const parsed = engineGenesis.safeParse(json)
  if (!parsed.success) throw new ChainError('invalid-params', `${path}: expected a genesis file of CometBFT`)
  return { chainId: parsed.data.chain_id, appState: parsed.data.app_state }
}
