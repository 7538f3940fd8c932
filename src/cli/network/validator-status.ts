// `kestrel validator status`: a validator as the chain has it, and whether its key is that of a node on this machine. Also how the
// other validator commands read it: by `kestrel_getValidator`, whose answer is the same whatever the chain's contracts look like.
import type { Command } from 'commander'
import { getAddress } from 'viem'
import { z } from 'zod'
import { hasKeys, readConsensusKey } from '../../consensus/cometbft/home.ts'
import { keyToBase64 } from '../../consensus/cometbft/keys.ts'
import { ONE } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, type Hash, hexToAddress, hexToHash } from '../../lib/hex.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { consensusAddress } from '../../spec/addresses.ts'
import { readFlags, wrongOperand } from '../flags.ts'
import { formatCoin, formatShare } from '../native/amount.ts'
import { print, utc } from '../native/answers.ts'
import { readAccount } from '../native/arguments.ts'
import { nodeFlags as rpcFlags, withNodeFlags } from '../native/sender.ts'
import { readBaseDenom } from '../native/transaction.ts'
import { type RpcClient, withNode as withRpc } from '../rpc-client.ts'
import { nodeFlags, nodeFolders, withNode } from './node-flags.ts'

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/)
  .transform(BigInt)
const address = z.string().transform((text) => hexToAddress(text))

const answer = z.object({
  block: quantity,
  time: quantity,
  operator: address,
  operatorAddress: z.string(),
  consensusKey: z.string().transform((text) => hexToHash(text)),
  consensusAddress: address,
  moniker: z.string(),
  status: z.enum(['unbonded', 'unbonding', 'bonded']),
  jailed: z.boolean(),
  tombstoned: z.boolean(),
  jailedUntil: quantity,
  tokens: quantity,
  power: quantity,
  totalPower: quantity,
  selfDelegation: quantity,
  minSelfDelegation: quantity,
  commission: z.object({ rate: quantity, maxRate: quantity, maxChangeRate: quantity }),
  earned: z.object({ commission: quantity, rewards: quantity }),
  votes: z.object({ missed: quantity, counted: quantity, window: quantity, minSigned: quantity }).nullable(),
  lastVote: z.enum(['commit', 'nil', 'absent', 'unknown']).nullable(),
})

/** A validator on the newest state. Amounts are base units, times Unix seconds, rates 10^18ths. */
export type ValidatorAnswer = z.output<typeof answer>

/** `of`: operator or consensus address. undefined: there is no such validator. Throws viem's errors and ChainError. */
export async function findValidator(node: RpcClient, of: Address): Promise<ValidatorAnswer | undefined> {
  const parsed = answer.nullable().safeParse(await node.request('kestrel_getValidator', of, 'latest'))
  if (!parsed.success)
    throw new ChainError('not-found', "the node's answer to kestrel_getValidator has an unknown form")
  return parsed.data ?? undefined
}

/** Throws ChainError `not-found` if there is no such validator. */
export async function requireValidator(node: RpcClient, of: Address): Promise<ValidatorAnswer> {
  const found = await findValidator(node, of)
  if (found === undefined) throw new ChainError('not-found', `this chain has no validator ${of}`)
  return found
}

/** A number of seconds for people: `9 min 58 s`, `13 d 4 h`. */
export function duration(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const
  const first = units.findIndex(([, size]) => seconds >= size)
  const shown = units.slice(first < 0 ? -1 : first).slice(0, 2)
  const parts = shown.map(([unit, size], place) => {
    const whole = place === 0 ? seconds / size : (seconds % (shown[0]?.[1] ?? 1)) / size
    return { unit, count: Math.floor(whole) }
  })
  return parts
    .filter(({ count }, place) => place === 0 || count > 0)
    .map(({ unit, count }) => `${count} ${unit}`)
    .join(' ')
}

/** Percent with up to two decimals. */
export const percent = (rate: bigint): string => formatShare(rate, ONE)

const flags = z.object({ ...rpcFlags, ...nodeFlags })

export function registerStatus(validator: Command): void {
  withNode(
    withNodeFlags(
      validator
        .command('status')
        .description('whether a validator signs: power, missed blocks, jail, commission, what it has earned')
        .argument(
          '[validator]',
          'operator in hex or bech32 (default: the one with the key of the node on this machine)',
        ),
    ).optionsGroup("Node's key:"),
  )
    .addHelpText(
      'after',
      `
Without VALIDATOR it is the one whose key is in the home that --home, --engine-home or --datadir names.

Examples:
  kestrel validator status --home net/node4
  kestrel validator status 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --json`,
    )
    .action(async (text: string | undefined, given) => {
      const { rpcUrl, json, ...node } = readFlags(flags, given)
      const named = text === undefined ? undefined : readAccount('validator', text)
      const key = await keyHere(node)
      await withRpc(rpcUrl, async (client) => {
        const found = await requireValidator(client, named ?? signerHere(key))
        const isThisNode = key === undefined ? undefined : key.consensusKey === found.consensusKey
        const base = await readBaseDenom(client)
        print(json, { ...found, isThisNode }, statusLines(found, base, key))
      })
    })
}

type KeyHere = { readonly home: string; readonly consensusKey: Hash }

/** The consensus key of the home that the flags name; undefined if there is none. */
async function keyHere(node: Parameters<typeof nodeFolders>[0]): Promise<KeyHere | undefined> {
  const { engine: home } = nodeFolders(node)
  return hasKeys(home) ? { home, consensusKey: await readConsensusKey(home) } : undefined
}

function signerHere(key: KeyHere | undefined): Address {
  if (key !== undefined) return consensusAddress(key.consensusKey)
  throw wrongOperand('validator', 'name one, or with --home or --datadir a node whose key it has')
}

const row = (name: string, ...values: readonly string[]): string[] =>
  values.map((value, place) => `  ${(place === 0 ? name : '').padEnd(12)}${value}`)

function statusLines(found: ValidatorAnswer, base: string, key: KeyHere | undefined): string[] {
  const { operator, operatorAddress, moniker, power, totalPower, tokens, selfDelegation, minSelfDelegation } = found
  const coins = (amount: bigint) => formatCoin({ denom: base, amount }, base)
  const { rate, maxRate, maxChangeRate } = found.commission
  const { commission, rewards } = found.earned
  return [
    `Validator ${visibleText(moniker) ?? ''}, at block ${found.block}`,
    ...row('Operator', getAddress(operator), operatorAddress),
    ...row('Status', ...stateLines(found)),
    ...row('Power', power === 0n ? 'none' : `${power} of ${totalPower} (${formatShare(power, totalPower)})`),
    ...row('Stake', `${coins(tokens)}, ${coins(selfDelegation)} of its own (at least ${coins(minSelfDelegation)})`),
    ...row('Missed', votesLine(found.votes)),
    ...row('Commission', `${percent(rate)} (at most ${percent(maxRate)}, ${percent(maxChangeRate)} more a day)`),
    ...row('Earned', `${coins(commission)} by commission, ${coins(rewards)} by its own delegation`),
    ...row('Key', keyToBase64(found.consensusKey), ...keyLines(found, key)),
  ]
}

function keyLines({ consensusKey }: ValidatorAnswer, key: KeyHere | undefined): string[] {
  if (key === undefined) return []
  return [key.consensusKey === consensusKey ? `that of ${key.home}` : `not that of ${key.home}`]
}

function votesLine(votes: ValidatorAnswer['votes']): string {
  if (votes === null) return 'votes are not counted'
  const { missed, counted, window, minSigned } = votes
  const most = window - (window * minSigned + ONE / 2n) / ONE
  return `${missed} of ${counted} blocks; more than ${most} of ${window} are downtime`
}

const VOTE_WORDS = {
  commit: 'signs',
  nil: 'voted against',
  absent: 'did not sign',
  unknown: 'voted in an unknown way on',
}

function stateLines(found: ValidatorAnswer): string[] {
  const { status, jailed, lastVote, block } = found
  const last =
    lastVote === null
      ? []
      : [`${VOTE_WORDS[lastVote]}${lastVote === 'commit' ? ': it voted for' : ''} block ${block - 1n}`]
  return [jailed ? `${status}, jailed ${jailWords(found)}` : status, ...last]
}

/** When a jail ends: `until 2026-01-01 00:10:00 UTC (in 9 min 58 s)`. */
export function jailWords({ tombstoned, jailedUntil, time }: ValidatorAnswer): string {
  if (tombstoned) return 'for ever, because it signed twice'
  const left = jailedUntil - time
  if (left <= 0n) return 'until its operator unjails it'
  return `until ${utc(Number(jailedUntil))} (in ${duration(Number(left))})`
}
