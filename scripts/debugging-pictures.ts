// The pictures in docs/pictures/debugging/, the second half of `npm run pictures`: the page of a failed transaction, and the debugger
// at its failure, over the contracts of the tests of stack traces. It needs dist/ and Chromium.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { RpcError, startNode } from '../src/library.ts'
import { launchChromium } from '../test/support/browser.ts'
import { compile } from '../test/support/solc.ts'

const ROOT = join(import.meta.dirname, '..')
const PATH = 'contracts/Vault.sol'
/** The documentation is read over the network. */
const MOST_BYTES = 150_000

const input = {
  language: 'Solidity' as const,
  sources: { [PATH]: { content: readFileSync(join(ROOT, 'test/contracts/stack-traces/scenario.sol'), 'utf8') } },
  settings: {
    evmVersion: 'prague',
    outputSelection: { '*': { '*': ['abi', 'metadata', 'storageLayout', 'evm.bytecode', 'evm.deployedBytecode'] } },
  },
}
const output = compile(input)
const folder = mkdtempSync(join(tmpdir(), 'kestrel-pictures-'))
writeFileSync(join(folder, 'build.json'), JSON.stringify({ input, output }))
const node = await startNode({ artifacts: [folder], accounts: 3 })
const [from] = node.accounts

/** Sends it, also if it fails; returns the hash. */
const send = (data: Hex, to?: Hex): Promise<Hex> =>
  node
    .request<Hex>('eth_sendTransaction', [{ from: from?.address, to, data, gas: '0x200000' }])
    .catch((error: unknown) => {
      if (error instanceof RpcError) return Reflect.get(Object(error.data), 'txHash')
      throw error
    })

async function create(name: string, args: readonly unknown[] = []): Promise<Hex> {
  const { abi, evm } = output.contracts?.[PATH]?.[name] ?? {}
  // The library `Checks` is not called.
  const bytecode: Hex = `0x${(evm?.bytecode.object ?? '').replaceAll(/__\$\w{34}\$__/g, '00'.repeat(20))}`
  const hash = await send(encodeDeployData({ abi: abi ?? [], bytecode, args }))
  return (await node.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [hash])).contractAddress
}

async function failure(): Promise<Hex> {
  const vault = await create('Vault', [5n])
  const caller = await create('Caller')
  const abi = parseAbi(['function takeFor(address, uint256)'])
  const hash = await send(encodeFunctionData({ abi, functionName: 'takeFor', args: [vault, 5000n] }), caller)
  // The build is read after the start.
  for (let tries = 0; tries < 100; tries++) {
    const stack = await node.request<readonly string[]>('kestrel_getStackTrace', [hash])
    if (stack.at(-1)?.includes(PATH)) return hash
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the build was not read')
}

const hash = await failure()
const browser = await launchChromium()
const page = await browser.newPage({ viewport: { width: 1280, height: 700 } })

/** Of the first card of a page, at most `height` pixels of it. */
async function picture(
  name: string,
  path: string,
  { ready, height }: { ready: string; height: number },
): Promise<void> {
  await page.goto(`${node.url}${path}`)
  await page.locator(ready).first().waitFor()
  await page.waitForLoadState('networkidle')
  const file = join(ROOT, `docs/pictures/debugging/${name}.png`)
  const card = await page.locator('section.card').first().boundingBox()
  if (card === null) throw new Error('a page without a card')
  const clip = { ...card, height: Math.min(card.height, height) }
  await page.screenshot({ path: file, clip, fullPage: true, animations: 'disabled' })
  if (statSync(file).size > MOST_BYTES) throw new Error(`${file} has more than ${MOST_BYTES} bytes`)
}

await picture('failed-transaction', `/tx/${hash}`, { ready: ':text("Vault._check")', height: 466 })
await picture('debugger', `/tx/${hash}/debug#step=failure`, { ready: '.line.current', height: 700 })
await browser.close()
await node.stop()
rmSync(folder, { recursive: true })
