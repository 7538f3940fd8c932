// Runs the execution-apis suite against a node: starts a node with the suite's chain, sends recorded requests, compares the
// responses. Used by `execution-apis.test.ts` and `run.ts`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLimits } from '../../src/chain/limits.ts'
import { createLogger } from '../../src/lib/log.ts'
import { type Node, startNode } from '../../src/node.ts'
import { splitBlocks } from '../../src/primitives/block.ts'
import { parseGenesisText } from '../../src/spec/genesis-file.ts'
import { Wallet } from '../../src/wallet/wallet.ts'
import { differences, type IoTest, SUITE } from './io.ts'

/** A node in this process with the suite's chain, which makes no blocks. */
export async function startSuiteNode(): Promise<Node> {
  const node = await startNode({
    datadir: undefined,
    spec: parseGenesisText(readFileSync(join(SUITE, 'genesis.json'), 'utf8')),
    limits: defaultLimits,
    pool: { minTip: 0n, allowUnprotected: true },
    log: createLogger({ level: 'error', json: false }),
    host: '127.0.0.1',
    port: 0,
    automine: false,
    blockTime: 0,
    gasLimit: undefined,
    wallet: new Wallet(),
    rpc: { testing: true },
  })
  for (const block of splitBlocks(readFileSync(join(SUITE, 'chain.rlp')))) await node.chain.importBlock(block)
  return node
}

/** Sends a test's requests in order; returns the differences from the recorded responses. */
export async function failures(url: string, test: IoTest): Promise<string[]> {
  const found: string[] = []
  for (const { request, expected } of test.exchanges) {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: request })
    const answered: unknown = JSON.parse(await response.text())
    found.push(...verdict(test, expected, answered))
  }
  return found
}

function verdict({ method, name, shapeOnly }: IoTest, expected: unknown, answered: unknown): string[] {
  const check = shapeOnly ? UNDETERMINED.get(`${method}/${name}`) : undefined
  if (check === undefined) return differences(expected, answered)
  const recorded = resultOf(expected)
  const result = resultOf(answered)
  return result === undefined ? ['$.result: missing'] : check(recorded, result)
}

const resultOf = (answer: unknown): unknown => (answer as { result?: unknown }).result

type Check = (recorded: unknown, result: unknown) => string[]

/** Tests with more than one correct response, and what must hold for them. All others are compared exactly. */
const UNDETERMINED: ReadonlyMap<string, Check> = new Map([
  // geth stops its search within 1.5 % of the minimum gas; this node finds the minimum.
  ['eth_estimateGas/estimate-successful-call', withinGethsError],
  ['eth_estimateGas/estimate-with-eip7702', withinGethsError],
  // geth keeps an index of logs for a window of blocks; this node keeps it for all.
  ['eth_capabilities/get-capabilities', withoutWindows],
  // The recorded pool also has transactions of tests that are not in this folder.
  ['txpool_content/get-content', amongRecorded],
  ['txpool_status/get-status', countsOnly],
])

function withinGethsError(recorded: unknown, result: unknown): string[] {
  const most = Number(recorded)
  const least = Number(recorded) / 1.015
  const found = Number(result)
  return found <= most && found >= least ? [] : [`$.result: ${found} is not between ${least} and ${most}`]
}

function withoutWindows(recorded: unknown, result: unknown): string[] {
  const everything = Object.entries(recorded as Record<string, object>).map(([name, resource]) => {
    const { deleteStrategy: _, ...rest } = resource as { deleteStrategy?: unknown }
    return [name, rest]
  })
  return differences(Object.fromEntries(everything), result, '$.result')
}

type Content = Record<'pending' | 'queued', Record<string, Record<string, unknown>>>

function amongRecorded(recorded: unknown, result: unknown): string[] {
  const all = recorded as Content
  return Object.values(result as Content).flatMap((bySender) =>
    Object.entries(bySender).flatMap(([sender, byNonce]) =>
      Object.entries(byNonce).flatMap(([nonce, transaction]) => {
        const known = all.pending[sender]?.[nonce] ?? all.queued[sender]?.[nonce]
        return differences(known, transaction, `$.result.${sender}.${nonce}`)
      }),
    ),
  )
}

function countsOnly(recorded: unknown, result: unknown): string[] {
  const names = Object.keys(recorded as object)
  const counts = Object.entries(result as object)
  const isCount = ([name, count]: [string, unknown]) =>
    names.includes(name) && /^0x(0|[1-9a-f][0-9a-f]*)$/.test(`${count}`)
  return counts.length === names.length && counts.every(isCount) ? [] : [`$.result: ${JSON.stringify(result)}`]
}
