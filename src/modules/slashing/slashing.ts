// The slashing module (Cosmos SDK x/slashing): jails and tombstones validators for downtime and double signs, and unjails
// them. Misbehaviour is reported by a network's votes and evidence, or by a developer. The staking module burns the tokens.

import { z } from 'zod'
import { mulInt, ONE } from '../../lib/dec.ts'
import { type Address, fromHex, ZERO_ADDRESS } from '../../lib/hex.ts'
import { DUPLICATE_VOTE, LIGHT_CLIENT_ATTACK, VOTE_ABSENT } from '../../primitives/commit-info.ts'
import { consensusAddress, NATIVE_CONTRACT } from '../../spec/addresses.ts'
import { hasIbc, isNetworkBlock, slashingVersion } from '../../spec/block-rules.ts'
import type { NetworkSpec } from '../../spec/chain-spec.ts'
import { fraction, readSection, rulesVersion, seconds } from '../genesis-section.ts'
import type { ModuleContext, NativeModule } from '../module.ts'
import { reverted } from '../module.ts'
import type { Validator } from '../staking/layout.ts'
import type { Staking } from '../staking/staking.ts'
import { type SigningInfo, type SlashingParams, type SlashingState, slashingLayout } from './layout.ts'

/** 9999-12-31T23:59:59Z: a validator that signed twice stays jailed (`DoubleSignJailEndTime` of x/evidence). */
export const DOUBLE_SIGN_JAIL_END_TIME = 253_402_300_799n

/** Misbehaviour of a validator, as ABCI reports it. */
export type Misbehaviour = {
  readonly operator: Address
  /** Block of the misbehaviour, this one or earlier. */
  readonly height: bigint
  /** Voting power of the validator in that block. */
  readonly power: bigint
}

const EMPTY_SIGNING_INFO: SigningInfo = {
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

  /** Consensus addresses that have a signing info, in order of their bytes. Every validator that was ever bonded has one. */
  signers(): readonly Address[] {
    return [...this.#state.signingInfos.keys()].sort((a, b) => Buffer.compare(fromHex(a), fromHex(b)))
  }

  /** By consensus address; undefined: no validator with this address was ever bonded. */
  signingInfo(signer: Address): SigningInfo | undefined {
    return this.#state.signingInfos.get(signer)
  }

  /** Handles the votes and the evidence in the block's commit info, after the slashes that earlier blocks left pending. */
  beginBlock(): void {
    const { block, spec } = this.#context
    if (spec.consensus?.initialHeight === block.number && block.number > 1n) this.#adoptKeys(spec.consensus)
    this.#staking().continuePendingSlashes()
    if (block.commit === undefined) return
    for (const { address, power, flag } of block.commit.votes) {
      const operator = this.operatorByConsensusAddress(address)
      if (operator !== undefined && this.#staking().has(operator))
        this.handleValidatorSignature(operator, power, flag !== VOTE_ABSENT)
    }
    for (const { type, address, height, power } of block.commit.evidence) {
      const operator = this.operatorByConsensusAddress(address)
      const isKnown = operator !== undefined && this.#canBeSlashed(operator, address)
      if (this.#isSlashableEvidence(type) && isKnown) this.handleDoubleSign({ operator, height, power })
    }
  }

  /**
   * x/evidence treats both kinds of evidence alike. Version 1 ignores attacks on light clients on chains without IBC, which nobody
   * else's coins depend on.
   */
  #isSlashableEvidence(type: number): boolean {
    const punishesAttacks = this.#version === 2 || hasIbc(this.#context.spec)
    return type === DUPLICATE_VOTE || (type === LIGHT_CLIENT_ATTACK && punishesAttacks)
  }

  /** In a network: the operator of a validator that is or was bonded. */
  operatorByConsensusAddress(signer: Address): Address | undefined {
    const operator = this.#state.operators.at(signer).get()
    return operator === ZERO_ADDRESS ? undefined : operator
  }

  /** Evidence against unbonded and tombstoned validators is ignored, as in x/evidence. */
  #canBeSlashed(operator: Address, signer: Address): boolean {
    const status = this.#staking().status(operator)
    return status !== undefined && status !== 'unbonded' && this.#state.signingInfos.get(signer)?.tombstoned !== true
  }

  /** In the first block after a chain became a network: sets the consensus keys of its validators. */
  #adoptKeys({ keys }: NetworkSpec): void {
    for (const { operator, consensusKey } of keys) this.#staking().replaceConsensusKey(operator, consensusKey)
    for (const { operator } of this.#staking().bondedValidators()) this.afterValidatorBonded(operator)
  }

  /** Hook of staking: writes the signing info of a validator, which signs from the next block on. */
  afterValidatorBonded(operator: Address): void {
    const signer = this.#signerOf(this.#require(operator))
    if (isNetworkBlock(this.#context.spec, this.#context.block.number)) this.#state.operators.at(signer).set(operator)
    const before = this.#state.signingInfos.get(signer) ?? EMPTY_SIGNING_INFO
    this.#state.signingInfos.set(signer, { ...before, startHeight: this.#context.block.number })
  }

  /**
   * Unjails a validator; it can be bonded at the end of the block. Throws ChainError with the text of x/slashing when the
   * self-delegation is too small, the validator is not jailed, `jailedUntil` is not over, or it is tombstoned.
   */
  unjail(operator: Address): void {
    const validator = this.#require(operator)
    this.#staking().unjail(operator)
    const info = this.#state.signingInfos.get(this.#signerOf(validator))
    if (info === undefined) return
    if (info.tombstoned || this.#context.block.timestamp < info.jailedUntil) {
      throw reverted('validator still jailed; cannot be unjailed')
    }
  }

  /**
   * Equivocation, or an attack on light clients: slashes, jails and tombstones the validator. The infraction height is one block
   * earlier, because the set that signed a block was fixed at the end of the block before (`ValidatorUpdateDelay`). Returns the
   * tokens burnt at the validator, as `Staking.slash`. Throws ChainError for an unbonded or tombstoned validator.
   */
  handleDoubleSign({ operator, height, power }: Misbehaviour): bigint {
    const validator = this.#require(operator)
    const signer = this.#signerOf(validator)
    const info = this.#state.signingInfos.get(signer) ?? EMPTY_SIGNING_INFO
    if (validator.status === 'unbonded') throw reverted('validator is unbonded and has no stake to answer with')
    if (info.tombstoned) throw reverted('validator is tombstoned already')
    const burnt = this.#slash(validator, height - 1n, power, this.params().slashFractionDoubleSign)
    this.#state.signingInfos.set(signer, { ...info, jailedUntil: DOUBLE_SIGN_JAIL_END_TIME, tombstoned: true })
    return burnt
  }

  /**
   * Downtime: slashes and jails the validator, and resets its window of signed blocks. The infraction height is two blocks
   * earlier: a commit holds the votes on the block before, and the set of that block was fixed one block earlier. Returns the
   * tokens burnt at the validator. Throws ChainError for an unbonded or jailed validator.
   */
  handleDowntime({ operator, height, power }: Misbehaviour): bigint {
    const validator = this.#require(operator)
    const signer = this.#signerOf(validator)
    const info = this.#state.signingInfos.get(signer) ?? EMPTY_SIGNING_INFO
    if (validator.status === 'unbonded') throw reverted('validator is unbonded and has no stake to answer with')
    if (validator.jailed) throw reverted('validator is already jailed')
    const { slashFractionDowntime, downtimeJailDuration } = this.params()
    const burnt = this.#slash(validator, height - 2n, power, slashFractionDowntime)
    const jailedUntil = this.#context.block.timestamp + downtimeJailDuration
    if (this.#version === 1) deleteMissedBlockBitmap(this.#state, signer, this.params().signedBlocksWindow)
    this.#state.signingInfos.set(signer, { ...info, jailedUntil, indexOffset: 0n, missedBlocksCounter: 0n })
    return burnt
  }

  /** Updates the signing info by a vote on the block before. A validator that missed too many blocks of a full window is slashed. */
  handleValidatorSignature(operator: Address, power: bigint, hasSigned: boolean): void {
    const validator = this.#require(operator)
    const signer = this.#signerOf(validator)
    const { signedBlocksWindow, minSignedPerWindow } = this.params()
    const info = setMissedBlockBit(this.#state, signer, signedBlocksWindow, hasSigned, this.#version)
    const { number } = this.#context.block
    const maxMissed = signedBlocksWindow - roundHalfEven(mulInt(minSignedPerWindow, signedBlocksWindow))
    const isFull = number > info.startHeight + signedBlocksWindow
    if (!isFull || info.missedBlocksCounter <= maxMissed || validator.jailed) return
    if (validator.status !== 'unbonded') this.handleDowntime({ operator, height: number, power })
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

/** Rounds a Dec to an integer, halves to the even one (the SDK's `RoundInt`). */
function roundHalfEven(x: bigint): bigint {
  const down = x / ONE
  const rest = x % ONE
  const isUp = rest * 2n > ONE || (rest * 2n === ONE && down % 2n === 1n)
  return isUp ? down + 1n : down
}

const WORD_BITS = 256n

/**
 * Sets or clears the bit of one vote in the missed block bitmap and returns the new signing info. The index of the bit is
 * `indexOffset` modulo the window.
 */
function setMissedBlockBit(
  state: SlashingState,
  signer: Address,
  window: bigint,
  hasSigned: boolean,
  version: 1 | 2,
): SigningInfo {
  const info = state.signingInfos.get(signer)
  if (info === undefined) throw new Error(`validator ${signer} votes without signing info`)
  const place = info.indexOffset % window
  const cell = state.missedBlockBitmap.at(signer).at(place / WORD_BITS)
  const bit = 1n << (place % WORD_BITS)
  const word = cell.get()
  const isSet = (word & bit) !== 0n
  if (isSet === hasSigned) cell.set(word ^ bit)
  // Version 2 does not clear the bitmap after a jail, because it can be 3,907 words. The bits of the first window after it are stale.
  const hadMissed = isSet && (version === 1 || info.indexOffset >= window)
  const change = hadMissed === hasSigned ? (hasSigned ? -1n : 1n) : 0n
  const missed = info.missedBlocksCounter + change
  // After governance shrank and enlarged the window, stale bits could make the counter negative.
  const counted = {
    ...info,
    indexOffset: info.indexOffset + 1n,
    missedBlocksCounter: missed < 0n ? 0n : missed,
  }
  state.signingInfos.set(signer, counted)
  return counted
}

/** Version 1 clears the bitmap after a jail. */
function deleteMissedBlockBitmap(state: SlashingState, signer: Address, window: bigint): void {
  for (let word = 0n; word * WORD_BITS < window; word += 1n) state.missedBlockBitmap.at(signer).at(word).set(0n)
}

const WINDOW = { error: 'expected a whole number of blocks from 1 to 1000000' }
const window = z
  .union([z.int(WINDOW).transform(String), z.string().regex(/^\d{1,7}$/, WINDOW)], WINDOW)
  .transform(BigInt)
  .refine((blocks) => blocks >= 1n && blocks <= 1_000_000n, WINDOW)

/** Defaults of the Cosmos SDK. */
const DEFAULTS: SlashingParams = {
  signedBlocksWindow: 100n,
  minSignedPerWindow: ONE / 2n,
  downtimeJailDuration: 600n,
  slashFractionDoubleSign: ONE / 20n,
  slashFractionDowntime: ONE / 100n,
}

/** The default is version 1, because genesis files without a version are of chains that follow it. */
const section = z.strictObject({
  version: rulesVersion,
  signedBlocksWindow: window.default(DEFAULTS.signedBlocksWindow),
  minSignedPerWindow: fraction.default(DEFAULTS.minSignedPerWindow),
  downtimeJailDuration: seconds.default(DEFAULTS.downtimeJailDuration),
  slashFractionDoubleSign: fraction.default(DEFAULTS.slashFractionDoubleSign),
  slashFractionDowntime: fraction.default(DEFAULTS.slashFractionDowntime),
})

/** The version is a rule of the chain (`slashingVersion`), not a parameter. */
export type SlashingGenesis = SlashingParams & { readonly version: 1 | 2 }

/** All parameters: a governance proposal replaces them together. */
export const slashingParams = z.strictObject({
  signedBlocksWindow: window,
  minSignedPerWindow: fraction,
  downtimeJailDuration: seconds,
  slashFractionDoubleSign: fraction,
  slashFractionDowntime: fraction,
})

/** Throws ChainError `invalid-genesis` that names the field. */
export const readSlashingGenesis = (json: unknown): SlashingGenesis => readSection('slashing', section, json)
