// Sources of the contracts that a fork has from the forked chain: from servers that play Sourcify and Etherscan, in the forms of their
// documentation, and from hostile ones.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { encodeFunctionData, getAddress, type Hex, parseAbi, toEventSelector, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type RunningNode, type StartOptions, startNode } from '../../../src/library.ts'
import { asm } from '../../support/assembler.ts'
import { CHROMIUM, launchChromium } from '../../support/browser.ts'
import { chainToFork, type Forked, forkOf } from '../../support/forked.ts'
import { temporaryFolder } from '../../support/process.ts'
import { expectSound, openPage } from '../pages-support.ts'
import { api } from '../support.ts'
import { compile, compilerVersion, standardInput } from './support.ts'

const CHAIN = 4242
const PAINTING = '0x000000000000000000000000000000000000ab01'
const OTHER = '0x000000000000000000000000000000000000ab02'
const PROXY = '0x000000000000000000000000000000000000ab03'
const DELEGATING = '0x000000000000000000000000000000000000ab04'

const paintAbi = parseAbi(['function paint(uint256 colour)', 'event Painted(uint256 colour)'])
/** Emits Painted with the argument of the call. */
const PAINT = asm(
  ...['PUSH1 0x20', 'PUSH1 0x04', 'PUSH0', 'CALLDATACOPY'],
  ...[`PUSH32 ${toEventSelector('Painted(uint256)')}`, 'PUSH1 0x20', 'PUSH0', 'LOG1'],
)
const CODES: readonly (readonly [string, Hex])[] = [
  [PAINTING, PAINT],
  [OTHER, '0x6001600155'],
  [PROXY, `0x363d3d373d3d3d363d73${PAINTING.slice(2)}5af43d82803e903d91602b57fd5bf3`],
  [DELEGATING, `0xef0100${PAINTING.slice(2)}`],
]
const SOURCE = '// <script>alert(1)</script>\ncontract Painting { event Painted(uint256 colour); }'
const MANY = Array.from({ length: 20 }, (_, i) => `0x${(0xab10 + i).toString(16).padStart(40, '0')}` as Hex)

let forked: Forked

beforeAll(async () => {
  forked = await chainToFork({ chainId: CHAIN })
  for (const [address, code] of CODES) await forked.origin.request('anvil_setCode', [address, code])
  for (const [i, address] of MANY.entries())
    await forked.origin.request('anvil_setCode', [address, `0x60${toHex(i, { size: 1 }).slice(2)}600155`])
  await forked.origin.request('anvil_mine', ['0x1'])
})
afterAll(() => forked[Symbol.asyncDispose]())

type Reply = object | ((response: ServerResponse) => unknown)

/** A server; its answers by a part of the path, and the paths that it was asked for. */
async function serverOf(path: string, replies: Record<string, Reply>) {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const [, reply] = Object.entries(replies).find(([part]) => url.toLowerCase().includes(part)) ?? []
    if (typeof reply === 'function') reply(response)
    else json(response, reply ?? notVerified, reply === undefined && !path.includes('api') ? 404 : 200)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}${path}`, name: `http://127.0.0.1:${port}`, asked, replies, close }
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))

/** Sourcify's answer with status 404. */
const notVerified = { match: null, creationMatch: null, runtimeMatch: null, chainId: '4242', address: PAINTING }

/** Sourcify's answer about a contract. */
const verified = (abi: unknown = paintAbi, change: object = {}) => ({
  match: 'exact_match',
  creationMatch: 'match',
  runtimeMatch: 'exact_match',
  chainId: '4242',
  address: getAddress(PAINTING),
  verifiedAt: '2024-07-24T12:00:00Z',
  matchId: '3266227',
  abi,
  sources: { 'src/Painting.sol': { content: SOURCE }, 'src/Colours.sol': { content: 'library Colours {}' } },
  compilation: {
    language: 'Solidity',
    compiler: 'solc',
    compilerVersion: '0.8.7+commit.e28d00a7',
    compilerSettings: { optimizer: { enabled: true, runs: 999 }, evmVersion: 'london' },
    name: 'Painting',
    fullyQualifiedName: 'src/Painting.sol:Painting',
  },
  runtimeBytecode: { onchainBytecode: PAINT },
  ...change,
})

const LAMP = 'contract Lamp { event Lit(uint256 time); function light(uint256 time) external { emit Lit(time); } }'
const lamp = standardInput({ 'Lamp.sol': LAMP })

async function deployLamp({ request, accounts }: RunningNode): Promise<Hex> {
  const { bytecode } = compile(lamp)('Lamp.sol:Lamp')
  const creation = { from: accounts[0]?.address, data: bytecode, gas: '0x2dc6c0' }
  const sent = await request<Hex>('eth_sendTransaction', [creation])
  return (await request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [sent])).contractAddress
}

/** Compiles the lamp on a node and compares it with the code at an address. */
async function verify(node: RunningNode, address: string): Promise<void> {
  const body = { stdJsonInput: lamp, compilerVersion: compilerVersion(), contractIdentifier: 'Lamp.sol:Lamp' }
  const headers = { 'content-type': 'application/json' }
  const at = `${node.url}/sourcify/v2/verify`
  const begun = await fetch(`${at}/${CHAIN}/${address}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const { verificationId } = (await begun.json()) as { verificationId: string }
  await expect
    .poll(async () => (await fetch(`${at}/${verificationId}`)).json(), { timeout: 60_000 })
    .toMatchObject({ isJobCompleted: true, contract: { match: 'exact_match' } })
}

const forkWith = (forkSources: string, options: StartOptions = {}): Promise<RunningNode> =>
  forkOf(forked.proxy, { forkSources, ...options })
const accountOf = (node: RunningNode) => node.accounts[0]?.address as Hex
const paint = (node: RunningNode, to: string, colour: bigint) =>
  node.request<Hex>('eth_sendTransaction', [
    {
      from: accountOf(node),
      to,
      gas: '0x186a0',
      data: encodeFunctionData({ abi: paintAbi, functionName: 'paint', args: [colour] }),
    },
  ])
const sourcesOf = (node: RunningNode, address: string) => api(node.url).read(`/smart-contracts/${address}`)

describe('sources from a Sourcify', () => {
  it('are shown as verified there, and decode calls and logs', async () => {
    const sourcify = await serverOf('/server', { [PAINTING]: verified() })
    await using fork = await forkWith(sourcify.url)
    const sent = await paint(fork, PAINTING, 7n)
    const { read } = api(fork.url)
    expect(await read(`/transactions/${sent}`)).toMatchObject({
      method: 'paint',
      decoded_input: { method_call: 'paint(uint256 colour)', parameters: [{ name: 'colour', value: '7' }] },
      to: { name: 'Painting', is_verified: true },
    })
    const { items } = await read(`/transactions/${sent}/logs`)
    expect(items).toMatchObject([{ decoded: { method_call: 'Painted(uint256 colour)' } }])
    expect(await sourcesOf(fork, PAINTING)).toMatchObject({
      is_verified: true,
      is_fully_verified: true,
      verified_by: sourcify.name,
      is_verified_via_sourcify: false,
      sourcify_repo_url: null,
      name: 'Painting',
      abi: paintAbi,
      language: 'solidity',
      compiler_version: 'v0.8.7+commit.e28d00a7',
      optimization_enabled: true,
      optimization_runs: 999,
      evm_version: 'london',
      verified_at: '2024-07-24T12:00:00.000000Z',
      file_path: 'src/Painting.sol',
      source_code: SOURCE,
      additional_sources: [{ file_path: 'src/Colours.sol', source_code: 'library Colours {}' }],
    })
    expect(await read(`/addresses/${PAINTING}`)).toMatchObject({ name: 'Painting', verified_by: sourcify.name })
    const etherscan = await fetch(`${fork.url}/api?module=contract&action=getabi&address=${PAINTING}`)
    expect(JSON.parse(((await etherscan.json()) as { result: string }).result)).toEqual(paintAbi)
    const fields = encodeURIComponent('abi,sources,compilation,runtimeBytecode.onchainBytecode')
    expect(sourcify.asked).toEqual([`/server/v2/contract/4242/${getAddress(PAINTING)}?fields=${fields}`])
    // It was not compiled here, so this node's own Sourcify does not vouch for it.
    expect((await fetch(`${fork.url}/sourcify/v2/contract/${CHAIN}/${PAINTING}`)).status).toBe(404)
  })

  it('are there after a restart without the server', async () => {
    const { path: datadir, remove } = await temporaryFolder()
    onTestFinished(remove)
    const sourcify = await serverOf('/server/', { [PAINTING]: verified() })
    const first = await forkWith(sourcify.url, { datadir })
    expect((await sourcesOf(first, PAINTING)).name).toBe('Painting')
    await first.stop()
    sourcify.close()
    for (const options of [{}, { forkSources: sourcify.url }]) {
      await using again = await forkOf(forked.proxy, { datadir, forkUrl: [], ...options })
      expect(await sourcesOf(again, PAINTING)).toMatchObject({ name: 'Painting', verified_by: sourcify.name })
    }
  })

  it('of the implementation decode calls of a proxy', async () => {
    const sourcify = await serverOf('/server', { [PAINTING]: verified() })
    await using fork = await forkWith(sourcify.url)
    const { read } = api(fork.url)
    const sent = await paint(fork, PROXY, 5n)
    expect((await read(`/transactions/${sent}`)).decoded_input.method_call).toBe('paint(uint256 colour)')
    const { items } = await read(`/transactions/${sent}/logs`)
    expect(items[0].decoded.parameters[0].value).toBe('5')
    expect(await sourcesOf(fork, PROXY)).toMatchObject({
      is_verified: false,
      implementations: [{ address_hash: getAddress(PAINTING), name: 'Painting' }],
    })
  })

  it('are looked up once, and only for code of the forked chain', async () => {
    const sourcify = await serverOf('/server', {})
    await using fork = await forkWith(sourcify.url)
    // Code of this chain, where the forked chain has other code or none.
    await fork.request('anvil_setCode', [OTHER, PAINT])
    const here = '0x000000000000000000000000000000000000ab05'
    await fork.request('anvil_setCode', [here, PAINT])
    const { read } = api(fork.url)
    for (const address of [OTHER, here, DELEGATING, accountOf(fork)]) await read(`/addresses/${address}`)
    for (let i = 0; i < 3; i++) expect((await sourcesOf(fork, PAINTING)).is_verified).toBe(false)
    expect(sourcify.asked).toHaveLength(1)
    expect(sourcify.asked[0]).toContain(getAddress(PAINTING))
  })

  it('have ABIs in all forms that compilers write', async () => {
    const tuple = {
      type: 'tuple[3][]',
      name: 'orders',
      components: [{ type: 'uint8[2][2]', name: 'x' }, { type: 'bytes32' }],
    }
    const abi = [
      { type: 'constructor', inputs: [], payable: false },
      { type: 'fallback', stateMutability: 'payable' },
      // Before 0.5, from Vyper, and of a library.
      {
        type: 'function',
        name: 'a',
        inputs: [],
        outputs: [{ type: 'uint256', name: '' }],
        constant: true,
        payable: false,
      },
      { type: 'function', name: 'b', inputs: [tuple], outputs: [], stateMutability: 'nonpayable' },
      {
        type: 'function',
        name: 'c',
        inputs: [{ type: 'Lib.Data storage', name: 'self' }],
        outputs: [],
        stateMutability: 'view',
      },
      { type: 'error', name: '$Wrong_1', inputs: [{ type: 'address', name: 'who', internalType: 'contract IERC20' }] },
      { type: 'event', name: 'E', inputs: [{ type: 'address', name: 'who', indexed: true }], anonymous: true },
    ]
    const sourcify = await serverOf('/server', { [PAINTING]: verified(abi) })
    await using fork = await forkWith(sourcify.url)
    expect((await sourcesOf(fork, PAINTING)).abi).toEqual(abi)
  })

  it('of former code are not shown', async () => {
    const sourcify = await serverOf('/server', {
      [PAINTING]: verified(paintAbi, { runtimeBytecode: { onchainBytecode: '0x6001' } }),
      [OTHER]: verified(paintAbi, { runtimeBytecode: { onchainBytecode: '0x6001600155' } }),
    })
    await using fork = await forkWith(sourcify.url)
    expect((await sourcesOf(fork, PAINTING)).name).toBeNull()
    expect((await sourcesOf(fork, OTHER)).name).toBe('Painting')
    await fork.request('anvil_setCode', [OTHER, PAINT])
    expect((await sourcesOf(fork, OTHER)).name).toBeNull()
  })

  it('give way to a verification on this node', { timeout: 120_000 }, async () => {
    // The chain that is forked verifies it, and plays the Sourcify for the fork.
    const { origin } = forked
    const address = await deployLamp(origin)
    await verify(origin, address)
    await using fork = await forkWith(`${origin.url}/sourcify`)
    const before = await sourcesOf(fork, address)
    expect(before).toMatchObject({ name: 'Lamp', verified_by: origin.url, source_code: LAMP, is_fully_verified: true })
    await verify(fork, address)
    const { verified_by, verified_at, ...after } = await sourcesOf(fork, address)
    expect(verified_by).toBeNull()
    expect(before).toMatchObject({ ...after, is_verified_via_sourcify: false, sourcify_repo_url: null })
  })
})

it('a contract of the forked chain is verified before anything of it was read', { timeout: 120_000 }, async () => {
  const address = await deployLamp(forked.origin)
  await using fork = await forkOf(forked.proxy)
  await verify(fork, address)
  expect(await sourcesOf(fork, address)).toMatchObject({ name: 'Lamp', verified_by: null })
})

describe.skipIf(CHROMIUM === undefined)('the pages of a fork (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  it('say who has verified a contract, and show its sources as text', async () => {
    const sourcify = await serverOf('/server', { [PAINTING]: verified() })
    const fork = await forkWith(sourcify.url)
    onTestFinished(() => fork.stop())
    const page = await openPage(browser, `${fork.url}/address/${PAINTING}?tab=contract`)
    await page.getByText(`by ${sourcify.name}, on the chain that was forked; not compiled here`).waitFor()
    await page.getByText(`verified by ${sourcify.name}, not here`).waitFor()
    // A script would be a fault by the policy of the page.
    await page.getByText('<script>alert(1)</script>').waitFor()
    await expectSound(page)
  })
})

describe('sources from an Etherscan', () => {
  const contract = (change: object = {}) => ({
    status: '1',
    message: 'OK',
    result: [
      {
        SourceCode: SOURCE,
        ABI: JSON.stringify(paintAbi),
        ContractName: 'Painting',
        CompilerVersion: 'v0.8.7+commit.e28d00a7',
        CompilerType: 'solc',
        OptimizationUsed: '1',
        Runs: '999',
        ConstructorArguments: '',
        EVMVersion: 'Default',
        Library: `Colours:${OTHER.slice(2)}`,
        ContractFileName: '',
        LicenseType: 'MIT',
        Proxy: '0',
        Implementation: '',
        SwarmSource: '',
        SimilarMatch: '',
        ...change,
      },
    ],
  })
  const input = {
    language: 'Solidity',
    sources: { 'a/Painting.sol': { content: SOURCE }, 'b/Colours.sol': { content: 'library Colours {}' } },
    settings: { optimizer: { enabled: true, runs: 5 }, evmVersion: 'paris' },
  }

  it.each<[string, object, object]>([
    ['of one file', {}, { file_path: 'Painting.sol', optimization_runs: 999, evm_version: 'default' }],
    [
      'as the input of the compiler',
      { SourceCode: `{${JSON.stringify(input)}}`, ContractFileName: 'a/Painting.sol' },
      { file_path: 'a/Painting.sol', optimization_runs: 5, evm_version: 'paris' },
    ],
    [
      'of several files',
      { SourceCode: JSON.stringify(input.sources), EVMVersion: 'london' },
      { file_path: 'a/Painting.sol', evm_version: 'london' },
    ],
    [
      'in Vyper',
      { SourceCode: '# @version 0.3.1', CompilerVersion: 'vyper:0.3.1', OptimizationUsed: '0' },
      { file_path: 'Painting.vy', language: 'vyper', compiler_version: 'v0.3.1', source_code: '# @version 0.3.1' },
    ],
  ])('%s are shown', async (_, change, shown) => {
    const etherscan = await serverOf('/v2/api?apikey=SECRETKEY', { [PAINTING]: contract(change) })
    await using fork = await forkWith(etherscan.url)
    const found = await sourcesOf(fork, PAINTING)
    expect(found).toMatchObject({
      source_code: SOURCE,
      name: 'Painting',
      verified_by: etherscan.name,
      verified_at: null,
      is_partially_verified: true,
      license_type: 'mit',
      external_libraries: [{ name: 'Colours', address_hash: getAddress(OTHER) }],
      abi: paintAbi,
      ...shown,
    })
    expect(JSON.stringify(found)).not.toContain('SECRETKEY')
    const query = `apikey=SECRETKEY&chainid=4242&module=contract&action=getsourcecode&address=${PAINTING}`
    expect(etherscan.asked).toEqual([`/v2/api?${query}`])
  })

  it('that are not verified are asked for once', async () => {
    const none = { SourceCode: '', ABI: 'Contract source code not verified', ContractName: '' }
    const etherscan = await serverOf('/api', { [PAINTING]: contract(none) })
    await using fork = await forkWith(etherscan.url)
    for (let i = 0; i < 3; i++) expect((await sourcesOf(fork, PAINTING)).name).toBeNull()
    expect(etherscan.asked).toHaveLength(1)
  })

  it('are not asked for during a pause after a refusal', async () => {
    const limit = { status: '0', message: 'NOTOK', result: 'Max calls per sec rate limit reached (3/sec)' }
    const etherscan = await serverOf('/api', { address: limit })
    await using fork = await forkWith(etherscan.url)
    for (const address of [PAINTING, OTHER, PAINTING]) expect((await sourcesOf(fork, address)).name).toBeNull()
    expect(etherscan.asked).toHaveLength(1)
  })
})

describe('a hostile server of sources', () => {
  const parameter = { name: 'x', type: 'tuple', components: [] }
  const deep = (levels: number): object =>
    levels === 0 ? { type: 'uint8' } : { type: 'tuple', components: [deep(levels - 1)] }
  const withInput = (input: object) => verified([{ type: 'function', name: 'paint', inputs: [input] }])

  it.each<[string, Reply]>([
    ['too much', (response) => response.setHeader('content-type', 'application/json').end(Buffer.alloc(9 << 20, '['))],
    ['a page', (response) => response.setHeader('content-type', 'text/html').end('<html>')],
    ['text', (response) => response.setHeader('content-type', 'text/plain').end('zebra')],
    ['null', (response) => json(response, null)],
    ['a list', [1]],
    ['other types', verified('abi')],
    ['sources without texts', verified(paintAbi, { sources: { a: { urls: ['http://a.example'] } } })],
    ['no language', verified(paintAbi, { compilation: { ...verified().compilation, language: 'Zebra' } })],
    ['a name of nothing visible', verified(paintAbi, { compilation: { ...verified().compilation, name: '\u200b' } })],
    ['markup for a name', verified([{ type: 'function', name: '<b>', inputs: [] }])],
    ['parameters without a type', withInput({ name: 'x' })],
    ['empty tuples', withInput({ ...parameter, type: 'tuple[99][99][99][99]' })],
    ['arrays of nothing', withInput({ type: 'uint8[0][99][99][99][99]' })],
    ['many dimensions', withInput({ type: `uint8${'[]'.repeat(100)}` })],
    ['many levels', withInput(deep(500))],
    ['gzip', (response) => json(response.setHeader('content-encoding', 'gzip'), verified())],
  ])('answers %s, and the contract is shown without sources', async (_, reply) => {
    const server = await serverOf('/server', {
      [PAINTING]: reply,
      [OTHER]: verified(paintAbi, { runtimeBytecode: null }),
    })
    await using fork = await forkWith(server.url)
    for (let i = 0; i < 2; i++)
      expect(await sourcesOf(fork, PAINTING)).toMatchObject({ is_verified: false, name: null, abi: null })
    const sent = await paint(fork, PAINTING, 1n)
    expect((await api(fork.url).read(`/transactions/${sent}`)).status).toBe('ok')
    expect(server.asked).toHaveLength(1)
    // It tells of one contract only.
    expect((await sourcesOf(fork, OTHER)).name).toBe('Painting')
  })

  it('does not lead to a private address', async () => {
    const target = await serverOf('/server', { [PAINTING]: verified() })
    const server = await serverOf('/server', {
      [PAINTING]: (response) => response.writeHead(302, { location: `${target.url}/${PAINTING}` }).end(),
    })
    await using fork = await forkWith(server.url)
    expect((await sourcesOf(fork, PAINTING)).name).toBeNull()
    expect([server.asked.length, target.asked.length]).toEqual([1, 0])
  })

  it('that is slow does not hold a page, whose sources come later', async () => {
    const waiting: ServerResponse[] = []
    const server = await serverOf('/server', { [PAINTING]: (response) => waiting.push(response) })
    await using fork = await forkWith(server.url)
    expect((await sourcesOf(fork, PAINTING)).name).toBeNull()
    for (const response of waiting) json(response, verified())
    await expect.poll(async () => (await sourcesOf(fork, PAINTING)).name).toBe('Painting')
    expect(server.asked).toHaveLength(1)
  })

  it.each<[string, Reply]>([
    ['fails', (response) => json(response, {}, 500)],
    ['limits the rate', (response) => json(response, {}, 429)],
    ['closes the connection', (response) => response.destroy()],
  ])('that %s is left alone for a while', async (_, reply) => {
    const server = await serverOf('/server', { '/v2/': reply })
    await using fork = await forkWith(server.url)
    for (const address of MANY) expect((await sourcesOf(fork, address)).name).toBeNull()
    expect(server.asked).toHaveLength(1)
    expect(await fork.request('eth_chainId')).toBe(toHex(CHAIN))
  })
})

describe('the option', () => {
  it('is refused where there is no fork', async () => {
    await expect(startNode({ forkSources: 'http://127.0.0.1:9/' })).rejects.toThrow(
      '--fork-sources: only with --fork-url',
    )
  })

  it.each(['ftp://sources.example/', 'http://user:SECRET@sources.example/', 'SECRET'])(
    'does not take %s, and does not show it',
    async (forkSources) => {
      const started = forkWith(forkSources)
      await expect(started).rejects.toThrow('--fork-sources: expected an http(s) URL without a user name')
      await expect(started).rejects.not.toThrow(/SECRET|sources\.example/)
    },
  )

  it('left out, nothing is looked up', async () => {
    await using fork = await forkOf(forked.proxy)
    expect(await sourcesOf(fork, PAINTING)).toMatchObject({ is_verified: false, verified_by: null })
  })
})
