// A URL that a client names, whose host has another address when the connection is made than when it was checked (DNS rebinding).
import dns from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { startNode } from '../../src/library.ts'
import { chainToFork, forkOf } from '../support/forked.ts'

const lookup = vi.spyOn(dns, 'lookup')
// For modules that import it by its name.
syncBuiltinESMExports()
afterAll(() => {
  lookup.mockRestore()
  syncBuiltinESMExports()
})

const HERE = [{ address: '127.0.0.1', family: 4 }]
/** Where clouds have the keys of a machine. */
const KEYS = [{ address: '169.254.169.254', family: 4 }]

/** The addresses that each lookup finds, in turn; the last one stays. */
function resolve(...turns: (typeof HERE)[]): void {
  lookup.mockImplementation((async () => (turns.length > 1 ? turns.shift() : turns[0])) as never)
}

beforeEach(() => void lookup.mockReset())

const named = (url: string): string => url.replace('127.0.0.1', 'changing.test')

/** Counts connections and answers nothing. */
async function listen(): Promise<{ readonly port: number; readonly seen: () => number }> {
  let connections = 0
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    sockets.close()
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, seen: () => connections }
}

describe('a URL of anvil_reset', () => {
  it('is connected to at the address that was checked with the connection', async () => {
    await using forked = await chainToFork()
    await using node = await startNode()
    resolve(HERE)
    await node.request('anvil_reset', [{ forking: { jsonRpcUrl: named(forked.proxy.url) } }])
    expect(await node.request('eth_chainId')).toBe('0x1092')
    // Once for the check, then for each connection.
    expect(lookup.mock.calls.length).toBeGreaterThan(1)
  })

  it.each(['http', 'https', 'ws', 'wss'])('by %s does not reach another address than was checked', async (scheme) => {
    await using node = await startNode()
    const { port, seen } = await listen()
    const reset = (...turns: (typeof HERE)[]) => {
      resolve(...turns)
      const jsonRpcUrl = `${scheme}://changing.test:${port}/`
      return node.request('anvil_reset', [{ forking: { jsonRpcUrl } }])
    }
    const words = new RegExp(`${scheme}://changing\\.test:${port} has a link-local address`)
    await expect(reset(KEYS)).rejects.toThrow(words)
    expect(lookup).toHaveBeenCalledTimes(1)
    await expect(reset(HERE, KEYS)).rejects.toThrow(words)
    // It is not tried again.
    expect(lookup).toHaveBeenCalledTimes(3)
    await expect(reset(HERE, [...HERE, ...KEYS])).rejects.toThrow(words)
    expect(seen()).toBe(0)
    expect(await node.request('eth_chainId')).toBe('0x7d')
  })
})

describe('a URL of anvil_setRpcUrl', () => {
  it('does not reach another address than was checked, now and at later connections', async () => {
    await using forked = await chainToFork()
    await using fork = await forkOf(forked.proxy)
    const balance = (digit: number) => fork.request('eth_getBalance', [`0x${'00'.repeat(19)}b${digit}`, 'latest'])
    resolve(HERE, KEYS)
    await fork.request('anvil_setRpcUrl', [named(forked.proxy.url)])
    await expect(balance(1)).rejects.toThrow(/changing\.test:\d+ has a link-local address/)
    resolve(HERE)
    expect(await balance(1)).toBe('0x0')
    forked.proxy.disconnect()
    resolve(KEYS)
    await expect(balance(2)).rejects.toThrow(/has a link-local address/)
  })

  it('is held to more than a URL of the operator', async () => {
    await using forked = await chainToFork()
    resolve(KEYS)
    await using fork = await forkOf({ url: forked.proxy.url.replace('127.0.0.1', 'localhost') })
    expect(await fork.request('eth_getBalance', [`0x${'00'.repeat(19)}b1`, 'latest'])).toBe('0x0')
    expect(lookup).not.toHaveBeenCalled()
  })
})
