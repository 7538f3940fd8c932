// Custom errors in words, for the messages of failed calls. Only the main thread knows contracts; read threads ask it.
import { debugSources } from '../contracts/transaction-stack.ts'
import { errorInWords, ifHere, type RevertWords } from '../contracts/words.ts'
import type { RpcServices } from './define.ts'

/** By the contracts that the node knows at its head. */
export const revertWords =
  ({ chain, contracts }: Pick<RpcServices, 'chain' | 'contracts'>): RevertWords =>
  async (data, to) => {
    const { view } = await chain.at('latest')
    const known = { ...debugSources(chain, contracts), view }
    return ifHere(() => errorInWords(known, to ?? undefined, data))
  }
