// The slashing module (Cosmos SDK x/slashing): jails and tombstones validators for downtime and double signs, and unjails
// them. Faults are reported by a network's votes and evidence, or by a developer. The staking module burns the stake.

import { z } from 'zod'
import { mulInt, ONE } from '../../lib/dec.ts'
import { type Address, fromHex, ZERO_ADDRESS } from '../../lib/hex.ts'
import { DUPLICATE_VOTE, LIGHT_CLIENT_ATTACK, VOTE_ABSENT } from '../../primitives/commit-info.ts'
import { consensusAddress, NATIVE_CONTRACT } from '../../spec/addresses.ts'
import { isNetworkBlock, slashingVersion } from '../../spec/block-rules.ts'
import type { NetworkSpec } from '../../spec/chain-spec.ts'
import { fraction, readSection, seconds } from '../genesis-section.ts'
import type { ModuleContext, NativeModule } from '../module.ts'
import { reverted } from '../module.ts'
import type { Validator } from '../staking/layout.ts'
import type { Staking } from '../staking/staking.ts'
import { type SigningInfo, type SlashingParams, type SlashingState, slashingLayout } from './layout.ts'

/** 9999-12-31T23:59:59Z, the end of a jail for double signing (Cosmos SDK, x/evidence). */
export const FOR_EVER = 253_402_300_799n

/** A validator's misbehaviour: whose, when, and with how much power. */
export type Fault = {
  readonly operator: Address
  /** Block of the fault, this one or earlier. */
  readonly height: bigint
  /** Units of voting power that the validator had in it. */
  readonly power: bigint
}

const NEVER_SIGNED: SigningInfo = {
  startHeight: 0n,
  indexOffset: 0n,
  jailedUntil: 0n,
  tombstoned: false,
  missedBlocksCounter: 0n,
}

export class Slashing implements NativeModule<SlashingGenesis> {
  readonly name = 'slashing'
  readonly #context: ModuleContext
  readonly #staking: () => Staking
  readonly #state: SlashingState
  readonly #version: 1 | 2

  /** `staking` is read lazily, because staking's hooks call this module. */
  constructor(context: ModuleContext, staking: () => Staking) {
    this.#context = context
    this.#staking = staking
    this.#state = slashingLayout.open(context.view.slots(NATIVE_CONTRACT.slashing, context.access))
    this.#version = slashingVersion(context.spec)
  }

  initGenesis(params: SlashingGenesis): void {
    this.#state.params.set(params)
  }

  params(): SlashingParams {
    return this.#state.params.get()
  }

  updateParams(params: SlashingParams): void {
    this.#state.params.set(params)
  }

  /** Consensus addresses of all that have ever been bonded, in order of their bytes. */
  signers(): readonly Address[] {
    return [...this.#state.infos.keys()].sort((a, b) => Buffer.compare(fromHex(a), fromHex(b)))
  }

  /** By consensus address; undefined: no validator with it has been bonded. */
  signingInfo(signer: Address): SigningInfo | undefined {
    return this.#state.infos.get(signer)
  }

  /** Counts the votes and punishes the evidence that a network's engine told with the block. */
  beginBlock(): void {
    const { block, spec } = this.#context
    if (spec.consensus?.initialHeight === block.number && block.number > 1n) this.#adoptKeys(spec.consensus)
    this.#staking().carryOutPendingSlashes()
    if (block.commit === undefined) return
    for (const { address, power, flag } of block.commit.votes) {
      const operator = this.operatorOf(address)
      if (operator !== undefined && this.#staking().has(operator))
        this.recordVote(operator, power, flag !== VOTE_ABSENT)
    }
    for (const { type, address, height, power } of block.commit.evidence) {
      const operator = this.operatorOf(address)
      const isKnown = operator !== undefined && this.#isPunishable(operator, address)
      if (this.#isPunished(type) && isKnown) this.punishDoubleSign({ operator, height, power })
    }
  }

  /** x/evidence makes no difference between the two kinds. */
  #isPunished(type: number): boolean {
    return type === DUPLICATE_VOTE || (type === LIGHT_CLIENT_ATTACK && this.#version === 2)
  }

  /** In a network: by consensus address, the operator of a validator that is or was bonded. */
  operatorOf(signer: Address): Address | undefined {
    const operator = this.#state.operators.at(signer).get()
    return operator === ZERO_ADDRESS ? undefined : operator
  }

  /** Whether there is stake left to slash, and the validator was not punished for good already. */
  #isPunishable(operator: Address, signer: Address): boolean {
    const status = this.#staking().status(operator)
    return status !== undefined && status !== 'unbonded' && this.#state.infos.get(signer)?.tombstoned !== true
  }

  /** The first block of a chain that became a network: its validators get the keys that sign from now on. */
  #adoptKeys({ keys }: NetworkSpec): void {
    for (const { operator, consensusKey } of keys) this.#staking().replaceConsensusKey(operator, consensusKey)
    for (const { operator } of this.#staking().bondedValidators()) this.afterValidatorBonded(operator)
  }

  /** Staking tells that a validator signs from the next block on. */
  afterValidatorBonded(operator: Address): void {
    const signer = this.#signerOf(this.#require(operator))
    if (isNetworkBlock(this.#context.spec, this.#context.block.number)) this.#state.operators.at(signer).set(operator)
    const before = this.#state.infos.get(signer) ?? NEVER_SIGNED
    this.#state.infos.set(signer, { ...before, startHeight: this.#context.block.number })
  }

  /**
   * Lets a validator back into the set at the end of the block. Throws ChainError in the SDK's words (x/slashing) when it
   * may not: too little of its own stake, not jailed, its time not over, or tombstoned.
   */
  unjail(operator: Address): void {
    const validator = this.#require(operator)
    this.#staking().unjail(operator)
    const info = this.#state.infos.get(this.#signerOf(validator))
    if (info === undefined) return
    if (info.tombstoned || this.#context.block.timestamp < info.jailedUntil) {
      throw reverted('validator still jailed; cannot be unjailed')
    }
  }

  /**
   * Double signing, or an attack on light clients: slashed at the block before the fault's, whose end has made the set that
   * signed (the SDK's `ValidatorUpdateDelay`), jailed and never let back. Returns the tokens burnt at the validator, as
   * `Staking.slash`. Throws ChainError.
   */
  punishDoubleSign({ operator, height, power }: Fault): bigint {
    const validator = this.#require(operator)
    const signer = this.#signerOf(validator)
    const info = this.#state.infos.get(signer) ?? NEVER_SIGNED
    if (validator.status === 'unbonded') throw reverted('validator is unbonded and has no stake to answer with')
    if (info.tombstoned) throw reverted('validator is tombstoned already')
    const burnt = this.#slash(validator, height - 1n, power, this.params().slashFractionDoubleSign)
    this.#state.infos.set(signer, { ...info, jailedUntil: FOR_EVER, tombstoned: true })
    return burnt
  }

  /**
   * Downtime: slashed two blocks before, jailed for a while, and its window of votes starts again. Returns the tokens burnt at the
   * validator. Throws ChainError when it is jailed already: it was not asked to sign.
   */
  punishDowntime({ operator, height, power }: Fault): bigint {
    const validator = this.#require(operator)
    const signer = this.#signerOf(validator)
    const info = this.#state.infos.get(signer) ?? NEVER_SIGNED
    if (validator.status === 'unbonded') throw reverted('validator is unbonded and has no stake to answer with')
    if (validator.jailed) throw reverted('validator is already jailed')
    const { slashFractionDowntime, downtimeJailDuration } = this.params()
    const burnt = this.#slash(validator, height - 2n, power, slashFractionDowntime)
    const jailedUntil = this.#context.block.timestamp + downtimeJailDuration
    if (this.#version === 1) forgetVotes(this.#state, signer, this.params().signedBlocksWindow)
    this.#state.infos.set(signer, { ...info, jailedUntil, indexOffset: 0n, missedBlocksCounter: 0n })
    return burnt
  }

  /** Counts a vote of the block before, and punishes a validator that has missed too many of a full window (x/slashing). */
  recordVote(operator: Address, power: bigint, hasSigned: boolean): void {
    const validator = this.#require(operator)
    const signer = this.#signerOf(validator)
    const { signedBlocksWindow, minSignedPerWindow } = this.params()
    const info = recordMissedBit(this.#state, signer, signedBlocksWindow, hasSigned, this.#version)
    const { number } = this.#context.block
    const mostMissed = signedBlocksWindow - roundHalfEven(mulInt(minSignedPerWindow, signedBlocksWindow))
    const isFull = number > info.startHeight + signedBlocksWindow
    if (!isFull || info.missedBlocksCounter <= mostMissed || validator.jailed) return
    if (validator.status !== 'unbonded') this.punishDowntime({ operator, height: number, power })
  }

  #slash({ operator, jailed }: Validator, height: bigint, power: bigint, fraction: bigint): bigint {
    const staking = this.#staking()
    const burnt = staking.slash(operator, { height: height < 0n ? 0n : height, power, fraction })
    if (!jailed) staking.jail(operator)
    return burnt
  }

  #require(operator: Address): Validator {
    const validator = this.#staking().validator(operator)
    if (validator === undefined) throw reverted('address is not associated with any known validator')
    return validator
  }

  #signerOf({ consensusKey }: Validator): Address {
    return consensusAddress(consensusKey)
  }
}

/** A Dec to the next whole number, halves to the even one (the SDK's `RoundInt`). */
function roundHalfEven(x: bigint): bigint {
  const [down, rest] = [x / ONE, x % ONE]
  const isUp = rest * 2n > ONE || (rest * 2n === ONE && down % 2n === 1n)
  return isUp ? down + 1n : down
}

const WORD_BITS = 256n

/**
 * Counts one vote of a signer that has a signing info, and returns the new info. Missed votes are bits in a ring: a vote's
 * bit is its number among the validator's votes, modulo the window.
 */
function recordMissedBit(
  state: SlashingState,
  signer: Address,
  window: bigint,
  hasSigned: boolean,
  version: 1 | 2,
): SigningInfo {
  const info = state.infos.get(signer)
  if (info === undefined) throw new Error(`no signing info of ${signer}, which votes`)
  const place = info.indexOffset % window
  const cell = state.missed.at(signer).at(place / WORD_BITS)
  const bit = 1n << (place % WORD_BITS)
  const word = cell.get()
  const isSet = (word & bit) !== 0n
  if (isSet === hasSigned) cell.set(word ^ bit)
  // In the first window after a jail the bits are of votes before it. Version 2 does not clear them: a window may be 3,907 words.
  const hadMissed = isSet && (version === 1 || info.indexOffset >= window)
  const change = hadMissed === hasSigned ? (hasSigned ? -1n : 1n) : 0n
  const missed = info.missedBlocksCounter + change
  // Governance may shrink the window and enlarge it again: bits left from before are not misses of this window.
  const counted = { ...info, indexOffset: info.indexOffset + 1n, missedBlocksCounter: missed < 0n ? 0n : missed }
  state.infos.set(signer, counted)
  return counted
}

/** Version 1: clears the window's votes. */
function forgetVotes(state: SlashingState, signer: Address, window: bigint): void {
  for (let word = 0n; word * WORD_BITS < window; word += 1n) state.missed.at(signer).at(word).set(0n)
}

const WINDOW = { error: 'expected a whole number of blocks from 1 to 1000000' }
const window = z
  .union([z.int(WINDOW).transform(String), z.string().regex(/^\d{1,7}$/, WINDOW)], WINDOW)
  .transform(BigInt)
  .refine((blocks) => blocks >= 1n && blocks <= 1_000_000n, WINDOW)

/** The Cosmos SDK's. */
const DEFAULTS: SlashingParams = {
  signedBlocksWindow: 100n,
  minSignedPerWindow: ONE / 2n,
  downtimeJailDuration: 600n,
  slashFractionDoubleSign: ONE / 20n,
  slashFractionDowntime: ONE / 100n,
}

/** Version 1, where none is named: chains from before there were versions keep their rules. */
const section = z.strictObject({
  version: z.union([z.literal(1), z.literal(2)], { error: 'expected 1 or 2' }).default(1),
  signedBlocksWindow: window.default(DEFAULTS.signedBlocksWindow),
  minSignedPerWindow: fraction.default(DEFAULTS.minSignedPerWindow),
  downtimeJailDuration: seconds.default(DEFAULTS.downtimeJailDuration),
  slashFractionDoubleSign: fraction.default(DEFAULTS.slashFractionDoubleSign),
  slashFractionDowntime: fraction.default(DEFAULTS.slashFractionDowntime),
})

/** The version is a rule of the chain (`slashingVersion`), not a parameter. */
export type SlashingGenesis = SlashingParams & { readonly version: 1 | 2 }

/** All parameters, as a proposal replaces them. */
export const slashingParams = z.strictObject({
  signedBlocksWindow: window,
  minSignedPerWindow: fraction,
  downtimeJailDuration: seconds,
  slashFractionDoubleSign: fraction,
  slashFractionDowntime: fraction,
})

/** Throws ChainError `invalid-genesis` that names the field. */
export const readSlashingGenesis = (json: unknown): SlashingGenesis => readSection('slashing', section, json)
