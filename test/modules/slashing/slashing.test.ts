// The slashing module over an empty state. Numbers are the Cosmos SDK's (x/slashing, x/evidence) or arithmetic in the test.
import { describe, expect, it } from 'vitest'
import { ChainError } from '../../../src/lib/errors.ts'
import { type Address, hexToAddress, hexToHash } from '../../../src/lib/hex.ts'
import { beginBlock, endBlock, initGenesis, type Modules, openModules } from '../../../src/modules/index.ts'
import {
  DOUBLE_SIGN_JAIL_END_TIME,
  readSlashingGenesis,
  type Slashing,
} from '../../../src/modules/slashing/slashing.ts'
import { consensusAddress } from '../../../src/spec/addresses.ts'
import { emptyView, moduleContext, nativeSpec } from '../../support/native.ts'

const P = 10n ** 18n
const a = hexToAddress(`0x${'aa'.repeat(20)}`)
const b = hexToAddress(`0x${'bb'.repeat(20)}`)
const key = (of: Address) => hexToHash(`0x${of.slice(2, 4).repeat(32)}`)

async function chain(slashing: unknown = {}) {
  const view = await emptyView()
  const validators = [a, b].map((operator) => ({
    operator,
    consensusKey: key(operator),
    moniker: 'm',
    selfDelegation: 100n * P,
    minSelfDelegation: 10n * P,
    commission: { rate: 0n, maxRate: P, maxChangeRate: P },
  }))
  const spec = { ...nativeSpec, validators, modules: { slashing } }
  for (const operator of [a, b]) view.setBalance(operator, 1_000n * P)
  const block = { number: 0n, timestamp: 1_700_000_000n, proposer: a }
  initGenesis(view, spec, 2_000n * P, block)
  const modules = (): Modules => openModules({ ...moduleContext(view, { block: { ...block } }), spec })
  const next = (seconds = 5n): Slashing => {
    endBlock(modules())
    block.number += 1n
    block.timestamp += seconds
    beginBlock(modules())
    return slashingOf()
  }
  const slashingOf = (): Slashing => {
    const found = modules().slashing
    if (found === undefined) throw new Error('there is no slashing')
    return found
  }
  const refusal = (run: () => unknown): string => {
    view.checkpoint()
    try {
      run()
    } catch (error) {
      if (error instanceof ChainError) return error.message
      throw error
    } finally {
      view.revert()
    }
    return 'none'
  }
  const info = (of: Address) => slashingOf().signingInfo(consensusAddress(key(of)))
  return { block, modules, next, refusal, info, slashing: slashingOf }
}

describe('the genesis section', () => {
  it("has the SDK's parameters", () => {
    expect(readSlashingGenesis({})).toEqual({
      version: 1,
      signedBlocksWindow: 100n,
      minSignedPerWindow: P / 2n,
      downtimeJailDuration: 600n,
      slashFractionDoubleSign: (5n * P) / 100n,
      slashFractionDowntime: P / 100n,
    })
    expect(readSlashingGenesis({ signedBlocksWindow: 10, downtimeJailDuration: '60s' })).toMatchObject({
      signedBlocksWindow: 10n,
      downtimeJailDuration: 60n,
    })
  })

  it.each([
    [{ signedBlocksWindow: 0 }, 'kestrel.modules.slashing.signedBlocksWindow: expected a whole number of blocks'],
    [{ slashFractionDowntime: '1.1' }, 'kestrel.modules.slashing.slashFractionDowntime: expected a decimal string'],
    [{ window: 5 }, 'kestrel.modules.slashing'],
    [{ version: 3 }, 'kestrel.modules.slashing.version: expected 1 or 2'],
  ])('names the invalid field of %j', (section, words) => {
    expect(() => readSlashingGenesis(section)).toThrow(words)
  })

  it('is optional: without it there is no slashing', async () => {
    const without = openModules(moduleContext(await emptyView()))
    expect(without.slashing).toBeUndefined()
  })
})

describe('slashing a validator', () => {
  it('for a double sign burns a twentieth of the power at the infraction height and tombstones the validator', async () => {
    const { next, modules, block, refusal, info } = await chain()
    next()
    // 100 coins of power: 5 are burnt.
    expect(next().handleDoubleSign({ operator: a, height: 2n, power: 100n })).toBe(5n * P)
    expect(modules().staking.validator(a)).toMatchObject({ tokens: 95n * P, jailed: true, status: 'bonded' })
    expect(info(a)).toMatchObject({ jailedUntil: DOUBLE_SIGN_JAIL_END_TIME, tombstoned: true })
    expect(refusal(() => next().handleDoubleSign({ operator: a, height: 3n, power: 95n }))).toMatch(
      /tombstoned already/,
    )
    next()
    expect(modules().staking.validator(a)?.status).toBe('unbonding')
    block.timestamp = DOUBLE_SIGN_JAIL_END_TIME - 1n
    expect(refusal(() => modules().slashing?.unjail(a))).toBe('validator still jailed; cannot be unjailed')
    expect(modules().staking.invariants()).toEqual([])
  })

  it('for downtime burns a hundredth of the power and jails the validator for ten minutes', async () => {
    const { next, modules, block, refusal, info, slashing } = await chain()
    next()
    next()
    expect(slashing().handleDowntime({ operator: a, height: block.number, power: 100n })).toBe(P)
    expect(info(a)).toMatchObject({ jailedUntil: block.timestamp + 600n, tombstoned: false })
    expect(refusal(() => slashing().handleDowntime({ operator: a, height: 2n, power: 99n }))).toBe(
      'validator is already jailed',
    )
    next(599n)
    expect(refusal(() => slashing().unjail(a))).toBe('validator still jailed; cannot be unjailed')
    next(1n)
    slashing().unjail(a)
    expect(refusal(() => slashing().unjail(a))).toBe('validator not jailed; cannot be unjailed')
    next()
    expect(modules().staking.validator(a)).toMatchObject({ jailed: false, status: 'bonded', tokens: 99n * P })
    expect(info(a)?.startHeight).toBe(block.number - 1n)
    expect([...modules().staking.invariants(), ...modules().distribution.invariants()]).toEqual([])
  })

  it('is not needed for jailing: a self-delegation below the minimum jails, and unjail requires the minimum again', async () => {
    const { next, modules, refusal, slashing } = await chain()
    next()
    modules().staking.undelegate(a, a, 95n * P)
    next()
    expect(modules().staking.validator(a)).toMatchObject({ jailed: true, status: 'unbonding' })
    expect(refusal(() => slashing().unjail(a))).toBe(
      "validator's self delegation less than minimum; cannot be unjailed",
    )
    modules().staking.delegate(a, a, 5n * P)
    slashing().unjail(a)
    next()
    expect(modules().staking.validator(a)).toMatchObject({ jailed: false, status: 'bonded', tokens: 10n * P })
    expect(refusal(() => slashing().unjail(hexToAddress(`0x${'cc'.repeat(20)}`)))).toBe(
      'address is not associated with any known validator',
    )
  })
})

describe.each([1, 2])('the signed blocks window in version %i', (version) => {
  it('jails a validator that missed too many blocks of a full window', async () => {
    // At least 4 of 10 must be signed, so 6 may be missed.
    const { next, modules, info } = await chain({ version, signedBlocksWindow: 10, minSignedPerWindow: '0.4' })
    const vote = (hasSigned: boolean) => next().handleValidatorSignature(a, 100n, hasSigned)
    for (let i = 0; i < 7; i++) vote(false)
    expect(info(a)).toMatchObject({ indexOffset: 7n, missedBlocksCounter: 7n })
    for (let i = 0; i < 3; i++) vote(true)
    // Block 10 is not enough: the window that began at block 0 is full from block 11 on.
    expect(modules().staking.validator(a)?.jailed).toBe(false)
    vote(false)
    // The eleventh vote replaces the first, which was missed as well.
    expect(info(a)).toMatchObject({ indexOffset: 0n, missedBlocksCounter: 0n })
    expect(modules().staking.validator(a)).toMatchObject({ jailed: true, tokens: 99n * P })
    expect(modules().staking.validator(b)).toMatchObject({ jailed: false, tokens: 100n * P })
  })

  it('drops missed votes that leave the window', async () => {
    const { next, modules, info } = await chain({ version, signedBlocksWindow: 10, minSignedPerWindow: '0.4' })
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 6; i++) next().handleValidatorSignature(a, 100n, false)
      for (let i = 0; i < 4; i++) next().handleValidatorSignature(a, 100n, true)
      expect(info(a)?.missedBlocksCounter).toBe(6n)
    }
    for (let i = 0; i < 10; i++) next().handleValidatorSignature(a, 100n, true)
    expect(info(a)).toMatchObject({ missedBlocksCounter: 0n, indexOffset: 40n })
    expect(modules().staking.validator(a)?.jailed).toBe(false)
  })

  it('is reset by a downtime slash: earlier votes do not count', async () => {
    const { next, info, slashing } = await chain({
      version,
      signedBlocksWindow: 10,
      minSignedPerWindow: '0.4',
      downtimeJailDuration: 1,
    })
    for (let i = 0; i < 11; i++) next().handleValidatorSignature(a, 100n, false)
    expect(info(a)).toMatchObject({ indexOffset: 0n, missedBlocksCounter: 0n })
    next()
    slashing().unjail(a)
    // The first pass overwrites bits that may be of earlier votes; then a second pass.
    for (const [hasSigned, missed] of [
      [true, 0n],
      [false, 1n],
      [true, 1n],
    ] as const) {
      next().handleValidatorSignature(a, 99n, hasSigned)
      expect(info(a)?.missedBlocksCounter).toBe(missed)
    }
    for (let i = 0; i < 7; i++) next().handleValidatorSignature(a, 99n, true)
    expect(info(a)).toMatchObject({ indexOffset: 10n, missedBlocksCounter: 1n })
    for (let i = 0; i < 2; i++) next().handleValidatorSignature(a, 99n, true)
    expect(info(a)).toMatchObject({ indexOffset: 12n, missedBlocksCounter: 0n })
  })
})
