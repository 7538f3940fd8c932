// Slashing: unjailing, and queries of signing infos. The functions are those of Evmos v20 and its successor. Validators are
// addresses here: the operator's for unjailing, the consensus address for queries.
import { getAddress } from 'viem'
import type { Dec } from '../lib/dec.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import type { SigningInfo } from '../modules/slashing/layout.ts'
import type { Slashing } from '../modules/slashing/slashing.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { requireOwner } from './authority.ts'
import { definePrecompile, implement, type ReadCall } from './define.ts'
import { slashingAbi } from './generated/abi.ts'
import { byKey, page } from './paging.ts'

/** Gas of each visited signing info, and the additional gas if it is listed. */
const LOOK_GAS = 300n
const LIST_GAS = 2_200n

const shownInfo = (validatorAddress: Address, info: SigningInfo) => ({ validatorAddress, ...info })
const shownDec = (value: Dec) => ({ value, precision: 18n })

/** The contract exists only on chains with the module. */
function moduleOf({ modules }: ReadCall): Slashing {
  if (modules.slashing === undefined) throw new ChainError('execution-reverted', 'this chain has no slashing')
  return modules.slashing
}

export const slashing = definePrecompile({
  name: 'slashing',
  address: NATIVE_CONTRACT.slashing,
  since: 0n,
  isOn: (spec) => spec.modules.slashing !== undefined,
  abi: slashingAbi,
  functions: implement(slashingAbi, {
    gas: { getSigningInfo: 4_000n, getSigningInfos: 3_000n, getParams: 4_000n, unjail: 30_000n },
    functions: {
      getSigningInfo(call, consAddress) {
        const info = moduleOf(call).signingInfo(consAddress)
        if (info !== undefined) return [shownInfo(consAddress, info)]
        const name = getAddress(consAddress)
        throw new ChainError('execution-reverted', `SigningInfo not found for validator ${name}: not found`)
      },
      getSigningInfos(call, pagination) {
        const module = moduleOf(call)
        const signers = module.signers()
        call.charge(LOOK_GAS * BigInt(signers.length))
        const { places, response } = page(pagination, byKey(signers, 20))
        call.charge(LIST_GAS * BigInt(places.length))
        const infos = places.flatMap((place) => {
          const signer = signers[place]
          const info = signer && module.signingInfo(signer)
          return info === undefined || signer === undefined ? [] : [shownInfo(signer, info)]
        })
        return [infos, response]
      },
      getParams(call) {
        const params = moduleOf(call).params()
        return [
          {
            ...params,
            minSignedPerWindow: shownDec(params.minSignedPerWindow),
            slashFractionDoubleSign: shownDec(params.slashFractionDoubleSign),
            slashFractionDowntime: shownDec(params.slashFractionDowntime),
          },
        ]
      },
      unjail(call, validatorAddress) {
        requireOwner(call, validatorAddress, 'validator')
        moduleOf(call).unjail(validatorAddress)
        call.emit('ValidatorUnjailed', { validator: validatorAddress })
        return [true]
      },
    },
  }),
})
