// `--gas-limit` on a chain that began with another limit: each block approaches it by less than a 1024th of its parent's limit
// (Yellow Paper, 47), so that other clients can import the chain.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { request } from '../support/chain.ts'
import { folder, run, start } from './support.ts'

const limitOf = async (url: string): Promise<number> => {
  const block = (await request(url, 'eth_getBlockByNumber', ['latest', false])) as { gasLimit: string }
  return Number(block.gasLimit)
}

test('--gas-limit moves the limit in steps that import accepts, until the target', async () => {
  const cwd = await folder()
  const first = await start(cwd, '--datadir', 'a')
  await request(first.url, 'evm_mine')
  expect(await limitOf(first.url)).toBe(36_000_000)
  await first.stop()

  const second = await start(cwd, '--datadir', 'a', '--gas-limit', '36050000')
  const limits: number[] = []
  for (let i = 0; i < 3; i++) {
    await request(second.url, 'evm_mine')
    limits.push(await limitOf(second.url))
  }
  // floor(36,000,000 / 1024) - 1 = 35,155 at most in the first step.
  expect(limits).toEqual([36_035_155, 36_050_000, 36_050_000])
  // geth's method moves in steps too; the methods of Hardhat and anvil set the limit at once.
  await request(second.url, 'miner_setGasLimit', ['0x1'])
  await request(second.url, 'evm_mine')
  // floor(36,050,000 / 1024) - 1 = 35,204.
  expect(await limitOf(second.url)).toBe(36_050_000 - 35_204)
  await second.stop()

  expect((await run(cwd, 'export', 'a.rlp', '--datadir', 'a')).code).toBe(0)
  await writeFile(join(cwd, 'a.json'), (await run(cwd, 'genesis', '--datadir', 'a')).stdout)
  expect((await run(cwd, 'init', '--genesis', 'a.json', '--datadir', 'b')).code).toBe(0)
  const { code, stderr } = await run(cwd, 'import', 'a.rlp', '--datadir', 'b')
  expect(stderr).toContain('imported 5 blocks')
  expect(code).toBe(0)
}, 90_000)

test('--gas-limit is the limit of a new chain’s first block', async () => {
  const node = await start(await folder(), '--in-memory', '--gas-limit', '12000000')
  expect(await limitOf(node.url)).toBe(12_000_000)
  await request(node.url, 'evm_mine')
  expect(await limitOf(node.url)).toBe(12_000_000)
  await request(node.url, 'evm_setBlockGasLimit', ['0x1c9c380'])
  await request(node.url, 'evm_mine')
  expect(await limitOf(node.url)).toBe(30_000_000)
  await node.stop()
})
