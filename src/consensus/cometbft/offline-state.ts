// CometBFT's own state as rows of its databases: what a CometBFT without blocks needs to go on after a block, as its state sync
// leaves it. The rows are copied as they are, so they mean what the CometBFT that wrote them meant; only the state is read here, to
// compare it with the chain's.
import { join } from 'node:path'
import { fromBinary } from '@bufbuild/protobuf'
import { Level } from 'level'
import { ChainError } from '../../lib/errors.ts'
import { type Hash, toHash } from '../../lib/hex.ts'
import {
  ConsensusParamsInfoSchema,
  StateSchema,
  ValidatorsInfoSchema,
} from '../../protobuf/generated/tendermint/state/types_pb.ts'
import type { ValidatorSet } from '../../protobuf/generated/tendermint/types/validator_pb.ts'
import type { ConsensusValidator } from '../../runtime/module-queries.ts'

const DATABASES = ['state', 'blockstore'] as const
export type EngineRow = {
  readonly database: (typeof DATABASES)[number]
  readonly key: string
  readonly value: Uint8Array
}

/** CometBFT's state after block `height`. */
export type EngineState = {
  readonly chainId: string
  readonly height: bigint
  /** The app hash after block `height`. */
  readonly appHash: Hash
  /** Who signs block `height` + 1. */
  readonly validators: readonly ConsensusValidator[]
  /** Who signs block `height` + 2. */
  readonly nextValidators: readonly ConsensusValidator[]
  readonly rows: readonly EngineRow[]
}

/** CometBFT stores a whole validator set at least at each such height (`valSetCheckpointInterval`). */
const CHECKPOINT = 100_000n
const STATE = 'stateKey'
const OFFLINE_HEIGHT = 'offlineStateSyncHeightKey'

/** Folders of CometBFT's databases below `data/` of its home, in the order in which a copy is consistent. */
export const ENGINE_DATABASES = DATABASES.map((name) => `${name}.db`)

/**
 * The newest state in a copy of the databases, in `folder`. Throws ChainError `storage` if there is none.
 */
export async function readEngineState(folder: string): Promise<EngineState> {
  const state = open(join(folder, 'state.db'))
  const blocks = open(join(folder, 'blockstore.db'))
  try {
    const get = async (key: string) => state.get(key)
    const height = decoded(await required(get, STATE)).lastBlockHeight
    const validators = await Promise.all([0n, 1n, 2n].map((later) => validatorRows(get, height + later)))
    const rows = [STATE, ...validators.flat(), ...(await paramsRows(get, height + 1n))]
    const seen = `SC:${height}`
    return engineStateOf([
      ...(await Promise.all(
        [...new Set(rows)].map(async (key) => ({ database: 'state' as const, key, value: await required(get, key) })),
      )),
      { database: 'state', key: OFFLINE_HEIGHT, value: zigzag(height) },
      { database: 'blockstore', key: seen, value: await required(async (key) => blocks.get(key), seen) },
    ])
  } finally {
    await state.close()
    await blocks.close()
  }
}

type Get = (key: string) => Promise<Uint8Array | undefined>

/** Keys of the validators of a height. A set that has not changed is stored at an earlier height. */
async function validatorRows(get: Get, height: bigint): Promise<string[]> {
  const key = `validatorsKey:${height}`
  const { lastHeightChanged } = fromBinary(ValidatorsInfoSchema, await required(get, key))
  const checkpoint = height - (height % CHECKPOINT)
  return [key, `validatorsKey:${checkpoint > lastHeightChanged ? checkpoint : lastHeightChanged}`]
}

async function paramsRows(get: Get, height: bigint): Promise<string[]> {
  const key = `consensusParamsKey:${height}`
  const { lastHeightChanged } = fromBinary(ConsensusParamsInfoSchema, await required(get, key))
  return [key, `consensusParamsKey:${lastHeightChanged}`]
}

async function required(get: Get, key: string): Promise<Uint8Array> {
  const value = await get(key)
  if (value === undefined) throw new ChainError('storage', `CometBFT's databases have no ${key}`)
  return value
}

/** The state that rows hold. Throws ChainError `storage` if they do not. */
export function engineStateOf(rows: readonly EngineRow[]): EngineState {
  const value = rows.find(({ database, key }) => database === 'state' && key === STATE)?.value
  if (value === undefined) throw new ChainError('storage', "the state of CometBFT's is missing")
  const { chainId, lastBlockHeight: height, appHash, ...sets } = decoded(value)
  if (appHash.length !== 32) throw new ChainError('storage', "CometBFT's state has no app hash of this chain")
  const [validators, nextValidators] = [keysOf(sets.validators), keysOf(sets.nextValidators)]
  return { chainId, height, appHash: toHash(appHash), validators, nextValidators, rows }
}

function decoded(value: Uint8Array) {
  try {
    return fromBinary(StateSchema, value)
  } catch {
    throw new ChainError('storage', "CometBFT's state cannot be read")
  }
}

const keysOf = (set: ValidatorSet | undefined): ConsensusValidator[] =>
  (set?.validators ?? []).flatMap(({ pubKey, votingPower: power }) =>
    pubKey?.sum.case === 'ed25519' && pubKey.sum.value.length === 32 ? [{ key: toHash(pubKey.sum.value), power }] : [],
  )

/** Writes rows into new databases of a home, the block store last: without it a start says that CometBFT has no blocks. */
export async function writeEngineState(home: string, rows: readonly EngineRow[]): Promise<void> {
  for (const name of DATABASES) {
    const database = open(join(home, 'data', `${name}.db`))
    try {
      const own = rows.filter((row) => row.database === name)
      await database.batch(
        own.map(({ key, value }) => ({ type: 'put', key, value })),
        { sync: true },
      )
    } finally {
      await database.close()
    }
  }
}

const open = (path: string): Level<string, Uint8Array> =>
  new Level<string, Uint8Array>(path, { keyEncoding: 'utf8', valueEncoding: 'view' })

/** Go's `binary.PutVarint`. */
function zigzag(value: bigint): Uint8Array {
  const bytes: number[] = []
  let left = value << 1n
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  return Uint8Array.from([...bytes, Number(left)])
}
