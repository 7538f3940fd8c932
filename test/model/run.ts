// Runs a history on the node and on the model, and compares them after each block.
import { isDeepStrictEqual } from 'node:util'
import { BaseError, hexToBigInt, numberToHex } from 'viem'
import { beginBlock, endBlock, transact } from './chain.ts'
import { differences, factsOfModel, factsOfNode } from './compare.ts'
import { type Block, nextBlock, type Random, type Report, random } from './history.ts'
import { type ModelNode, startNode } from './node.ts'
import { attempt, type State } from './state.ts'
import { doubleSign, downtime } from './validators.ts'
import { firstState } from './world.ts'

export type Result = {
  /** The blocks that were run; the last one is that of the differences. */
  readonly history: readonly Block[]
  /** Transactions' steps and reports. */
  readonly actions: number
  readonly differences: readonly string[]
  /** Times that each operation has succeeded, and times that it has failed. */
  readonly seen: ReadonlyMap<string, { succeeded: number; failed: number }>
}

/** Where blocks come from: a list, or the next random one. */
type Source = (state: State, index: number) => Block | undefined

/** A random history of some blocks. */
export const randomHistory = (blocks: number, seed: number): Promise<Result> => {
  const source: Random = random(seed)
  return runHistory((state, index) => (index < blocks ? nextBlock(state, source) : undefined))
}

export async function runHistory(source: Source): Promise<Result> {
  const node = await startNode()
  try {
    const run = new Run(node)
    await run.compare()
    for (let index = 0; run.differences.length === 0; index++) {
      const block = source(run.state, index)
      if (block === undefined) break
      await run.block(block)
    }
    return run
  } finally {
    await node.stop()
  }
}

class Run implements Result {
  readonly state = firstState()
  readonly history: Block[] = []
  readonly differences: string[] = []
  readonly seen = new Map<string, { succeeded: number; failed: number }>()
  actions = 0
  readonly #node: ModelNode
  readonly #unbondings = new Set<string>()

  constructor(node: ModelNode) {
    this.#node = node
  }

  async block(block: Block): Promise<void> {
    const { state } = this
    this.history.push(block)
    for (const report of block.reports) await this.#report(report)
    const sent = await this.#node.block(state.time + block.seconds, block.transactions)
    beginBlock(state, state.height + 1n, state.time + block.seconds)
    for (const [index, { gas, succeeded, steps }] of sent.entries()) {
      const transaction = block.transactions[index]
      if (transaction === undefined) continue
      const expected = transact(state, transaction, gas)
      if (!isDeepStrictEqual(expected, { succeeded, steps }))
        this.differences.push(
          `transaction ${index}\n    model: ${texts(expected)}\n    node:  ${texts({ succeeded, steps })}`,
        )
      for (const [step, { operation }] of transaction.steps.entries()) this.#count(operation.name, expected.steps[step])
    }
    endBlock(state)
    await this.compare()
  }

  async compare(): Promise<void> {
    for (const key of this.state.unbondings.keys()) this.#unbondings.add(key)
    const read = await factsOfNode(this.#node, this.#unbondings)
    this.differences.push(...differences(factsOfModel(this.state), read))
  }

  /** Reports at the head: the model and the node burn the same, or both refuse. */
  async #report({ kind, operator, back }: Report): Promise<void> {
    const { state } = this
    const height = state.height < back ? 0n : state.height - back
    const before = state.validators.get(operator)?.tokens ?? 0n
    const worked = attempt(state, () => (kind === 'doubleSign' ? doubleSign : downtime)(state, operator, height))
    const burnt = worked ? before - (state.validators.get(operator)?.tokens ?? 0n) : 'refused'
    const method = kind === 'doubleSign' ? 'dev_reportDoubleSign' : 'dev_reportDowntime'
    const params = kind === 'doubleSign' ? [operator, numberToHex(height)] : [operator]
    const answer = await this.#node.rpc(method, ...params).then(
      (value) => hexToBigInt(value as `0x${string}`),
      (error: unknown) => {
        if (!(error instanceof BaseError)) throw error
        return 'refused' as const
      },
    )
    if (burnt !== answer) this.differences.push(`${kind} of ${operator}\n    model: ${burnt}\n    node:  ${answer}`)
    this.#count(kind, worked)
  }

  #count(name: string, succeeded: boolean | undefined): void {
    const count = this.seen.get(name) ?? { succeeded: 0, failed: 0 }
    if (succeeded === true) count.succeeded += 1
    else count.failed += 1
    this.seen.set(name, count)
    this.actions += 1
  }
}

/** JSON with decimal texts for integers. */
export const texts = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
