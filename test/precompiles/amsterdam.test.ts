// A native chain at Amsterdam: what contracts and modules change is in the block access lists, and another node imports the blocks.
import { expect, it } from 'vitest'
import { type Hex, hexToAddress } from '../../src/lib/hex.ts'
import { decodeBlockAccessList } from '../../src/primitives/block-access-list.ts'
import { genesisContract, systemContracts } from '../../src/spec/preinstalls.ts'
import { presets } from '../../src/spec/presets.ts'
import { testChain } from '../support/chain.ts'
import { COIN, delegate, owner, STAKING, stakingChain, UNBONDING, undelegate } from './staking-support.ts'

/** The network's chain with Amsterdam from block 0 on. */
function spec() {
  const plain = presets.kestrel()
  const alloc = new Map(plain.genesis.alloc)
  for (const contract of systemContracts('amsterdam')) alloc.set(contract.address, genesisContract(contract))
  const forks = [...plain.forks, { fork: 'amsterdam', time: 0n } as const]
  return { ...plain, forks, genesis: { ...plain.genesis, alloc } }
}

it('blocks with calls of native contracts, and with the work of modules at their end, are imported by another node', async () => {
  const { node, rpc, send, mineAt, viem } = await stakingChain({ spec: spec() })
  await send(delegate(5n * COIN))
  const { blockNumber } = await send(undelegate(2n * COIN))
  const { timestamp } = await viem.getBlock({ blockNumber })
  await mineAt(timestamp + UNBONDING + 1n)
  const other = await testChain({ spec: spec() })
  for (let number = 1n; number <= node.chain.head.number; number++) {
    const raw = (await rpc('debug_getRawBlock', `0x${number.toString(16)}`)) as Hex
    await other.node.chain.importBlock(Buffer.from(raw.slice(2), 'hex'))
  }
  expect(other.node.chain.head.hash).toBe(node.chain.head.hash)
  const list = (number: bigint) => {
    const accounts = decodeBlockAccessList(node.chain.accessList(number) ?? expect.fail('no list'))
    return new Map(accounts.map((account) => [account.address as string, account]))
  }
  const called = list(blockNumber)
  expect(called.get(STAKING)?.storageChanges.length).toBeGreaterThan(0)
  // The coins come back at the end of a block without transactions, whose index is 1.
  const returned = list(node.chain.head.number)
  expect(returned.get(hexToAddress(owner))?.balanceChanges).toMatchObject([{ index: 1 }])
}, 60_000)
