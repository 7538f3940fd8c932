// The library's own tables of prices and limits, for the Common that its interpreter and precompiles ask.
import type { Common } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import { paramsVM } from '@ethereumjs/vm'
import { SharedCommon } from '../../spec/shared-common.ts'

/** Lets a Common know what the library's packages ask of it. */
export function addLibraryParams(common: Common): void {
  for (const params of [paramsEVM, paramsVM]) {
    if (common instanceof SharedCommon) common.addPackage(params)
    else common.updateParams(params)
  }
}
