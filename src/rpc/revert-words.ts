// Custom errors in words, for the messages of failed calls. Only the main thread knows contracts; read threads ask it.
import { errorInWords, ifHere, type RevertWords } from '../contracts/words.ts'
import type { RpcServices } from './define.ts'

/** By the contracts that the node knows at its head. */
export const revertWords =
  ({ chain, contracts = {} }: Pick<RpcServices, 'chain' | 'contracts'>): RevertWords =>
  async (data, to) => {
    const { verification, artifacts, forkSources } = contracts
    const { view } = await chain.at('latest')
    const known = { view, spec: chain.spec, verification, artifacts, ...(forkSources && { forkSources }) }
    return ifHere(() => errorInWords(known, to ?? undefined, data))
  }
