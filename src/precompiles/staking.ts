// Staking: delegations of the base coin to validators. Transactions act for the delegator in their arguments, if `authority.ts`
// allows the caller; validators are bech32 text, in events its hash.
import { type Hash, toHash } from '../lib/hex.ts'
import { MESSAGE } from '../modules/authz/messages.ts'
import { reverted } from '../modules/module.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { authorize, requireOperator } from './authority.ts'
import { stakingAuthorization } from './authorization.ts'
import { operatorInEvent, operatorNamed } from './bech32.ts'
import { definePrecompile, implement, type Precompile } from './define.ts'
import { stakingAbi } from './generated/abi.ts'
import { entryQueries, stakingQueries, validatorQueries, wrappedEntryQueries } from './staking-queries.ts'

export const delegating = implement(stakingAbi, {
  gas: { delegate: 75_000n, undelegate: 75_000n, redelegate: 110_000n, cancelUnbondingDelegation: 75_000n },
  functions: {
    delegate(call, delegatorAddress, validatorText, amount) {
      const { modules, spec } = call
      const validator = operatorNamed(spec, validatorText)
      const newShares = authorize(call, delegatorAddress, { message: MESSAGE.delegate, amount, validator }, () =>
        modules.staking.delegate(delegatorAddress, validator, amount),
      )
      call.emit('Delegate', { delegatorAddress, validatorAddress: operatorInEvent(spec, validator), amount, newShares })
      return [true]
    },
    undelegate(call, delegatorAddress, validatorText, amount) {
      const { modules, spec } = call
      const validator = operatorNamed(spec, validatorText)
      const completionTime = authorize(call, delegatorAddress, { message: MESSAGE.undelegate, amount, validator }, () =>
        modules.staking.undelegate(delegatorAddress, validator, amount),
      )
      call.emit('Unbond', {
        delegatorAddress,
        validatorAddress: operatorInEvent(spec, validator),
        amount,
        completionTime,
      })
      return [completionTime]
    },
    redelegate(call, delegatorAddress, sourceText, destinationText, amount) {
      const { modules, spec } = call
      const source = operatorNamed(spec, sourceText)
      const validator = operatorNamed(spec, destinationText)
      const completionTime = authorize(call, delegatorAddress, { message: MESSAGE.redelegate, amount, validator }, () =>
        modules.staking.redelegate(delegatorAddress, source, validator, amount),
      )
      call.emit('Redelegate', {
        delegatorAddress,
        validatorSrcAddress: operatorInEvent(spec, source),
        validatorDstAddress: operatorInEvent(spec, validator),
        amount,
        completionTime,
      })
      return [completionTime]
    },
    cancelUnbondingDelegation(call, delegatorAddress, validatorText, amount, creationHeight) {
      const { modules, spec } = call
      const validator = operatorNamed(spec, validatorText)
      authorize(call, delegatorAddress, { message: MESSAGE.cancelUnbonding, amount, validator }, () =>
        modules.staking.cancelUnbonding(delegatorAddress, validator, amount, creationHeight),
      )
      const validatorAddress = operatorInEvent(spec, validator)
      call.emit('CancelUnbondingDelegation', { delegatorAddress, validatorAddress, amount, creationHeight })
      return [true]
    },
  },
})

/** In `editValidator`: do not change. */
const UNCHANGED = -1n

export const operating = implement(stakingAbi, {
  gas: { createValidator: 150_000n, editValidator: 20_000n },
  functions: {
    createValidator(call, description, commission, minSelfDelegation, validatorAddress, pubkey, value) {
      requireOperator(call, validatorAddress)
      call.modules.staking.createValidator({
        operator: validatorAddress,
        consensusKey: readKey(pubkey),
        description,
        commission,
        minSelfDelegation,
        value,
      })
      call.emit('CreateValidator', { validatorAddress, value })
      return [true]
    },
    editValidator(call, description, validatorAddress, commissionRate, minSelfDelegation) {
      requireOperator(call, validatorAddress)
      call.modules.staking.editValidator(validatorAddress, {
        description,
        commissionRate: commissionRate === UNCHANGED ? undefined : commissionRate,
        minSelfDelegation: minSelfDelegation === UNCHANGED ? undefined : minSelfDelegation,
      })
      call.emit('EditValidator', { validatorAddress, commissionRate, minSelfDelegation })
      return [true]
    },
  },
})

/** Base64 of the 32 bytes of an ed25519 key. */
function readKey(pubkey: string): Hash {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(pubkey)) throw reverted('invalid validator pubkey: expected base64 of 32 bytes')
  return toHash(Buffer.from(pubkey, 'base64'))
}

const contract = (entries: typeof entryQueries): Precompile =>
  definePrecompile({
    name: 'staking',
    address: NATIVE_CONTRACT.staking,
    since: 0n,
    abi: stakingAbi,
    functions: {
      ...{ ...delegating, ...operating, ...stakingQueries, ...validatorQueries },
      ...{ ...entries, ...stakingAuthorization },
    },
  })

const bare = contract(entryQueries)
const wrapped = contract(wrappedEntryQueries)

export const staking: Precompile = {
  ...bare,
  on: (spec, report) => (spec.compat.entriesAsStruct ? wrapped : bare).on(spec, report),
}
