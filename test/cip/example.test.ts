// The example of the documentation: an opcode that a user's module defines, and a Yul contract that uses it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { loadModule } from '../../src/cip/load.ts'
import { testChain } from '../support/chain.ts'
import { compileYul } from '../support/solc.ts'
import { specWith } from './support.ts'

const EXAMPLES = join(import.meta.dirname, '../../docs/examples')
const abi = parseAbi(['function average(uint256, uint256) view returns (uint256)'])
const MOST = 2n ** 256n - 1n

test('a contract can use the opcode AVERAGE of docs/examples once its proposal is active', async () => {
  const modules = [await loadModule(join(EXAMPLES, 'average.mjs'))]
  const upgrade = { name: 'average', height: 3n, addProposals: ['kestrel_7'], removeProposals: [] }
  const { viem, walletOf, mine, rpc } = await testChain({ spec: specWith({ upgrades: [upgrade] }), modules })
  const bytecode = compileYul(await readFile(join(EXAMPLES, 'Average.yul'), 'utf8'))
  const hash = await walletOf(0).deployContract({ abi, bytecode })
  const { contractAddress: address } = await viem.waitForTransactionReceipt({ hash })
  if (!address) throw new Error('the contract was not deployed')
  const average = (...args: [bigint, bigint]) => viem.readContract({ address, abi, functionName: 'average', args })

  await expect(average(4n, 10n)).rejects.toThrow('invalid opcode: opcode 0xc not defined')
  await mine(2)
  expect(await average(4n, 10n)).toBe(7n)
  expect(await average(4n, 11n)).toBe(7n)
  expect(await average(MOST, MOST)).toBe(MOST)

  const sent = await walletOf(0).writeContract({
    address,
    abi: parseAbi(['function average(uint256, uint256)']),
    functionName: 'average',
    args: [1n, 3n],
  })
  const { structLogs } = (await rpc('debug_traceTransaction', sent)) as {
    structLogs: { op: string; gasCost: number }[]
  }
  expect(structLogs.filter(({ op }) => op === 'AVG')).toMatchObject([{ op: 'AVG', gasCost: 5 }])
})
