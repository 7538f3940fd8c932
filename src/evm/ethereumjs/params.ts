// The library's tables of prices and limits for the Common of its interpreter and precompiles.
import type { Common } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import { paramsVM } from '@ethereumjs/vm'
import { SharedCommon } from './common.ts'

/** Adds the parameters of the library's packages to a Common and returns it. */
export function withLibraryParams<C extends Common>(common: C): C {
  // Existing values win, so the VM's table goes first: it takes precedence over the EVM's.
  for (const params of [paramsVM, paramsEVM]) {
    if (common instanceof SharedCommon) common.addPackage(params)
    else common.updateParams(params)
  }
  return common
}
