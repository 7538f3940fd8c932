// Every recorded request of execution-apis, in the suite's order, against one node with the suite's chain.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Node } from '../../src/node.ts'
import { failures, startSuiteNode } from './execution-apis.ts'
import { loadIoTests } from './io.ts'

let node: Node
beforeAll(async () => {
  node = await startSuiteNode()
}, 60_000)
afterAll(() => node.close())

it('the execution-apis chain is imported', () => {
  expect(node.chain.head.hash).toBe('0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7')
})

it.each(loadIoTests().map((test) => [`${test.method}/${test.name}`, test] as const))('%s', async (_, test) => {
  expect(test.exchanges.length).toBeGreaterThan(0)
  expect(await failures(node.url, test)).toEqual([])
})
