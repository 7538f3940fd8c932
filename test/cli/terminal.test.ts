// What a development node shows in the terminal. The contract is written as opcodes; the expected lines follow from it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, toFunctionSelector } from 'viem'
import { expect, test, vi } from 'vitest'
import { rawRequest, request } from '../support/chain.ts'
import { folder, start } from './support.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

type Compiled = { readonly abi: Abi; readonly bytecode: { readonly object: Hex } }

/** `PUSH32 word; PUSH1 at; MSTORE` */
const store = (word: string, at: number) => `7f${word}60${at.toString(16).padStart(2, '0')}52`
const selectorWord = (signature: string) => toFunctionSelector(signature).slice(2).padEnd(64, '0')
const word = (value: bigint) => value.toString(16).padStart(64, '0')
/** `log(uint256)` with 42: a STATICCALL of the console with 36 bytes at 0. */
const PRINT = `${store(selectorWord('log(uint256)'), 0)}${store(word(42n), 4)}5f5f60245f6a636f6e736f6c652e6c6f675afa50`
/** Reverts with `Panic(0x11)`: an overflow. */
const PANIC = `${store(selectorWord('Panic(uint256)'), 0)}${store(word(0x11n), 4)}60245ffd`
/** Prints, and fails if it is called with input. */
const RUNTIME = (() => {
  const head = (at: number) => `${PRINT}36${`60${at.toString(16)}`}5700`
  const at = head(0x10).length / 2
  return `${head(at)}5b${PANIC}`
})()
const CODE = `0x61${(RUNTIME.length / 2).toString(16).padStart(4, '0')}80600a5f395ff3${RUNTIME}` as Hex

async function deployed(url: string): Promise<string> {
  const hash = await request(url, 'eth_sendTransaction', [{ from: ALICE, data: CODE, gas: '0x100000' }])
  const receipt = (await request(url, 'eth_getTransactionReceipt', [hash])) as { contractAddress: string }
  return receipt.contractAddress
}

test('the terminal shows transactions, what they print, and why they and requests failed', async () => {
  const node = await start(await folder(), '--in-memory')
  const to = await deployed(node.url)
  const call = { from: ALICE, to, gas: '0x30000' }
  await request(node.url, 'eth_sendTransaction', [call])
  await request(node.url, 'eth_call', [{ to }, 'latest'])
  await rawRequest(node.url, 'eth_estimateGas', [{ ...call, data: '0x11223344' }])
  const failed = await rawRequest(node.url, 'eth_sendTransaction', [{ ...call, data: '0x11223344', value: '0x1' }])
  await rawRequest(node.url, 'eth_getBalance', ['nope', 'latest'])
  const logs = await request(node.url, 'kestrel_getConsoleLogs', [failed.result])
  const { stderr } = await node.stop('SIGINT')
  const lines = stderr.split('\n')

  expect(logs).toEqual([{ address: to, name: null, text: '42' }])
  expect(lines.filter((line) => line === '    console.log: 42')).toHaveLength(3)
  expect(stderr).toMatch(
    /INFO: creates a contract 0x[0-9a-fA-F]{4}…[0-9a-fA-F]{4} from 0xf39F…2266 \(account 0\) {2}block 1 /,
  )
  expect(stderr).toMatch(/eth_call .*\n {4}console\.log: 42\n/)
  expect(stderr).toMatch(
    /eth_estimateGas {2}failed: execution reverted: .*overflow.*\n {4}0x11223344\(\) on .* from 0xf39F…2266/,
  )
  expect(stderr).toMatch(
    /WARN: 0x11223344\(\) with 1 wei on 0x.*block 3 .*\n {4}console\.log: 42\n {4}failed: .*overflow/,
  )
  expect(stderr).toMatch(/eth_getBalance {2}failed: invalid argument 0/)
})

test('-vvv shows calls and changes of the state, and requests folded; --json has one object a line', async () => {
  const node = await start(await folder(), '--in-memory', '-vvv')
  const to = await deployed(node.url)
  await request(node.url, 'eth_sendTransaction', [{ from: ALICE, to, gas: '0x30000' }])
  for (let i = 0; i < 3; i++) await request(node.url, 'eth_blockNumber')
  await vi.waitUntil(() => node.text.stderr.includes('eth_blockNumber ×3'), 5_000)
  const { stderr } = await node.stop('SIGINT')
  expect(stderr).toMatch(/\n {4}└─ console\.log: 42\n/)
  expect(stderr).toMatch(/\n {4}state of 0xf39F…2266 \(account 0\)\n(.*\n)*? {6}nonce 1 → 2\n/)

  const machine = await start(await folder(), '--in-memory', '--json')
  await request(machine.url, 'eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }])
  const ended = await machine.stop('SIGINT')
  const records = ended.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(records.find(({ hash, to }) => hash !== undefined && to === BOB)).toMatchObject({
    gasUsed: '21000',
    status: 1,
    block: '1',
  })
})

test('a production node prints nothing of contracts and has no kestrel_getConsoleLogs', async () => {
  const node = await start(await folder(), '--in-memory', '--production', '--preset', 'kestrel')
  const answer = await rawRequest(node.url, 'kestrel_getConsoleLogs', [`0x${'11'.repeat(32)}`])
  expect(answer.error?.code).toBe(-32601)
  await node.stop('SIGINT')
})

test('with a build the terminal has names, and the line of a failure', async () => {
  const build = join(import.meta.dirname, '../contracts/artifacts/builds/foundry/out')
  const { abi, bytecode } = JSON.parse(await readFile(join(build, 'Vault.sol/Purse.json'), 'utf8')) as Compiled
  const node = await start(await folder(), '--in-memory', '--artifacts', build)
  await vi.waitUntil(() => node.text.stderr.includes('read 3 contracts'), 30_000)
  const send = async (data: Hex, to?: string) => {
    const hash = await request(node.url, 'eth_sendTransaction', [{ from: ALICE, to, data, gas: '0x100000' }])
    return (await request(node.url, 'eth_getTransactionReceipt', [hash])) as { contractAddress: string }
  }
  const { contractAddress: purse } = await send(encodeDeployData({ abi, bytecode: bytecode.object, args: [9n] }))
  await send(encodeFunctionData({ abi, functionName: 'take', args: [78n] }), purse)
  await vi.waitUntil(() => node.text.stderr.includes('failed: '), 5_000)
  const { stderr } = await node.stop('SIGINT')
  expect(stderr).toMatch(/INFO: creates Purse 0x\S+ from 0xf39F…2266 \(account 0\) {2}block 1 /)
  // `if (held[msg.sender] < amount) revert NotEnough(…)` is line 22.
  expect(stderr).toMatch(
    /WARN: Purse\.take\(amount: 78\) from 0xf39F…2266 \(account 0\) {2}block 2 .*\n {4}failed: NotEnough\(who: 0xf39F…2266, has: 0, wants: 78\) at Purse\.take \(src\/Vault\.sol:22:\d+\)\n/,
  )
})
