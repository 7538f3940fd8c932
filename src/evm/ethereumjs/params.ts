// The library's own tables of prices and limits, for the Common that its interpreter and precompiles ask.
import type { Common } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import { paramsVM } from '@ethereumjs/vm'
import { SharedCommon } from './common.ts'

/** Lets a Common know what the library's packages ask of it; the same Common. */
export function withLibraryParams<C extends Common>(common: C): C {
  // Existing values win, so the VM's table goes in first: where both packages define a value, the VM's counts.
  for (const params of [paramsVM, paramsEVM]) {
    if (common instanceof SharedCommon) common.addPackage(params)
    else common.updateParams(params)
  }
  return common
}
