// The library's precompiles in the form of all engines. Curves are ours if they are loaded.
import { type ExecResult, getActivePrecompiles, type PrecompileInput } from '@ethereumjs/evm'
import type { Address } from '../../lib/hex.ts'
import type { ChainSpec, Fork } from '../../spec/chain-spec.ts'
import { failureOf, isRevert } from '../failure.ts'
import type { Precompile, PrecompileResult } from '../precompile.ts'
import { bls12381 } from './bls12-381.ts'
import { bn254 } from './bn254.ts'
import { commonFor } from './common.ts'
import { failureOfLibrary } from './convert.ts'
import { withLibraryParams } from './params.ts'

/** The only members of the calling machine that the library's precompiles use. */
const CURVES = { _bn254: bn254, _bls: bls12381 } as unknown as PrecompileInput['_EVM']

/** The precompiles of a fork by address. */
export function libraryPrecompiles(spec: ChainSpec, fork: Fork): Map<Address, Precompile> {
  const common = withLibraryParams(commonFor(spec, fork))
  const precompiles = new Map<Address, Precompile>()
  for (const [hex, run] of getActivePrecompiles(common)) {
    precompiles.set(`0x${hex}` as Address, (data, gasLimit) => {
      const answer = run({ data, gasLimit, common, _EVM: CURVES })
      return answer instanceof Promise ? answer.then(toResult) : toResult(answer)
    })
  }
  return precompiles
}

function toResult(answer: ExecResult): PrecompileResult {
  const failure = failureOfLibrary(answer)
  return {
    output: answer.returnValue,
    gasUsed: answer.executionGasUsed,
    // The library's curves say `revert` for a bad point. It is a failure that takes all gas, and from Amsterdam on the state gas too.
    failure: isRevert(failure) ? failureOf('precompile') : failure,
  }
}
