// Sourcify's API by its documentation (docs.sourcify.dev), with the requests of Foundry and Hardhat.
import { createRequire } from 'node:module'
import { AbiCoder } from 'ethers'
import { type Abi, type Hex, keccak256, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compile, compilerVersion, type Input, standardInput, verifyingExplorer } from './support.ts'

const CHAIN = 125
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const EMPTY = `0x${'de'.repeat(20)}`

let explorer: Awaited<ReturnType<typeof verifyingExplorer>>
beforeAll(async () => {
  explorer = await verifyingExplorer()
}, 60_000)
afterAll(() => explorer.close())

const PATH = 'src/Lamp.sol'
const lamp = (comment = 'A lamp.') => `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
// ${comment}
contract Lamp {
  uint256 public immutable watts;
  event Lit(uint256 hours_);
  error Broken();
  constructor(uint256 watts_) { watts = watts_; }
  function light(uint256 hours_) external { emit Lit(hours_); }
}`
const input = (comment?: string) => standardInput({ [PATH]: lamp(comment) })
const deploy = (of: Input = input()) => explorer.deploy(compile(of)(`${PATH}:Lamp`), [60n])

type Answer = { readonly status: number; readonly body: Record<string, unknown>; readonly type: string | null }

async function ask(path: string, body?: unknown): Promise<Answer> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(`${explorer.explorerUrl}/sourcify${path}`, body === undefined ? {} : init)
  const read = (await response.json()) as Record<string, unknown>
  return { status: response.status, body: read, type: response.headers.get('content-type') }
}

const request = (stdJsonInput: Input, more: object = {}) => ({
  stdJsonInput,
  compilerVersion: compilerVersion().slice(1),
  contractIdentifier: `${PATH}:Lamp`,
  ...more,
})

/** Milliseconds of the long poll for a job. */
const LONG_POLL = 10_000

/** Submits, and polls the job until it is completed; each further poll must follow a full long poll. */
async function verified(address: string, body: object, way = ''): Promise<Answer> {
  const { status, body: begun } = await ask(`/v2/verify/${way}${CHAIN}/${address}`, body)
  expect({ status, begun }).toEqual({ status: 202, begun: { verificationId: expect.stringMatching(UUID) } })
  const since = Date.now()
  for (let polls = 1; ; polls++) {
    const job = await ask(`/v2/verify/${String(begun.verificationId)}`)
    expect(polls).toBeLessThanOrEqual(1 + Math.floor((Date.now() - since) / LONG_POLL))
    if (job.body.isJobCompleted === true) return job
  }
}

const exact = { match: 'exact_match', creationMatch: 'exact_match', runtimeMatch: 'exact_match' }
const partial = { match: 'match', creationMatch: 'match', runtimeMatch: 'match' }
const none = { match: null, creationMatch: null, runtimeMatch: null }
const error = (customCode: string) => ({
  customCode,
  errorId: expect.stringMatching(UUID),
  message: expect.any(String),
})

// Each test runs a compiler several times.
const SLOW = { timeout: 120_000 }

describe('verification by the Sourcify API', SLOW, () => {
  it('accepts standard JSON, and the first poll of the job returns its outcome', async () => {
    const { address, hash } = await deploy()
    const job = await verified(address, request(input(), { creationTransactionHash: hash }))
    expect(job).toMatchObject({
      status: 200,
      body: { isJobCompleted: true, contract: { ...exact, chainId: `${CHAIN}`, address, matchId: expect.any(String) } },
    })
    expect(job.body.error).toBeUndefined()
    expect(await explorer.contract(address)).toMatchObject({
      is_verified: true,
      is_fully_verified: true,
      is_verified_via_sourcify: true,
      sourcify_repo_url: `${explorer.explorerUrl}/sourcify/repository/contracts/full_match/${CHAIN}/${address}/`,
    })
    expect(await ask(`/v2/verify/${CHAIN}/${address}`, request(input()))).toMatchObject({
      status: 409,
      body: error('already_verified'),
    })
  })

  it('distinguishes a partial match from an exact one', async () => {
    const { address } = await deploy()
    const job = await verified(address, request(input('Another lamp.')))
    expect(job.body).toMatchObject({ isJobCompleted: true, contract: partial })
    expect((await verified(address, request(input()))).body).toMatchObject({ contract: exact })
  })

  it('accepts metadata with sources under other names', async () => {
    const { address } = await deploy()
    const metadata = JSON.parse(metadataOf(input()))
    const job = await verified(address, { metadata, sources: { 'Lamp.sol': lamp() } }, 'metadata/')
    expect(job.body).toMatchObject({ contract: exact })
    const missing = await ask(`/v2/verify/metadata/${CHAIN}/${EMPTY}`, { metadata, sources: { 'Lamp.sol': 'x' } })
    expect(missing).toMatchObject({ status: 400, body: error('invalid_parameter') })
  })

  it('finds similar contracts', async () => {
    const first = await deploy(input('Similar.'))
    const second = await deploy(input('Similar.'))
    await verified(first.address, request(input('Similar.')))
    expect((await verified(second.address, {}, 'similarity/')).body).toMatchObject({ contract: exact })
    expect((await verified(EMPTY, {}, 'similarity/')).body).toMatchObject({ error: error('no_similar_match_found') })
  })

  it.each([
    ['other sources', () => request(standardInput({ [PATH]: lamp().replace('Lit(hours_)', 'Lit(1)') })), 'no_match'],
    ['sources that do not compile', () => request(standardInput({ [PATH]: 'contract {' })), 'compiler_error'],
    [
      'an unknown contract',
      () => request(input(), { contractIdentifier: 'a:B' }),
      'contract_not_found_in_compiler_output',
    ],
    [
      'an unknown compiler',
      () => request(input(), { compilerVersion: '0.8.1+commit.df193b15' }),
      'invalid_compiler_version',
    ],
  ])('fails for %s', async (_, body, code) => {
    const { address } = await deploy()
    const job = await verified(address, body())
    expect(job).toMatchObject({ status: 200, body: { isJobCompleted: true, contract: none, error: error(code) } })
  })

  it('fails if the address has no contract', async () => {
    expect((await verified(EMPTY, request(input()))).body).toMatchObject({ error: error('contract_not_deployed') })
  })

  it('refuses malformed requests', async () => {
    const at = `/v2/verify/${CHAIN}/${EMPTY}`
    const bad = { status: 400, body: error('invalid_parameter') }
    expect(await ask(`/v2/verify/1/${EMPTY}`, request(input()))).toMatchObject({ body: error('unsupported_chain') })
    expect(await ask(`/v2/verify/${CHAIN}/0x12`, request(input()))).toMatchObject(bad)
    expect(await ask(at, {})).toMatchObject(bad)
    expect(await ask(at, request(input(), { contractIdentifier: 'Lamp' }))).toMatchObject(bad)
    expect(await ask('/v2/verify/00000000-0000-0000-0000-000000000000')).toMatchObject({
      status: 404,
      body: error('job_not_found'),
    })
    expect(await ask('/v2/unknown')).toMatchObject({ status: 404, body: error('route_not_found') })
    const headers = { 'content-type': 'application/json' }
    const broken = await fetch(`${explorer.explorerUrl}/sourcify${at}`, { method: 'POST', headers, body: '{' })
    expect(await broken.json()).toMatchObject(error('invalid_json'))
  })

  it('also answers the paths that Foundry requests if the configured URL has no trailing slash', async () => {
    const response = await fetch(`${explorer.explorerUrl}/sourcifyv2/contract/${CHAIN}/${EMPTY}`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject(none)
  })
})

describe('lookup by the Sourcify API', SLOW, () => {
  it('returns the match, and the selected fields', async () => {
    const { address, hash } = await deploy(input('Looked up.'))
    const at = `/v2/contract/${CHAIN}/${address}`
    expect(await ask(at)).toMatchObject({ status: 404, body: { ...none, address } })
    await verified(address, request(input('Looked up.')))
    const { body } = await ask(at)
    expect(body).toEqual({
      ...exact,
      chainId: `${CHAIN}`,
      address,
      verifiedAt: expect.stringMatching(/Z$/),
      matchId: expect.stringMatching(/^\d+$/),
    })
    const chosen = await ask(`${at}?fields=abi,compilation.name,deployment,signatures.error`)
    expect(chosen.body).toEqual({
      ...body,
      abi: compile(input())(`${PATH}:Lamp`).abi,
      compilation: { name: 'Lamp' },
      deployment: {
        transactionHash: hash,
        blockNumber: expect.stringMatching(/^\d+$/),
        transactionIndex: '0',
        deployer: explorer.walletOf(0).account.address,
      },
      signatures: { error: [signature('Broken()')] },
    })
    const left = await ask(`${at}?omit=creationBytecode,runtimeBytecode,stdJsonInput,stdJsonOutput,compilation.name`)
    expect(Object.keys(left.body)).toEqual(expect.arrayContaining(['metadata', 'storageLayout', 'sources', 'userdoc']))
    expect(left.body).not.toHaveProperty('runtimeBytecode')
    expect(left.body.compilation).toMatchObject({ compiler: 'solc', fullyQualifiedName: `${PATH}:Lamp` })
    expect(left.body.compilation).not.toHaveProperty('name')
    expect(await ask(`${at}?fields=abi,nothing`)).toMatchObject({ status: 400, body: error('invalid_parameter') })
    expect(await ask(`${at}?fields=abi&omit=abi`)).toMatchObject({ status: 400 })
  })

  it('returns the transformations from the compiled code to the code on the chain', async () => {
    const { address } = await deploy(input('Differs.'))
    await verified(address, request(input('Is different.')))
    const { body } = await ask(`/v2/contract/${CHAIN}/${address}?fields=creationBytecode,runtimeBytecode,metadata`)
    const runtime = body.runtimeBytecode as Bytecode
    const creation = body.creationBytecode as Bytecode
    expect(runtime.onchainBytecode).toBe(await explorer.rpc('eth_getCode', address, 'latest'))
    expect(applied(runtime)).toBe(runtime.onchainBytecode)
    expect(applied(creation)).toBe(creation.onchainBytecode)
    expect(runtime.transformations.map(({ reason }) => reason).sort()).toEqual(['cborAuxdata', 'immutable'])
    expect(creation.transformationValues.constructorArguments).toBe(new AbiCoder().encode(['uint256'], [60n]))
    expect(body.metadata).toEqual(JSON.parse(metadataOf(input('Is different.'))))
  })

  it('lists contracts, newest first', async () => {
    const { body } = await ask(`/v2/contracts/${CHAIN}?limit=2`)
    const ids = (body.results as { matchId: string }[]).map(({ matchId }) => Number(matchId))
    expect(ids).toHaveLength(2)
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
    const next = await ask(`/v2/contracts/${CHAIN}?limit=1&afterMatchId=${ids[1]}`)
    expect(Number((next.body.results as { matchId: string }[])[0]?.matchId)).toBeLessThan(ids[1] ?? 0)
    const oldest = await ask(`/v2/contracts/${CHAIN}?sort=asc&limit=1`)
    expect(oldest.body.results).toMatchObject([{ matchId: '1' }])
    expect(await ask(`/v2/contracts/${CHAIN}?limit=0`)).toMatchObject({ status: 400 })
    expect(await ask(`/v2/contract/all-chains/${EMPTY}`)).toMatchObject({ status: 404, body: { results: [] } })
  })
})

describe("version 1 of Sourcify's API", SLOW, () => {
  const submit = (address: string, files: Record<string, string>, more: object = {}) =>
    ask('', { address, chain: `${CHAIN}`, files, ...more })

  it('verifies by metadata and sources, and waits for the outcome', async () => {
    const { address } = await deploy(input('Old.'))
    const checked = `/check-all-by-addresses?addresses=${address}&chainIds=${CHAIN}`
    expect((await ask(checked)).body).toEqual([{ address, status: 'false' }])
    const files = { 'metadata.json': metadataOf(input('Old.')), [PATH]: lamp('Old.') }
    expect(await submit(address, files)).toMatchObject({
      status: 200,
      body: { result: [{ address, chainId: `${CHAIN}`, status: 'perfect' }] },
    })
    expect((await ask(checked)).body).toEqual([{ address, chainIds: [{ chainId: `${CHAIN}`, status: 'perfect' }] }])
    expect((await ask(checked.replace('check-all', 'check'))).body).toEqual([
      { address, status: 'perfect', chainIds: [`${CHAIN}`] },
    ])
  })

  it('reports a partial match, and refuses others with a reason', async () => {
    const { address } = await deploy(input('Partial.'))
    const files = { 'metadata.json': metadataOf(input('Is other.')), [PATH]: lamp('Is other.') }
    expect((await submit(address, files)).body).toMatchObject({ result: [{ status: 'partial' }] })
    const refused = await submit(address, { [PATH]: lamp() })
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(/[Mm]etadata/) } })
    const other = { 'metadata.json': metadataOf(input()), [PATH]: 'contract Other {}' }
    expect(await submit(address, other)).toMatchObject({ status: 400, body: { error: expect.stringContaining(PATH) } })
    expect(await submit(address, files, { chain: '1' })).toMatchObject({ status: 400 })
    expect(await submit(address, {})).toMatchObject({ status: 404 })
  })

  it('accepts a form with files, and standard JSON', async () => {
    const { address } = await deploy(input('Form.'))
    const form = new FormData()
    form.set('address', address)
    form.set('chain', `${CHAIN}`)
    form.append('files', new Blob([metadataOf(input('Form.'))]), 'metadata.json')
    form.append('files', new Blob([lamp('Form.')]), 'Lamp.sol')
    const sent = await fetch(`${explorer.explorerUrl}/sourcify/verify`, { method: 'POST', body: form })
    expect(await sent.json()).toMatchObject({ result: [{ status: 'perfect' }] })

    const other = await deploy(input('Standard.'))
    const more = { compilerVersion: compilerVersion(), contractName: 'Lamp' }
    const files = { 'input.json': JSON.stringify(input('Standard.')) }
    const body = { address: other.address, chain: CHAIN, files, ...more }
    expect((await ask('/verify/solc-json', body)).body).toMatchObject({ result: [{ status: 'perfect' }] })
  })

  it('returns the files of verified contracts', async () => {
    const { address } = await deploy(input('Files.'))
    await verified(address, request(input('Files.')))
    const folder = `/repository/contracts/full_match/${CHAIN}/${address}`
    const metadata = await fetch(`${explorer.explorerUrl}/sourcify${folder}/metadata.json`)
    // Its hash is in the code, so every byte must be equal.
    expect(await metadata.text()).toBe(metadataOf(input('Files.')))
    const source = await fetch(`${explorer.explorerUrl}/sourcify${folder}/sources/${PATH}`)
    expect(source.headers.get('content-type')).toContain('text/plain')
    expect(await source.text()).toBe(lamp('Files.'))
    expect(await ask(folder.replace('full', 'partial').concat('/metadata.json'))).toMatchObject({ status: 404 })
    expect(await ask(`${folder}/sources/../../../../../../etc/passwd`)).toMatchObject({ status: 404 })
    const { body } = await ask(`/files/any/${CHAIN}/${address}`)
    expect(body).toMatchObject({ status: 'full' })
    const paths = (body.files as { path: string }[]).map(({ path }) => path.replace(`${folder}/`, ''))
    expect(paths).toEqual(['metadata.json', `sources/${PATH}`, 'creator-tx-hash.txt', 'constructor-args.txt'])
    expect((await ask(`/files/tree/${CHAIN}/${address}`)).body).toHaveLength(4)
    expect((await ask(`/files/contracts/${CHAIN}`)).body.full).toContain(address)
    expect(await ask(`/files/any/${CHAIN}/${EMPTY}`)).toMatchObject({ status: 404 })
    const page = await fetch(`${explorer.explorerUrl}/sourcify${folder}/`, { redirect: 'manual' })
    expect(page.headers.get('location')).toBe(`/address/${address}?tab=contract`)
  })
})

type Bytecode = {
  readonly onchainBytecode: Hex
  readonly recompiledBytecode: Hex
  readonly transformations: readonly { id?: string; type: string; offset: number; reason: string }[]
  readonly transformationValues: Record<string, unknown>
}

/** The compiled code after its transformations, applied as in Sourcify's documentation. */
function applied({ recompiledBytecode, transformations, transformationValues }: Bytecode): string {
  const names: Record<string, string> = { library: 'libraries', immutable: 'immutables', cborAuxdata: 'cborAuxdata' }
  let digits = recompiledBytecode.slice(2)
  for (const { id = '', type, offset, reason } of transformations) {
    const values = transformationValues[names[reason] ?? reason]
    const value = (typeof values === 'string' ? values : (values as Record<string, string>)[id])?.slice(2) ?? ''
    const behind = type === 'insert' ? 2 * offset : 2 * offset + value.length
    digits = digits.slice(0, 2 * offset) + value + digits.slice(behind)
  }
  return `0x${digits}`
}

function signature(text: string) {
  const hash = keccak256(toHex(text))
  return { signature: text, signatureHash32: hash, signatureHash4: hash.slice(0, 10) }
}

/** The metadata that the compiler writes, without the node. */
function metadataOf(of: Input): string {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const settings = { ...of.settings, outputSelection: { '*': { '*': ['metadata'] } } }
  const output = JSON.parse(solc.compile(JSON.stringify({ ...of, settings }))) as {
    contracts: Record<string, Record<string, { metadata: string; abi: Abi }>>
  }
  return output.contracts[PATH]?.Lamp?.metadata ?? ''
}
