// Blocks that are run again: ordinary chains give no difference whatever is done to them, and a shadow whose opcodes cost
// or do something else is found out, with the block, the transaction and both values.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeFunctionData, type Hex, parseAbi, parseEther, toHex } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress, hexToHash } from '../../src/lib/hex.ts'
import { createLogger } from '../../src/lib/log.ts'
import type { NodeOptions } from '../../src/node.ts'
import { operatorPrefix } from '../../src/spec/addresses.ts'
import type { ChainSpec } from '../../src/spec/chain-spec.ts'
import { CODES, specWith } from '../cip/support.ts'
import { asm, playground } from '../support/assembler.ts'
import { account, testChain } from '../support/chain.ts'
import { deployFrames, deployToken, frames, token } from '../support/contracts.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { temporaryFolder } from '../support/process.ts'

const STAKING = '0x0000000000000000000000000000000000000800'
const stakingAbi = parseAbi(['function delegate(address delegator, string validator, uint256 amount) returns (bool)'])
const CELL = '0x000000000000000000000000000000000000c0fe'
const silent = { log: createLogger({ level: 'silent', json: false }) }

async function shadowed(options: Partial<NodeOptions> = {}) {
  const chain = await testChain({ engine: 'compiled', shadow: { engine: 'library', proposalFiles: [] }, ...options })
  const { shadow } = chain.node
  if (shadow === undefined) throw new Error('the node has no shadow')
  return { ...chain, ...playground(chain), shadow }
}
type Shadowed = Awaited<ReturnType<typeof shadowed>>

/** All blocks up to the head have been checked, and no difference was found. */
async function expectAgreement({ shadow, node }: Shadowed, blocks = Number(node.chain.head.number)): Promise<void> {
  await shadow.settled()
  expect(shadow.failure).toBeUndefined()
  expect(shadow.progress).toEqual({ checked: blocks, waiting: 0 })
}

/** Token and frames: creation, storage, logs, deep calls, reverts, running out of gas. */
async function useContracts(chain: Shadowed): Promise<void> {
  const { address } = await deployToken(chain, 0)
  const { address: deep } = await deployFrames(chain, 1)
  const transfer = (value: bigint) => {
    const args = [account(3).address, value] as const
    return encodeFunctionData({ abi: token.abi, functionName: 'transfer', args })
  }
  await chain.send(address, { data: transfer(7n) })
  await chain.send(address, { data: transfer(parseEther('2000')) })
  const descend = encodeFunctionData({ abi: frames.abi, functionName: 'descend', args: [30n, 3n] })
  await chain.send(deep, { data: descend, gas: 5_000_000 })
  await chain.send(deep, { data: encodeFunctionData({ abi: frames.abi, functionName: 'greedy' }), gas: 100_000 })
  // Slots that were full are emptied, one account is destroyed, one value is sent along, and BLOCKHASH looks far back.
  const cells = await chain.contract(asm('PUSH0', 'CALLDATALOAD', 'PUSH0', 'SSTORE'))
  await chain.send(cells, { data: toHex(1n, { size: 32 }) })
  await chain.send(cells, { data: toHex(0n, { size: 32 }) })
  await chain.send(await chain.contract(asm(`PUSH20 ${account(4).address}`, 'SELFDESTRUCT'), 5n))
  await chain.send(undefined, { data: asm('PUSH0', 'SELFDESTRUCT'), value: 3n })
  await chain.mine(3)
  const farBack = `${asm('PUSH1 0x02', 'NUMBER')}0340${asm('PUSH0', 'SSTORE').slice(2)}` as Hex
  await chain.send(await chain.contract(farBack))
}

describe('a shadow without a difference', () => {
  test.each([
    ['library', 'compiled'],
    ['wasm', 'library'],
  ] as const)('contracts, on %s as the shadow of %s', async (engine, first) => {
    const chain = await shadowed({ engine: first, shadow: { engine, proposalFiles: [] } })
    await useContracts(chain)
    await expectAgreement(chain)
  })

  test('a plain Ethereum chain on disk', async () => {
    const folder = await temporaryFolder()
    onTestFinished(folder.remove)
    const chain = await shadowed({ spec: plainSpec(account(0).address), datadir: folder.path })
    const hash = await chain.send(account(9).address, { value: 5n })
    expect(await chain.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    await chain.send(undefined, { data: asm('PUSH1 0x01', 'PUSH0', 'SSTORE'), gas: 100_000 })
    await chain.mine(5)
    await expectAgreement(chain)
  })

  test('native precompiles, their failures, and rewards of later blocks', async () => {
    const chain = await shadowed()
    const validator = toBech32(operatorPrefix('kest'), hexToAddress(account(10).address))
    const delegate = (amount: bigint) => {
      const args = [account(0).address, validator, amount] as const
      return encodeFunctionData({ abi: stakingAbi, functionName: 'delegate', args })
    }
    const receipts = []
    for (const amount of [parseEther('1'), parseEther('1000000')]) {
      const hash = await chain.send(STAKING, { data: delegate(amount), gas: 1_000_000 })
      receipts.push(await chain.viem.getTransactionReceipt({ hash }))
    }
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'reverted'])
    await chain.rpc('evm_increaseTime', 22 * 86_400)
    await chain.mine(3)
    await expectAgreement(chain)
  })

  test('changes by hand between blocks, and senders without keys', async () => {
    const chain = await shadowed()
    const stranger = `0x${'5e'.repeat(20)}` as Hex
    await chain.rpc('anvil_setBalance', stranger, toHex(parseEther('2')))
    await chain.rpc('anvil_impersonateAccount', stranger)
    const request = { from: stranger, to: account(2).address, value: '0x5', gas: '0x5208' }
    await chain.rpc('eth_sendTransaction', request)
    const counter = await chain.contract(asm('PUSH1 0x01', 'PUSH0', 'SLOAD', 'ADD', 'PUSH0', 'SSTORE'))
    await chain.rpc('anvil_setStorageAt', counter, '0x0', toHex(41n, { size: 32 }))
    await chain.send(counter)
    expect(BigInt(await chain.rpc('eth_getStorageAt', counter, '0x0'))).toBe(42n)
    await chain.rpc('anvil_setCode', counter, asm('PUSH0', 'PUSH0', 'SSTORE'))
    await chain.rpc('anvil_setNonce', account(0).address, '0x64')
    await chain.send(counter)
    await expectAgreement(chain)
  })

  test('blocks that were taken back are dropped, and others in their place are checked', async () => {
    const chain = await shadowed()
    const counter = await chain.contract(asm('PUSH1 0x01', 'PUSH0', 'SLOAD', 'ADD', 'PUSH0', 'SSTORE'))
    const snapshot = await chain.rpc('evm_snapshot')
    for (let round = 0; round < 5; round++) await chain.send(counter)
    await chain.rpc('evm_revert', snapshot)
    expect(chain.shadow.progress.waiting).toBe(0)
    for (let round = 0; round < 3; round++) {
      const again = await chain.rpc('evm_snapshot')
      for (let block = 0; block < 10; block++) await chain.send(counter)
      await chain.rpc('evm_revert', again)
    }
    await chain.send(counter)
    expect(BigInt(await chain.rpc('eth_getStorageAt', counter, '0x0'))).toBe(1n)
    await chain.shadow.settled()
    expect(chain.shadow.failure).toBeUndefined()
    expect(chain.shadow.progress.checked).toBeGreaterThanOrEqual(1)
  })
})

test('64 blocks may wait for their check; the next one waits to be committed, and readers do not', async () => {
  const folder = await temporaryFolder()
  onTestFinished(folder.remove)
  const [file, go] = [join(folder.path, 'held.mjs'), join(folder.path, 'go')]
  // The thread looks for a file before it begins.
  await writeFile(
    file,
    `import { existsSync } from 'node:fs'
     while (!existsSync(${JSON.stringify(go)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
     export default []`,
  )
  const chain = await shadowed({ shadow: { engine: 'library', proposalFiles: [file] } })
  let most = 0
  chain.node.chain.events.on('block', () => {
    most = Math.max(most, chain.shadow.progress.waiting)
  })
  const mined = chain.mine(100)
  await expect.poll(() => chain.shadow.progress.waiting, { timeout: 20_000 }).toBe(64)
  expect(await chain.rpc('eth_blockNumber')).toBe('0x40')
  await writeFile(go, '')
  await mined
  await expectAgreement(chain, 100)
  expect(most).toBe(64)
})

describe('a shadow with a fault', () => {
  const proposal = (apply: Proposal['apply']): Proposal => ({ number: 7, title: 'seven', apply })

  /** A chain with this proposal active, whose shadow reads another text under its number. */
  async function faulty(
    own: Proposal['apply'],
    shadows: string,
    spec: ChainSpec = specWith({ active: ['kestrel_7'] }),
  ) {
    const folder = await temporaryFolder()
    onTestFinished(folder.remove)
    const file = join(folder.path, 'seven.mjs')
    const text = `export default { number: 7, title: 'seven', apply(table) { ${shadows} } }`
    await writeFile(file, text)
    // The chain names the file, so that the thread takes it; the node itself has been given something else.
    const sha256 = hexToHash(`0x${createHash('sha256').update(text).digest('hex')}`)
    const modules = [{ file, sha256, proposals: [proposal(own)] }]
    const shadow = { engine: 'library', proposalFiles: [file] } as const
    const chain = await testChain({ spec, modules, engine: 'compiled', shadow, ...silent })
    if (chain.node.shadow === undefined) throw new Error('the node has no shadow')
    return { ...chain, ...playground(chain), shadow: chain.node.shadow }
  }
  const cheap: Proposal['apply'] = (table) => table.op('PUSH1').setConstantGas(3n)

  test('is found by the gas of a transaction, and no more blocks are made', async () => {
    const { send, shadow, rpc, raw, alice, viem } = await faulty(cheap, "table.op('PUSH1').setConstantGas(4n)")
    // Two PUSH1 of 3 (or 4), and a slot that is cold and empty: 21000 + 6 + 22100.
    const hash = await send(CODES.sstore.address)
    const { blockHash } = await viem.getTransactionReceipt({ hash })
    expect(await shadow.failed).toBe(
      `block 1 (${blockHash}): transaction 0 (${hash}): gasUsed is 43106 on compiled, 43108 on library`,
    )
    const refused = await raw('evm_mine')
    expect(refused.error?.message).toContain(`no more blocks are made: block 1 (${blockHash})`)
    // What is committed can still be read.
    expect(await rpc('eth_blockNumber')).toBe('0x1')
    expect(await rpc('eth_getTransactionCount', alice, 'latest')).toBe('0x1')
  })

  test('is found by the slot that a transaction leaves, where gas and logs are the same', async () => {
    const add = (sum: string) => `table.op('ADD').setExecute(({ stack }) => {
      const [a, b] = stack.popN(2)
      stack.push(${sum})
    })`
    const spec = specWith({
      active: ['kestrel_7'],
      codes: { [CELL]: asm('PUSH1 0x02', 'PUSH1 0x03', 'ADD', 'PUSH0', 'SSTORE') },
    })
    const own: Proposal['apply'] = (table) => {
      table.op('ADD').setExecute(({ stack }) => {
        const [a = 0n, b = 0n] = stack.popN(2)
        stack.push(a + b)
      })
    }
    const { send, shadow } = await faulty(own, add('a + b + 1n'), spec)
    const hash = await send(CELL)
    const slot = `0x${'00'.repeat(32)}`
    expect(await shadow.failed).toContain(
      `: transaction 0 (${hash}): slot ${slot} of account ${CELL} is 5 on compiled, 6 on library`,
    )
  })

  test('is found where the shadow cannot execute at all', async () => {
    const { shadow, send } = await faulty(cheap, "throw new RangeError('no such opcode')")
    await send(CODES.sstore.address)
    expect(await shadow.failed).toMatch(/^block 1 \(0x\w+\): the shadow \(library\) has failed: .*no such opcode/)
  })
})
