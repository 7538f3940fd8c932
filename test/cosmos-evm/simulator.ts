// cosmos/evm's tests/jsonrpc/simulator: a program of Go that calls the methods of a node and of a go-ethereum beside it, and compares the
// shapes of their answers. It needs Go, and builds go-ethereum once.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, http } from 'viem'
import { vi } from 'vitest'
import { freePort } from '../support/process.ts'
import { COPY, GO_PROGRAMS, runProgram } from './checkout.ts'
import type { Suite } from './suites.ts'

/** The version that the simulator's configuration names. */
const GETH = 'github.com/ethereum/go-ethereum/cmd/geth@v1.16.3'
/** The rest of its methods are deprecated, made for other programs than a chain's node, or about the memory and profiles of Go. */
const NAMESPACES = ['web3', 'net', 'eth', 'txpool']
/** Go-ethereum does not pass these either: called without arguments, read by a wrong shape, and a method that it never had. */
const UNPASSABLE = ['eth_signTransaction', 'eth_simulateV1', 'eth_getPendingTransactions']

export const simulator: Suite = {
  name: 'jsonrpc/simulator',
  total: 57,
  lacks: () => (spawnSync('go', ['version']).status === 0 ? undefined : 'Go is not installed'),
  run: async (port) => {
    const folder = join(COPY, 'tests/jsonrpc/simulator')
    mkdirSync(GO_PROGRAMS, { recursive: true })
    const env = { ...process.env, GOBIN: GO_PROGRAMS }
    for (const args of [
      ['install', GETH],
      ['build', '-o', 'simulator', '.'],
    ]) {
      const { code, output } = await runProgram('go', args, folder, env)
      if (code !== 0) throw new Error(`go ${args.join(' ')}:\n${output}`)
    }
    const geth = await startGeth(join(folder, 'geth'))
    try {
      const node = { EVMD_URL: `http://127.0.0.1:${port}`, EVMD_WS_URL: `ws://127.0.0.1:${port}` }
      const beside = { GETH_URL: geth.url, GETH_WS_URL: geth.socket }
      const { output } = await runProgram(join(folder, 'simulator'), [], folder, { ...env, ...node, ...beside })
      return readReport(output)
    } finally {
      geth.stop()
    }
  },
}

/** A go-ethereum that makes a block each second, as theirs. */
async function startGeth(datadir: string) {
  const [port, socket, engine, peers] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const apis = 'eth,net,web3,debug,txpool'
  const flags = ['--datadir', datadir, '--dev', '--dev.period', '1', '--nodiscover', '--port', String(peers)]
  flags.push('--authrpc.port', String(engine), '--http', '--http.port', String(port), '--http.api', apis)
  flags.push('--ws', '--ws.port', String(socket), '--ws.api', apis)
  const child = spawn(join(GO_PROGRAMS, 'geth'), flags, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const client = createPublicClient({ transport: http(url, { retryCount: 0 }) })
  await vi.waitUntil(() => client.getChainId().catch(() => undefined), { timeout: 60_000 })
  return { url, socket: `ws://127.0.0.1:${socket}`, stop: () => child.kill() }
}

/** Reads lines such as `[PASS] eth_chainId`. */
function readReport(output: string) {
  const rows = [...output.matchAll(/^\[(PASS|LEGACY|FAIL|NOT_IMPL)\] (([a-z0-9]+)_\w+)/gm)]
    .map(([, status = '', method = '', namespace = '']) => ({ status, method, namespace }))
    .filter(({ method, namespace }) => NAMESPACES.includes(namespace) && !UNPASSABLE.includes(method))
  if (rows.length === 0) throw new Error(`the simulator did not run:\n${output}`)
  const passed = rows.filter(({ status }) => status === 'PASS' || status === 'LEGACY')
  const failed = rows.filter((row) => !passed.includes(row)).map(({ method, status }) => `${method}: ${status}`)
  return { passed: passed.length, failed }
}
