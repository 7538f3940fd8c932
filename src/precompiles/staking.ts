// Staking: delegations of the base coin to validators, and the contract as a whole. Transactions act for the delegator
// they name, if `authority.ts` lets the caller; validators are bech32 text, in events its hash.
import { parseAbi } from 'viem'
import { MESSAGE } from '../modules/authz/messages.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { authorize } from './authority.ts'
import { stakingAuthorization } from './authorization.ts'
import { operatorName, operatorNamed } from './bech32.ts'
import { definePrecompile, type Interface, implement, type Precompile } from './define.ts'
import { stakingOperators, validatorByAddress } from './staking-operators.ts'
import { entryQueries, stakingQueries, wrappedEntryQueries } from './staking-queries.ts'

const transactions = implement({
  abi: parseAbi([
    'function delegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (bool success)',
    'function undelegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (int64 completionTime)',
    'function redelegate(address delegatorAddress, string validatorSrcAddress, string validatorDstAddress, uint256 amount) returns (int64 completionTime)',
    'function cancelUnbondingDelegation(address delegatorAddress, string validatorAddress, uint256 amount, uint256 creationHeight) returns (bool success)',
    'event Delegate(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount, uint256 newShares)',
    'event Unbond(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount, uint256 completionTime)',
    'event Redelegate(address indexed delegatorAddress, string indexed validatorSrcAddress, string indexed validatorDstAddress, uint256 amount, uint256 completionTime)',
    'event CancelUnbondingDelegation(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount, uint256 creationHeight)',
  ]),
  gas: { delegate: 75_000n, undelegate: 75_000n, redelegate: 110_000n, cancelUnbondingDelegation: 75_000n },
  functions: {
    delegate(call, delegatorAddress, validatorText, amount) {
      const { modules, spec } = call
      const validator = operatorNamed(spec, validatorText)
      const newShares = authorize(call, delegatorAddress, { message: MESSAGE.delegate, amount, validator }, () =>
        modules.staking.delegate(delegatorAddress, validator, amount),
      )
      call.emit('Delegate', { delegatorAddress, validatorAddress: operatorName(spec, validator), amount, newShares })
      return [true]
    },
    undelegate(call, delegatorAddress, validatorText, amount) {
      const { modules, spec } = call
      const validator = operatorNamed(spec, validatorText)
      const completionTime = authorize(call, delegatorAddress, { message: MESSAGE.undelegate, amount, validator }, () =>
        modules.staking.undelegate(delegatorAddress, validator, amount),
      )
      call.emit('Unbond', { delegatorAddress, validatorAddress: operatorName(spec, validator), amount, completionTime })
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
        validatorSrcAddress: operatorName(spec, source),
        validatorDstAddress: operatorName(spec, validator),
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
      const validatorAddress = operatorName(spec, validator)
      call.emit('CancelUnbondingDelegation', { delegatorAddress, validatorAddress, amount, creationHeight })
      return [true]
    },
  },
})

const contract = (entries: Interface): Precompile =>
  definePrecompile({
    name: 'staking',
    address: NATIVE_CONTRACT.staking,
    since: 0n,
    interfaces: [transactions, stakingQueries, entries, stakingOperators, validatorByAddress, stakingAuthorization],
  })

const bare = contract(entryQueries)
const wrapped = contract(wrappedEntryQueries)

export const staking: Precompile = {
  ...bare,
  on: (spec, report) => (spec.compat.entriesAsStruct ? wrapped : bare).on(spec, report),
}
