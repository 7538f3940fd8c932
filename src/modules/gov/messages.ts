// The messages that a proposal can execute, one entry for each type. A message is JSON: its type URL as `@type`, the authority,
// which must be the governance account, and the type's fields in snake_case or camelCase.

import { z } from 'zod'
import { readAddress, toBech32 } from '../../lib/bech32.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, hexToAddress } from '../../lib/hex.ts'
import { firstIssue, zodMessages } from '../../lib/zod-messages.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { govVersion, hasIbc } from '../../spec/block-rules.ts'
import type { NativeSpec } from '../../spec/chain-spec.ts'
import { isBlocked } from '../bank.ts'
import { type ConsensusParamsUpdate, consensusParamsSchema, updatedConsensusParams } from '../consensus-params.ts'
import { distributionParams } from '../distribution/distribution.ts'
import type { DistributionParams } from '../distribution/layout.ts'
import { whole } from '../genesis-section.ts'
import type { Ibc } from '../ibc/ibc.ts'
import { type InflationGenesis, inflationParams } from '../inflation.ts'
import { reverted } from '../module.ts'
import {
  type EvmParams,
  evmParamsSchema,
  type FeeMarketParams,
  feeMarketParamsSchema,
  type UpgradePlan,
} from '../params.ts'
import type { SlashingParams } from '../slashing/layout.ts'
import type { Slashing } from '../slashing/slashing.ts'
import { slashingParams } from '../slashing/slashing.ts'
import { newStakingParams } from '../staking/genesis.ts'
import type { StakingParams } from '../staking/layout.ts'
import type { GovernedModules } from './context.ts'
import type { GovParams } from './layout.ts'
import { govParams } from './params.ts'

/** The parameters of a module that a message replaces. */
export type ReplacedParams =
  | { readonly module: 'evm'; readonly params: EvmParams }
  | { readonly module: 'fee_market'; readonly params: FeeMarketParams }
  | { readonly module: 'gov'; readonly params: GovParams }
  | { readonly module: 'staking'; readonly params: Omit<StakingParams, 'powerReduction'> }
  | { readonly module: 'slashing'; readonly params: SlashingParams }
  | { readonly module: 'distribution'; readonly params: DistributionParams }
  | { readonly module: 'inflation'; readonly params: InflationGenesis }
  | { readonly module: 'erc20'; readonly params: { readonly isEnabled: boolean } }
  | {
      readonly module: 'transfer'
      readonly params: { readonly sendEnabled: boolean; readonly receiveEnabled: boolean }
    }
  | { readonly module: 'consensus'; readonly params: ConsensusParamsUpdate }

/** A parsed message. */
export type ProposalMessage = {
  /** Its type, as printed. */
  readonly type: string
  /** Token contracts whose metadata must be read before voting begins. */
  readonly tokens: readonly Address[]
  /** The vesting account whose funder may not claw back or be replaced until voting ends. */
  readonly contested: Address | undefined
  /** Number of lists of opcode proposals for which `check` builds opcode tables, which takes time. */
  readonly lists: number
  /** undefined: it changes no parameters. */
  readonly replaces: ReplacedParams | undefined
  /** The upgrade that it schedules. */
  readonly plan: UpgradePlan | undefined
  /** Throws ChainError if the message could not be executed even now. */
  check(governed: GovernedModules): void
  /** Throws ChainError. */
  run(governed: GovernedModules): void
  /** The failure code after `run` has thrown ChainError; call it after the changes of `run` were reverted. */
  failure(governed: GovernedModules): ProposalFailureCode
}

type MessageKind = {
  /** The first one is printed; the others are accepted as well. */
  readonly types: readonly [string, ...string[]]
  /** Names of the field that holds the authority. */
  readonly authority: readonly string[]
  /** Chains that know the type; left out: all. */
  isKnown?(spec: NativeSpec): boolean
  read(spec: NativeSpec, fields: unknown): Omit<ProposalMessage, 'type'>
}

/** An entry; `fields`: those other than `@type` and the authority, in camelCase. */
function messageKind<T>(of: {
  readonly types: MessageKind['types']
  readonly authority?: MessageKind['authority']
  readonly isKnown?: MessageKind['isKnown']
  fields(spec: NativeSpec): z.ZodType<T>
  run(fields: T, governed: GovernedModules): void
  failure(fields: T, governed: GovernedModules): ProposalFailureCode
  /** Checks a list of opcode proposals at submission. */
  tryList?(fields: T, governed: GovernedModules): void
  /** A further check at submission. Throws ChainError. */
  check?(fields: T, governed: GovernedModules): void
  tokens?(fields: T): readonly Address[]
  contested?(fields: T): Address
  replaces?(fields: T): ReplacedParams
  plan?(fields: T): UpgradePlan
}): MessageKind {
  return {
    types: of.types,
    authority: of.authority ?? ['authority'],
    ...(of.isKnown && { isKnown: of.isKnown }),
    read(spec, json) {
      const parsed = of.fields(spec).safeParse(json, { error: zodMessages })
      if (!parsed.success) throw reverted(`${issueText(parsed.error)}: invalid proposal message`)
      const { data } = parsed
      return {
        tokens: of.tokens?.(data) ?? [],
        contested: of.contested?.(data),
        lists: of.tryList === undefined ? 0 : 1,
        replaces: of.replaces?.(data),
        plan: of.plan?.(data),
        check(governed) {
          of.tryList?.(data, governed)
          of.check?.(data, governed)
        },
        run: (governed) => of.run(data, governed),
        failure: (governed) => of.failure(data, governed),
      }
    },
  }
}

const account = ({ bech32Prefix }: NativeSpec) =>
  z.string().transform((text, context): Address => {
    try {
      return readAddress(bech32Prefix, text)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      context.issues.push({ code: 'custom', message: error.message, input: text })
      return z.NEVER
    }
  })

const contract = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'expected the address of a contract, 20 bytes of hex' })
  .transform(hexToAddress)

/** The community pool holds only the base coin. */
const baseCoin = ({ denom }: NativeSpec) =>
  z
    .tuple([z.strictObject({ denom: z.literal(denom), amount: whole })], {
      error: `expected a list of one coin of ${denom}`,
    })
    .transform(([{ amount }]) => amount)
    .refine((amount) => amount > 0n, { error: 'expected more than nothing' })

/** On other chains the types have always been unknown, and their refusals are part of blocks. */
const isVersion2 = (spec: NativeSpec): boolean => govVersion(spec) === 2

const PLAN_NAME = { error: 'expected a name of up to 64 letters, digits and "._+-", such as "v2"' }
/** JSON numbers in `upgrade-info.json` must be exact. */
const LAST_HEIGHT = BigInt(Number.MAX_SAFE_INTEGER)
/** A plan of the SDK; its two deprecated fields are accepted with the values that they always have. */
const plan = z
  .strictObject({
    name: z.string(PLAN_NAME).regex(/^[A-Za-z0-9][\w.+-]{0,63}$/, PLAN_NAME),
    height: whole.refine((height) => height > 0n && height <= LAST_HEIGHT, {
      error: 'expected a block after the next',
    }),
    info: z.string().max(10_000, { error: 'expected up to 10000 characters' }).default(''),
    time: z.literal('0001-01-01T00:00:00Z').optional(),
    upgradedClientState: z.null().optional(),
  })
  .transform(({ name, height, info }): UpgradePlan => ({ name, height, info }))

const MESSAGE_KINDS: readonly MessageKind[] = [
  messageKind({
    types: ['/ethermint.evm.v1.MsgUpdateParams', '/cosmos.evm.vm.v1.MsgUpdateParams'],
    fields: () => z.strictObject({ params: evmParamsSchema }),
    // As Evmos' MsgUpdateParams.ValidateBasic: a list that cannot be activated is refused at submission.
    tryList: ({ params: update }, { params }) => params.requireActivatable(update),
    run: ({ params: update }, { params }) => params.update(update),
    replaces: ({ params }) => ({ module: 'evm', params }),
    failure: () => 'list-refused',
  }),
  messageKind({
    types: ['/ethermint.feemarket.v1.MsgUpdateParams', '/cosmos.evm.feemarket.v1.MsgUpdateParams'],
    // On chains without a floor in the genesis the type has always been unknown, and its refusals are part of their blocks.
    isKnown: ({ feeMarket }) => feeMarket.minBaseFee !== undefined,
    fields: () => z.strictObject({ params: feeMarketParamsSchema }),
    run: ({ params: update }, { params }) => params.updateFeeMarket(update),
    replaces: ({ params }) => ({ module: 'fee_market', params }),
    failure: () => 'params-refused',
  }),
  messageKind({
    types: ['/evmos.erc20.v1.MsgRegisterERC20', '/cosmos.evm.erc20.v1.MsgRegisterERC20'],
    authority: ['authority', 'signer'],
    fields: () => z.strictObject({ erc20addresses: z.array(contract).min(1).max(32) }),
    tokens: ({ erc20addresses }) => erc20addresses,
    run({ erc20addresses }, { erc20 }) {
      for (const token of erc20addresses) erc20.registerDescribed(token)
    },
    failure: ({ erc20addresses }, { erc20 }) =>
      erc20addresses.some((token) => erc20.pair(token) !== undefined) ? 'pair-exists' : 'token-refused',
  }),
  messageKind({
    types: ['/evmos.erc20.v1.MsgToggleConversion', '/cosmos.evm.erc20.v1.MsgToggleConversion'],
    fields: () => z.strictObject({ token: z.string() }),
    run: ({ token }, { erc20 }) => erc20.toggleNamed(token),
    failure: () => 'pair-not-found',
  }),
  messageKind({
    types: ['/cosmos.distribution.v1beta1.MsgCommunityPoolSpend'],
    fields: (spec) => z.strictObject({ recipient: account(spec), amount: baseCoin(spec) }),
    run: ({ recipient, amount }, { distribution }) => distribution.spendCommunityPool(recipient, amount),
    failure: ({ recipient }) => (isBlocked(recipient) ? 'recipient-refused' : 'pool-insufficient'),
  }),
  messageKind({
    types: ['/cosmos.gov.v1.MsgUpdateParams'],
    fields: (spec) => z.strictObject({ params: govParams(spec) }),
    run: ({ params }, { gov }) => gov.updateParams(params),
    replaces: ({ params }) => ({ module: 'gov', params }),
    failure: () => 'params-refused',
  }),
  messageKind({
    types: ['/cosmos.staking.v1beta1.MsgUpdateParams'],
    fields: (spec) => z.strictObject({ params: newStakingParams(spec.denom) }),
    run: ({ params }, { staking }) => staking.updateParams(params),
    replaces: ({ params }) => ({ module: 'staking', params }),
    failure: () => 'params-refused',
  }),
  messageKind({
    types: ['/cosmos.slashing.v1beta1.MsgUpdateParams'],
    fields: () => z.strictObject({ params: slashingParams }),
    // Refuse it on a chain without slashing.
    check: (_, { slashing }) => void slashingOf(slashing),
    run: ({ params }, { slashing }) => slashingOf(slashing).updateParams(params),
    replaces: ({ params }) => ({ module: 'slashing', params }),
    failure: () => 'params-refused',
  }),
  messageKind({
    types: ['/evmos.vesting.v2.MsgClawback'],
    authority: ['funderAddress', 'authority'],
    // The coins go to the community pool; `destAddress` is ignored.
    fields: (spec) => z.strictObject({ accountAddress: account(spec), destAddress: z.string().optional() }),
    contested: ({ accountAddress }) => accountAddress,
    run({ accountAddress }, { vesting, distribution }) {
      vesting.clawbackByGovernance(accountAddress, (from, amount) => distribution.fundCommunityPool(from, amount))
    },
    failure: () => 'clawback-refused',
  }),
  messageKind({
    types: ['/cosmos.bank.v1beta1.MsgSend'],
    authority: ['fromAddress'],
    isKnown: isVersion2,
    fields: (spec) => z.strictObject({ toAddress: account(spec), amount: baseCoin(spec) }),
    run: ({ toAddress, amount }, { gov }) => gov.send(toAddress, amount),
    failure: ({ toAddress }) => (isBlocked(toAddress) ? 'recipient-refused' : 'coins-insufficient'),
  }),
  messageKind({
    types: ['/cosmos.distribution.v1beta1.MsgFundCommunityPool'],
    authority: ['depositor'],
    isKnown: isVersion2,
    fields: (spec) => z.strictObject({ amount: baseCoin(spec) }),
    run({ amount }, { gov, distribution }) {
      gov.requireCoins(amount)
      distribution.fundCommunityPool(MODULE_ACCOUNT.gov, amount)
    },
    failure: () => 'coins-insufficient',
  }),
  messageKind({
    types: ['/cosmos.distribution.v1beta1.MsgUpdateParams'],
    isKnown: isVersion2,
    fields: () => z.strictObject({ params: distributionParams }),
    run: ({ params }, { distribution }) => distribution.updateParams(params),
    replaces: ({ params }) => ({ module: 'distribution', params }),
    failure: () => 'params-refused',
  }),
  messageKind({
    // A type of this program, because its parameters are those of no other module.
    types: ['/kestrel.inflation.v1.MsgUpdateParams'],
    isKnown: isVersion2,
    fields: () => z.strictObject({ params: inflationParams }),
    run: ({ params }, { inflation }) => inflation.updateParams(params),
    replaces: ({ params }) => ({ module: 'inflation', params }),
    failure: () => 'params-refused',
  }),
  messageKind({
    types: ['/evmos.erc20.v1.MsgUpdateParams', '/cosmos.evm.erc20.v1.MsgUpdateParams'],
    isKnown: isVersion2,
    fields: () => z.strictObject({ params: z.strictObject({ enableErc20: z.boolean() }) }),
    run: ({ params: { enableErc20 } }, { erc20 }) => erc20.updateParams(enableErc20),
    replaces: ({ params: { enableErc20: isEnabled } }) => ({ module: 'erc20', params: { isEnabled } }),
    failure: () => 'params-refused',
  }),
  messageKind({
    types: ['/ibc.applications.transfer.v1.MsgUpdateParams'],
    authority: ['signer', 'authority'],
    isKnown: isVersion2,
    fields: () => z.strictObject({ params: z.strictObject({ sendEnabled: z.boolean(), receiveEnabled: z.boolean() }) }),
    run: ({ params }, { transfer }) => transfer.updateParams(params),
    replaces: ({ params }) => ({ module: 'transfer', params }),
    failure: () => 'params-refused',
  }),
  messageKind({
    types: ['/cosmos.consensus.v1.MsgUpdateParams'],
    isKnown: isVersion2,
    fields: () => consensusParamsSchema,
    run: (update, { params }) => params.setConsensus(updatedConsensusParams(params.consensus(), update)),
    replaces: (params) => ({ module: 'consensus', params }),
    failure: () => 'params-refused',
  }),
  messageKind({
    types: ['/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade'],
    isKnown: isVersion2,
    fields: () => z.strictObject({ plan }),
    tryList: ({ plan }, { upgrades }) => upgrades.requireSchedulable(plan),
    run: ({ plan }, { upgrades }) => upgrades.schedule(plan),
    plan: ({ plan }) => plan,
    failure: () => 'plan-refused',
  }),
  messageKind({
    types: ['/cosmos.upgrade.v1beta1.MsgCancelUpgrade'],
    isKnown: isVersion2,
    fields: () => z.strictObject({}),
    run: (_, { upgrades }) => upgrades.cancel(),
    failure: () => 'plan-refused',
  }),
  messageKind({
    types: ['/ibc.core.client.v1.MsgRecoverClient'],
    authority: ['signer', 'authority'],
    isKnown: hasIbc,
    fields: () =>
      z
        .strictObject({ subjectClientId: z.string(), substituteClientId: z.string() })
        .refine(({ subjectClientId, substituteClientId }) => subjectClientId !== substituteClientId, {
          error: 'subject and substitute clients must be different',
        }),
    // Whether they fit each other is known when the proposal has passed.
    check({ subjectClientId, substituteClientId }, { ibc }) {
      for (const id of [subjectClientId, substituteClientId]) ibcOf(ibc).clients.client(id)
    },
    run: ({ subjectClientId, substituteClientId }, { ibc }) =>
      ibcOf(ibc).clients.recover(subjectClientId, substituteClientId),
    failure: ({ subjectClientId }, { ibc }) =>
      ibcOf(ibc).clients.status(subjectClientId) === 'Active' ? 'client-active' : 'substitute-refused',
  }),
]

function ibcOf(ibc: Ibc | undefined): Ibc {
  if (ibc === undefined) throw reverted('this chain has no IBC: invalid proposal message')
  return ibc
}

function slashingOf(slashing: Slashing | undefined): Slashing {
  if (slashing === undefined) throw reverted('this chain has no slashing: invalid proposal message')
  return slashing
}

const KIND_OF: ReadonlyMap<string, MessageKind> = new Map(
  MESSAGE_KINDS.flatMap((of) => of.types.map((type) => [type, of] as const)),
)

/**
 * Reads a message of a proposal. Throws ChainError if its type is unknown, its authority is not governance, or a field is
 * invalid.
 */
export function readMessage(spec: NativeSpec, json: unknown): ProposalMessage {
  const message = inCamelCase(json)
  if (!isRecord(message)) throw reverted('expected an object with "@type"')
  const { '@type': type, ...rest } = message
  const found = typeof type === 'string' ? KIND_OF.get(type) : undefined
  if (found === undefined || found.isKnown?.(spec) === false)
    throw reverted(`unable to resolve type URL ${typeof type === 'string' ? type : ''}`)
  const name = found.authority.find((name) => name in rest)
  requireAuthority(spec, name === undefined ? '' : rest[name])
  const fields = Object.fromEntries(Object.entries(rest).filter(([field]) => field !== name))
  return { type: found.types[0], ...found.read(spec, fields) }
}

function requireAuthority({ bech32Prefix }: NativeSpec, given: unknown): void {
  const text = typeof given === 'string' ? given : ''
  if (isGov(bech32Prefix, text)) return
  const why = 'expected gov account as only signer for proposal message'
  throw reverted(`invalid authority, expected ${toBech32(bech32Prefix, MODULE_ACCOUNT.gov)}, got ${text}: ${why}`)
}

function isGov(prefix: string, text: string): boolean {
  try {
    return readAddress(prefix, text) === MODULE_ACCOUNT.gov
  } catch (error) {
    if (error instanceof ChainError) return false
    throw error
  }
}

const isRecord = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

const DEEPEST = 16

/** JSON with field names in camelCase. Throws ChainError if it is nested deeper than any message. */
function inCamelCase(json: unknown, depth = 0): unknown {
  if (depth > DEEPEST) throw reverted('nested too deeply: invalid proposal message')
  if (Array.isArray(json)) return json.map((item) => inCamelCase(item, depth + 1))
  if (!isRecord(json)) return json
  const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [camel(name), inCamelCase(value, depth + 1)] as const),
  )
}

/** `params.quorum: expected …` */
function issueText(error: z.ZodError): string {
  const { path, message } = firstIssue(error)
  return path === '' ? message : `${path}: ${message}`
}

// The stored reason why a proposal that passed could not be executed: one of a closed list of fixed texts. An error's own
// message is never stored: it can differ between nodes, and then the state roots would differ.

/** Codes with their texts; the stored text begins with the message: `message 0: token pair not found`. */
const FAILURES = {
  'message-unreadable': 'the message can no longer be read',
  'list-refused': 'the list of improvement proposals cannot be activated',
  'token-refused': 'the token cannot be registered',
  'pair-exists': 'token pair already exists',
  'pair-not-found': 'token pair not found',
  'pool-insufficient': 'community pool does not have sufficient coins to distribute',
  'recipient-refused': 'the recipient is not allowed to receive funds',
  'params-refused': 'the parameters cannot be set',
  'coins-insufficient': 'the governance account does not have sufficient coins beside the deposits',
  'plan-refused': 'the upgrade cannot be scheduled',
  'clawback-refused': 'the account has no vesting that governance may claw back',
  'client-active': 'the client is active',
  'substitute-refused': 'the substitute is not a newer active client of the same chain',
  'internal-error': 'internal error',
} as const

export type ProposalFailureCode = keyof typeof FAILURES

/** The content of `texts.failure`; empty without a failure. */
export type StoredFailure = '' | `message ${number}: ${(typeof FAILURES)[ProposalFailureCode]}`

/** `index`: index of the message in its proposal, from 0. */
export const storedFailure = (index: number, code: ProposalFailureCode): StoredFailure =>
  `message ${index}: ${FAILURES[code]}`
