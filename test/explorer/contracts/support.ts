// A node whose explorer verifies contracts, and contracts compiled independently of it.
import { createRequire } from 'node:module'
import fastify from 'fastify'
import { type Abi, getAddress, type Hex } from 'viem'
import type { CompilerPlaces } from '../../../src/explorer/contracts/compilers.ts'
import { Verification } from '../../../src/explorer/contracts/verification.ts'
import { etherscanApi } from '../../../src/explorer/etherscan/plugin.ts'
import { Explorer } from '../../../src/explorer/explorer.ts'
import { defaultExplorerOptions } from '../../../src/explorer/options.ts'
import { explorerPlugin } from '../../../src/explorer/plugin.ts'
import { sourcifyApi } from '../../../src/explorer/sourcify/plugin.ts'
import { acceptForms } from '../../../src/explorer/uploads.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { WorkQueue } from '../../../src/lib/work-queue.ts'
import { startNode } from '../../../src/node.ts'
import { nodeOptions, withClients } from '../../support/chain.ts'
import { expectSchema } from '../support.ts'

const require = createRequire(import.meta.url)
type Solc = { version(): string; compile(input: string): string }
let loaded: Solc | undefined
const solc = (): Solc => {
  loaded ??= require('solc') as Solc
  return loaded
}

/** `v0.8.37+commit.f401782d` */
export const compilerVersion = (): string => `v${solc().version().replace('.Emscripten.clang', '')}`

export type Input = {
  readonly language: string
  readonly sources: Record<string, { content: string }>
  readonly settings: Record<string, unknown>
}

export const standardInput = (sources: Record<string, string>, settings: Record<string, unknown> = {}): Input => ({
  language: 'Solidity',
  sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
  settings: { optimizer: { enabled: true, runs: 200 }, ...settings },
})

type Artifact = { readonly abi: Abi; readonly bytecode: Hex }

const compiled = new Map<string, (name: string) => Artifact>()

/** Contracts by `path:Name`, compiled independently of the node; each input only once. */
export function compile(input: Input): (name: string) => Artifact {
  const key = JSON.stringify(input)
  const found = compiled.get(key) ?? compiledNow(input)
  compiled.set(key, found)
  return found
}

function compiledNow(input: Input): (name: string) => Artifact {
  const wanted = { '*': { '*': ['abi', 'evm.bytecode.object'] } }
  const text = solc().compile(JSON.stringify({ ...input, settings: { ...input.settings, outputSelection: wanted } }))
  const output = JSON.parse(text) as {
    errors?: { severity: string; formattedMessage: string }[]
    contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
  }
  for (const { severity, formattedMessage } of output.errors ?? []) {
    if (severity === 'error') throw new Error(formattedMessage)
  }
  return (name) => {
    const [path = '', contract = ''] = name.split(':')
    const found = output.contracts[path]?.[contract]
    if (found === undefined) throw new Error(`no contract ${name}`)
    return { abi: found.abi, bytecode: `0x${found.evm.bytecode.object}` }
  }
}

const PREFIX = '/api/v2'
type Push = { readonly topic: string; readonly event: string; readonly payload: unknown }

/** A chain with an explorer, which the caller closes; `pushed` collects the live updates. */
export async function verifyingExplorer(compilers: CompilerPlaces = { folders: [] }) {
  const clients = withClients(await startNode(nodeOptions()))
  const { chain } = clients.node
  const log = createLogger({ level: 'error', json: false })
  const pushed: Push[] = []
  const hub = { push: (topic: string, event: string, payload: unknown) => pushed.push({ topic, event, payload }) }
  const verification = await Verification.open({ chain, hub, compilers, compileTime: 60_000, log })
  const explorer = new Explorer({
    chain,
    options: defaultExplorerOptions,
    // Used by Verification only.
    queue: new WorkQueue(),
    hub: hub as unknown as Explorer['hub'],
    verification,
    log,
  })
  const app = fastify()
  app.post('/rpc', async (request, reply) => {
    const response = await fetch(`${clients.url}/rpc`, { method: 'POST', body: JSON.stringify(request.body) })
    return reply.type('application/json').send(await response.text())
  })
  app.register(async (scope) => {
    await acceptForms(scope)
    await scope.register(explorerPlugin, { explorer, prefix: '/api/v2' })
  })
  app.register(etherscanApi, { explorer, prefix: '/api' })
  app.register(sourcifyApi, { explorer, prefix: '/sourcify' })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const close = async () => {
    await app.close()
    explorer.close()
    await clients.node.close()
  }

  const deploy = async (artifact: Artifact, args: readonly unknown[] = []) => {
    const hash = await clients.walletOf(0).deployContract({ ...artifact, args: args as never })
    const { contractAddress } = await clients.viem.waitForTransactionReceipt({ hash })
    if (!contractAddress) throw new Error('the contract was not deployed')
    return { address: getAddress(contractAddress), hash }
  }
  // Responses are compared as they are.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const json = async (path: string, init: RequestInit = {}): Promise<any> => {
    const response = await fetch(url + path, init)
    const body = await response.json()
    if (response.status === 200 && path.startsWith(PREFIX)) {
      expectSchema(path.slice(PREFIX.length), init.method ?? 'GET', body)
    }
    return body
  }
  const etherscan = (fields: Record<string, string>) => json(`/api?${new URLSearchParams(fields)}`)
  const post = (fields: Record<string, string>) => json('/api', { method: 'POST', body: new URLSearchParams(fields) })

  /** Submits the compiler's input like Hardhat and Foundry, and waits for the outcome. */
  const verify = async (address: Hex, input: Input, contractname: string, more: Record<string, string> = {}) => {
    const submitted = await post({
      module: 'contract',
      action: 'verifysourcecode',
      contractaddress: address,
      sourceCode: JSON.stringify(input),
      codeformat: 'solidity-standard-json-input',
      contractname,
      compilerversion: compilerVersion(),
      ...more,
    })
    return submitted.status === '1' ? settled(submitted.result) : submitted
  }
  const settled = async (guid: string) => {
    for (;;) {
      const answer = await etherscan({ module: 'contract', action: 'checkverifystatus', guid })
      if (answer.result !== 'Pending in queue') return answer
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const contract = (address: string) => json(`/api/v2/smart-contracts/${address}`)
  /** Settles with the live update about the verification of an address. */
  const verificationResult = async (address: string) => {
    const topic = `addresses:${address.toLowerCase()}`
    for (;;) {
      const at = pushed.findIndex((push) => push.topic === topic && push.event === 'verification_result')
      if (at >= 0) return pushed.splice(at, 1)[0]?.payload
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return {
    ...clients,
    close,
    explorerUrl: url,
    verification,
    pushed,
    deploy,
    json,
    etherscan,
    post,
    verify,
    settled,
    verificationResult,
    contract,
  }
}
