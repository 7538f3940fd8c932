// JSON-RPC at a Unix socket: with viem's transport, with other framing, with wrong texts, and after a process that has died.
import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createPublicClient } from 'viem'
import { ipc } from 'viem/node'
import { expect, it, onTestFinished } from 'vitest'
import { startNode } from '../../src/library.ts'
import { JsonTexts } from '../../src/rpc/http/ipc.ts'
import { folder } from '../cli/support.ts'

async function socketOf(options: object = {}) {
  const path = join(await folder(), 'node.ipc')
  const node = await startNode({ ipc: path, ...options })
  onTestFinished(() => node.stop())
  return { path, node }
}

/** What a connection answers until it has `count` lines or is closed. */
async function answers(path: string, count: number, ...parts: string[]): Promise<unknown[]> {
  const socket = connect(path).setEncoding('utf8')
  let text = ''
  for (const part of parts) {
    socket.write(part)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  for await (const chunk of socket) {
    text += chunk
    if (text.split('\n').length > count) break
  }
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

const ask = (id: number, method: string) => JSON.stringify({ jsonrpc: '2.0', id, method, params: [] })

it('serves viem, with subscriptions', async () => {
  const { path, node } = await socketOf()
  const client = createPublicClient({ transport: ipc(path) })
  expect(await client.getChainId()).toBe(125)
  const seen = new Promise<bigint>((resolve) => {
    client.watchBlockNumber({ onBlockNumber: (number) => number > 0n && resolve(number), emitOnBegin: false })
  })
  await client.getBlockNumber()
  await node.request('evm_mine')
  expect(await seen).toBe(1n)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

it('reads texts one after another, in parts and in batches', async () => {
  const { path } = await socketOf()
  const [one, two] = [ask(1, 'eth_chainId'), ask(2, 'eth_blockNumber')]
  const both = await answers(path, 2, `${one}${two.slice(0, 9)}`, `${two.slice(9)}\n`)
  expect(both).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 1, result: '0x7d' },
      { jsonrpc: '2.0', id: 2, result: '0x0' },
    ]),
  )
  expect(await answers(path, 1, `[${one},`, `${two}]`)).toEqual([[expect.anything(), expect.anything()]])
})

it('closes the connection of a text that is none, or too long, and goes on', async () => {
  const { path } = await socketOf({ maxRequestSize: 2000 })
  for (const wrong of ['GET / HTTP/1.1\r\n\r\n', '"text"', ']', `[${' '.repeat(3000)}`])
    expect(await answers(path, 1, wrong)).toEqual([])
  expect(await answers(path, 1, ask(1, 'eth_chainId'))).toEqual([{ jsonrpc: '2.0', id: 1, result: '0x7d' }])
})

it('replaces the socket of a process that has died, and no other file or socket', async () => {
  const place = await folder()
  const [path, file] = [join(place, 'node.ipc'), join(place, 'file')]
  const server = createServer().listen(path)
  await once(server, 'listening')
  await expect(startNode({ ipc: path })).rejects.toThrow('EADDRINUSE')
  await new Promise((resolve) => server.close(resolve))
  await writeFile(file, 'mine')
  await expect(startNode({ ipc: file })).rejects.toThrow('EADDRINUSE')
  const node = await startNode({ ipc: path })
  expect(await answers(path, 1, ask(1, 'eth_chainId'))).toHaveLength(1)
  await node.stop()
  await expect(stat(path)).rejects.toThrow('ENOENT')
})

it('cuts texts at their ends only, however the stream is cut', () => {
  const all = ['{"a":"}\\"]\\\\"}', '[1,{"b":[]}]', '{}']
  const stream = ` ${all.join('\n')}`
  for (let size = 1; size <= stream.length; size++) {
    const texts = new JsonTexts(100)
    const found: string[] = []
    for (let at = 0; at < stream.length; at += size) found.push(...(texts.add(stream.slice(at, at + size)) ?? ['none']))
    expect(found).toEqual(all)
  }
})
