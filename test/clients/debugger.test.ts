// The debugger in a browser over a long transaction of contracts that many use: a swap of Uniswap 2 through 33 pairs, more than
// 100,000 opcodes, with the sources and source maps of Uniswap's own packages.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { account, request } from '../support/chain.ts'
import { type RunningProcess, startProcess } from '../support/process.ts'

const require = createRequire(new URL('dapps/package.json', import.meta.url))
const TOKENS = 34

type Contract = { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }
type Combined = { readonly contracts: Readonly<Record<string, Contract>>; readonly sourceList: readonly string[] }

/** The compiler's output in a package of Uniswap. `prefix`: of its own sources, which are below `contracts/` in both packages. */
function buildOf(name: string, prefix: string) {
  const file = require.resolve(`@uniswap/${name}/build/Combined-Json.json`)
  const { contracts, sourceList }: Combined = JSON.parse(readFileSync(file, 'utf8'))
  const root = dirname(dirname(file))
  const content = (path: string) =>
    readFileSync(path.startsWith('@') ? createRequire(file).resolve(path) : join(root, path), 'utf8')
  const named = (path: string) => path.replace(/^contracts\//, `${prefix}/`)
  const output: Record<string, Record<string, Contract>> = {}
  for (const [key, contract] of Object.entries(contracts)) {
    const [path = '', of = ''] = key.split(':')
    output[named(path)] = { ...output[named(path)], [of]: contract }
  }
  return {
    input: {
      language: 'Solidity',
      sources: Object.fromEntries(sourceList.map((path) => [named(path), { content: content(path) }])),
      settings: {},
    },
    output: {
      contracts: output,
      sources: Object.fromEntries(sourceList.map((path, id) => [named(path), { id }])),
    },
  }
}

const core = buildOf('v2-core', 'contracts')
const periphery = buildOf('v2-periphery', 'periphery')
const contract = (of: typeof core, path: string, name: string): Contract => {
  const found = of.output.contracts[path]?.[name]
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}
const router = contract(periphery, 'periphery/UniswapV2Router02.sol', 'UniswapV2Router02')
const token = contract(core, 'contracts/test/ERC20.sol', 'ERC20')

/** Swaps through the pairs of a row of tokens; returns the hash. */
async function swap(url: string): Promise<Hex> {
  const owner = account(0).address
  const send = async (data: Hex, to?: Hex): Promise<{ transactionHash: Hex; contractAddress: Hex }> => {
    const hash = await request(url, 'eth_sendTransaction', [{ from: owner, to, data, gas: '0xf00000' }])
    return (await request(url, 'eth_getTransactionReceipt', [hash])) as never
  }
  const create = async ({ abi, evm }: Contract, args: readonly unknown[] = []) =>
    (await send(encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args }))).contractAddress
  const factory = await create(contract(core, 'contracts/UniswapV2Factory.sol', 'UniswapV2Factory'), [owner])
  const weth = await create(contract(periphery, 'periphery/test/WETH9.sol', 'WETH9'))
  const to = await create(router, [factory, weth])
  const all = parseEther('1000000')
  const path: Hex[] = []
  for (let i = 0; i < TOKENS; i++) {
    const address = await create(token, [all])
    path.push(address)
    await send(encodeFunctionData({ abi: token.abi, functionName: 'approve', args: [to, all] }), address)
  }
  const deadline = 2n ** 40n
  const call = (functionName: string, args: readonly unknown[]) =>
    send(encodeFunctionData({ abi: router.abi, functionName, args }), to)
  for (const [i, second] of path.slice(1).entries())
    await call('addLiquidity', [path[i], second, 10n ** 21n, 10n ** 21n, 0, 0, owner, deadline])
  return (await call('swapExactTokensForTokens', [10n ** 18n, 0, path, owner, deadline])).transactionHash
}

describe.skipIf(CHROMIUM === undefined)('the debugger (skipped without Chromium)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kestrel-uniswap-'))
  let node: RunningProcess
  beforeAll(async () => {
    for (const [name, build] of Object.entries({ core, periphery }))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(build))
    node = await startProcess(['--in-memory', '--artifacts', folder])
  })
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
    rmSync(folder, { recursive: true })
  })

  test('steps through a swap of Uniswap 2 with more than 100,000 opcodes', async () => {
    const hash = await swap(node.url)
    const browser = await launchChromium()
    const page = await browser.newPage()
    await page.goto(`${node.url}/tx/${hash}/debug`)
    const current = page.locator('.line.current')
    const slider = page.getByRole('slider')
    const status = page.getByRole('status')
    await status.getByText('UniswapV2Router02.').first().waitFor()
    expect(Number(await slider.getAttribute('max'))).toBeGreaterThan(100_000)
    // The contracts of the path have their reserves read one after the other, then swap.
    await page.getByRole('region', { name: 'Calls' }).getByRole('button').nth(1).click()
    await status.getByText('UniswapV2Pair.getReserves').waitFor()
    await page.keyboard.press('n')
    // The function is in lines 38 to 42.
    await status.getByText(/UniswapV2Pair\.sol:(38|39|4[012])$/).waitFor()
    await current.waitFor()
    await page.keyboard.press('Shift+F11')
    await status.getByText('UniswapV2Library.getReserves').waitFor()
    await page.getByLabel('Number of the step').fill('100000')
    await page.getByLabel('Number of the step').press('Enter')
    await expect.poll(() => slider.inputValue()).toBe('100000')
    await page.getByRole('button', { name: 'Run to the failure or the end' }).click()
    await expect.poll(async () => slider.inputValue()).toBe(await slider.getAttribute('max'))
    // Each of the 33 pairs emits Transfer (from it or to it), Sync and Swap; the first Transfer pays the first pair.
    await page.getByText('Swap(').nth(32).waitFor()
    await browser.close()
  }, 300_000)
})
