// The requests that were answered, folded: a line in each second with requests, `eth_chainId, eth_blockNumber ×120`.
import type { Logger } from '../../lib/log.ts'
import type { CallMeter } from '../../rpc/define.ts'

const SECOND = 1_000

export class RequestCounts implements CallMeter {
  readonly #log: Logger
  /** Methods in the order of their first request. */
  #counts = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  ended(method: string | undefined): void {
    const name = method ?? 'unknown methods'
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#flush(), SECOND).unref()
  }

  refused(): void {
    this.ended('invalid requests')
  }

  #flush(): void {
    this.#timer = undefined
    const counts = [...this.#counts]
    this.#counts = new Map()
    const words = counts.map(([name, count]) => (count === 1 ? name : `${name} ×${count.toLocaleString('en-US')}`))
    this.#log.info({ requests: Object.fromEntries(counts) }, words.join(', '))
  }
}
