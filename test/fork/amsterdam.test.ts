// Forks at Amsterdam: of a chain that has it, told by its eth_config, and of one that has not, with --hardfork.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { amsterdamChainGenesis } from '../support/amsterdam-chain.ts'
import { chainToFork, forkOf } from '../support/forked.ts'
import { temporaryFolder } from '../support/process.ts'

type Header = { readonly number: string; readonly slotNumber: string; readonly blockAccessListHash: string }
type Access = {
  readonly address: string
  readonly storageReads: readonly string[]
  readonly storageChanges: readonly object[]
}

const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935'
const BUILDERS = '0x0000bff46984e3725691fa540a8c7589300d8282'

async function datadir(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  return path
}

it('a fork of a chain at Amsterdam goes on by its rules, also after a restart', async () => {
  const genesis = join(await datadir(), 'genesis.json')
  await writeFile(genesis, JSON.stringify(amsterdamChainGenesis()))
  await using forked = await chainToFork({ genesis, chainId: undefined })
  const { origin, proxy } = forked
  await origin.request('evm_mine', [])
  const before = await origin.request<Header>('eth_getBlockByNumber', ['latest', false])
  const folder = await datadir()
  for (let start = 1; start <= 2; start++) {
    await using fork = await forkOf(proxy, { datadir: folder })
    // The forked chain's own block.
    expect(await fork.request('eth_getBlockAccessList', ['0x1'])).toEqual(
      await origin.request('eth_getBlockAccessList', ['0x1']),
    )
    await fork.request('evm_mine', [])
    const made = await fork.request<Header>('eth_getBlockByNumber', ['latest', false])
    expect([Number(made.number), Number(made.slotNumber)]).toEqual([1 + start, Number(before.slotNumber) + start])
    const list = await fork.request<readonly Access[]>('eth_getBlockAccessList', ['latest'])
    expect(list.find(({ address }) => address === HISTORY)?.storageChanges).toHaveLength(1)
    // The queue's slots are fetched to be read.
    expect(list.find(({ address }) => address === BUILDERS)?.storageReads).toEqual(['0x0', '0x1', '0x2', '0x3'])
  }
}, 60_000)

it('a fork of a chain without the contracts of Amsterdam makes its blocks, also after a restart', async () => {
  await using forked = await chainToFork()
  const folder = await datadir()
  for (const hardfork of ['amsterdam', undefined] as const) {
    await using fork = await forkOf(forked.proxy, { datadir: folder, ...(hardfork && { hardfork }) })
    const [from, to] = fork.accounts.map(({ address }) => address.toLowerCase())
    const hash = await fork.request('eth_sendTransaction', [{ from, to, value: '0x1' }])
    const receipt = await fork.request<{ logs: object[] }>('eth_getTransactionReceipt', [hash])
    // EIP-7708's log of the transfer.
    expect(receipt.logs).toMatchObject([{ address: '0xfffffffffffffffffffffffffffffffffffffffe' }])
    const list = await fork.request<readonly Access[]>('eth_getBlockAccessList', ['latest'])
    const accessed = list.map(({ address }) => address)
    expect(accessed).toEqual(expect.arrayContaining([from, to, HISTORY, BUILDERS]))
  }
}, 60_000)
