// What operators do at the staking contract, and validators by address: the selectors that Evmos added after v15.

import { getAddress, parseAbi } from 'viem'
import { type Address, type Hash, toHash } from '../lib/hex.ts'
import { reverted } from '../modules/revert.ts'
import { requireDirect } from './authority.ts'
import { implement, type ReadCall } from './define.ts'
import { shownValidator, VALIDATOR } from './staking-queries.ts'

const DESCRIPTION =
  'struct Description { string moniker; string identity; string website; string securityContact; string details; }'

/** In `editValidator`: leave as it is. */
const UNCHANGED = -1n

export const stakingOperators = implement({
  abi: parseAbi([
    DESCRIPTION,
    'struct CommissionRates { uint256 rate; uint256 maxRate; uint256 maxChangeRate; }',
    'function createValidator(Description description, CommissionRates commissionRates, uint256 minSelfDelegation, address validatorAddress, string pubkey, uint256 value) returns (bool success)',
    'function editValidator(Description description, address validatorAddress, int256 commissionRate, int256 minSelfDelegation) returns (bool success)',
    'event CreateValidator(address indexed validatorAddress, uint256 value)',
    'event EditValidator(address indexed validatorAddress, int256 commissionRate, int256 minSelfDelegation)',
  ]),
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

/** `validator` with an address, which answers in hex as well. */
export const validatorByAddress = implement({
  abi: parseAbi([VALIDATOR, 'function validator(address validatorAddress) view returns (Validator validator)']),
  gas: { validator: 4_000n },
  functions: {
    validator({ modules }, validatorAddress) {
      return [shownValidator(modules.staking.validator(validatorAddress), getAddress(validatorAddress))]
    },
  },
})

/** An operator acts in person and for itself only. */
function requireOperator(call: ReadCall, operator: Address): void {
  requireDirect(call)
  if (call.origin === operator) return
  throw reverted(
    `origin address ${getAddress(call.origin)} is not the same as validator operator address ${getAddress(operator)}`,
  )
}

/** Base64 of the 32 bytes of an ed25519 key. */
function readKey(pubkey: string): Hash {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(pubkey)) throw reverted('invalid validator pubkey: expected base64 of 32 bytes')
  return toHash(Buffer.from(pubkey, 'base64'))
}
