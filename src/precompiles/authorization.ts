// Authorization: grants that let contracts act for their users. The same functions exist at this contract for all messages, and
// at the staking and distribution contracts for their own, over the same storage. Logs have the address that was called.

import { type Address, ZERO_ADDRESS } from '../lib/hex.ts'
import {
  type GrantableMessage,
  isDistributionMessage,
  isLimitedMessage,
  isStakingMessage,
  type LimitedMessage,
  messageNamed,
} from '../modules/authz/messages.ts'
import { reverted } from '../modules/module.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { granterOf } from './authority.ts'
import { definePrecompile, type Functions, implement } from './define.ts'
import { authorizationAbi } from './generated/abi.ts'

/** Gas of each method in a call's list, and of each validator in a new grant. */
const APPROVE_GAS = 20_000n
const LISTED_GAS = 40n
const REVOKE_GAS = 5_000n
const CHANGE_GAS = 6_000n

/** The five functions for one contract's messages. `kind` names these in errors: "staking ". */
function authorizationOf(kind: string, accepts: (message: GrantableMessage) => boolean) {
  const invalidType = (method: string) => reverted(`invalid ${kind}transaction type: ${method}`)

  /** The messages of a list of methods, after the checks common to all four transactions. */
  function granted(spender: Address, methods: readonly string[]): readonly GrantableMessage[] {
    requireAddress('grantee', spender)
    if (methods.length === 0) throw reverted('no methods defined; expected at least one message type url')
    if (methods.includes('')) {
      const found = `got: [${methods.join(' ')}]`
      throw reverted(`empty string found in methods array; expected no empty strings to be passed; ${found}`)
    }
    return methods.map((method) => {
      const message = messageNamed(method)
      if (message === undefined || !accepts(message)) throw invalidType(method)
      return message
    })
  }

  /** As `granted`, for messages whose grants have a limit. */
  function limited(spender: Address, methods: readonly string[]): readonly LimitedMessage[] {
    return granted(spender, methods).map((message, i) => {
      if (!isLimitedMessage(message)) throw reverted(`invalid staking transaction type: ${methods[i]}`)
      return message
    })
  }

  const changing =
    (how: 'increaseAllowance' | 'decreaseAllowance'): Functions<typeof authorizationAbi>[typeof how] =>
    (call, spender, amount, methods) => {
      const owner = granterOf(call)
      const messages = limited(spender, methods)
      call.charge(CHANGE_GAS * BigInt(messages.length))
      const values = messages.map((message) => call.modules.authz[how](owner, spender, message, amount))
      call.emit('AllowanceChange', { owner, spender, methods, values })
      return [true]
    }

  return implement(authorizationAbi, {
    gas: { approve: 5_000n, revoke: 3_000n, increaseAllowance: 3_000n, decreaseAllowance: 3_000n, allowance: 2_600n },
    functions: {
      approve(call, spender, amount, methods) {
        const { authz } = call.modules
        const owner = granterOf(call)
        const messages = granted(spender, methods)
        call.charge(APPROVE_GAS * BigInt(messages.length))
        const stakeGrants = amount === 0n ? 0 : messages.filter(isStakingMessage).length
        const validators = stakeGrants === 0 ? [] : authz.openValidators()
        call.charge(LISTED_GAS * BigInt(stakeGrants * validators.length))
        for (const message of messages) authz.approve(owner, spender, message, amount, validators)
        call.emit('Approval', { owner, spender, methods, value: amount })
        return [true]
      },
      revoke(call, spender, methods) {
        const owner = granterOf(call)
        const messages = granted(spender, methods)
        call.charge(REVOKE_GAS * BigInt(messages.length))
        for (const message of messages) call.modules.authz.revoke(owner, spender, message)
        call.emit('Revocation', { owner, spender, methods })
        return [true]
      },
      increaseAllowance: changing('increaseAllowance'),
      decreaseAllowance: changing('decreaseAllowance'),
      allowance(call, owner, spender, method) {
        const [granter, grantee] =
          call.spec.compat.allowanceOrder === 'grantee-first' ? [spender, owner] : [owner, spender]
        requireAddress('granter', granter)
        requireAddress('grantee', grantee)
        if (method === '') throw reverted('empty method defined; expected a valid message type url')
        const message = messageNamed(method)
        return [message === undefined ? 0n : call.modules.authz.allowance(granter, grantee, message)]
      },
    },
  })
}

function requireAddress(role: string, address: Address): void {
  if (address === ZERO_ADDRESS) throw reverted(`invalid ${role} address: ${address}`)
}

/** The five functions at the staking contract. */
export const stakingAuthorization = authorizationOf('staking ', isStakingMessage)

/** The five functions at the distribution contract. */
export const distributionAuthorization = authorizationOf('distribution ', isDistributionMessage)

export const authorization = definePrecompile({
  name: 'authorization',
  address: NATIVE_CONTRACT.authorization,
  since: 0n,
  abi: authorizationAbi,
  functions: authorizationOf('', () => true),
})
