// The server of CometBFT's socket, with clients that behave as CometBFT does, and some that do not.
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AbciApplication } from '../../../src/consensus/abci/application.ts'
import { type AbciServer, serveAbci } from '../../../src/consensus/abci/server.ts'
import { ChainError } from '../../../src/lib/errors.ts'
import { countingApplication } from '../../support/abci-application.ts'
import { AbciClient, requestFrame } from '../../support/abci-client.ts'

let folder: string
let path: string
const open: (AbciServer | AbciClient)[] = []
const errors: unknown[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'abci-'))
  path = join(folder, 'abci.sock')
  errors.length = 0
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await rm(folder, { recursive: true })
})

async function serve(replaced: Partial<AbciApplication> = {}): Promise<AbciServer> {
  const server = await serveAbci(path, countingApplication(replaced), (error) => errors.push(error))
  open.push(server)
  return server
}

async function client(): Promise<AbciClient> {
  const connection = await AbciClient.connect(path)
  open.push(connection)
  return connection
}

const transaction = (...bytes: number[]) => ({ case: 'checkTx' as const, value: { tx: Uint8Array.from(bytes) } })
const flush = { case: 'flush' as const, value: {} }
/** A promise, and the function that settles it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('CometBFT’s socket', () => {
  it('answers Echo and Flush itself, and each other request with a response of its kind', async () => {
    await serve()
    const engine = await client()
    expect(await engine.ask({ case: 'echo', value: { message: 'hello' } })).toMatchObject({
      case: 'echo',
      value: { message: 'hello' },
    })
    expect(await engine.ask(flush)).toMatchObject({ case: 'flush' })
    const kinds = [
      ...['info', 'initChain', 'query', 'checkTx', 'insertTx', 'reapTxs', 'prepareProposal', 'processProposal'],
      ...['finalizeBlock', 'commit', 'listSnapshots', 'offerSnapshot', 'loadSnapshotChunk', 'applySnapshotChunk'],
    ] as const
    for (const kind of kinds) expect((await engine.ask({ case: kind, value: {} }))?.case).toBe(kind)
    expect(errors).toEqual([])
  })

  it('adds no vote extension, and accepts every vote extension', async () => {
    await serve()
    const engine = await client()
    expect(await engine.ask({ case: 'extendVote', value: { height: 3n } })).toMatchObject({
      value: { voteExtension: new Uint8Array() },
    })
    // VerifyStatus.ACCEPT is 1.
    expect(await engine.ask({ case: 'verifyVoteExtension', value: { height: 3n } })).toMatchObject({
      value: { status: 1 },
    })
  })

  it('answers requests that arrive in one packet, or byte by byte', async () => {
    await serve()
    const engine = await client()
    engine.send({ case: 'info', value: {} }, flush, transaction(1), transaction(0xff), flush)
    const answers = []
    for (let i = 0; i < 5; i++) answers.push(await engine.answer())
    expect(answers.map((answer) => answer?.case)).toEqual(['info', 'flush', 'checkTx', 'checkTx', 'flush'])
    expect(answers[2]).toMatchObject({ value: { code: 0 } })
    expect(answers[3]).toMatchObject({ value: { code: 1 } })
    for (const byte of requestFrame(transaction(1, 2, 3))) {
      engine.socket.write(Uint8Array.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await engine.answer()).toMatchObject({ case: 'checkTx' })
  })

  it('answers in the order of the requests, even if later ones finish first', async () => {
    const slow = gate()
    const started: number[] = []
    await serve({
      checkTx: async ({ tx }) => {
        started.push(tx[0] ?? 0)
        if (tx[0] === 1) await slow.opened
        return { code: tx[0] ?? 0 }
      },
    })
    const engine = await client()
    engine.send(transaction(1), transaction(2), transaction(3), flush)
    // CheckTx requests run concurrently.
    await vi.waitUntil(() => started.length === 3)
    slow.open()
    const codes = []
    for (let i = 0; i < 3; i++) codes.push((await engine.answer())?.value)
    expect(codes).toMatchObject([{ code: 1 }, { code: 2 }, { code: 3 }])
    expect(await engine.answer()).toMatchObject({ case: 'flush' })
    expect(started).toEqual([1, 2, 3])
  })

  it('starts a request of another kind only after all earlier ones are answered', async () => {
    const slow = gate()
    const events: string[] = []
    await serve({
      checkTx: async () => {
        events.push('check begins')
        await slow.opened
        events.push('check ends')
        return {}
      },
      finalizeBlock: async () => {
        events.push('block')
        return {}
      },
      commit: () => {
        events.push('commit')
        return {}
      },
    })
    const engine = await client()
    engine.send(transaction(1), { case: 'finalizeBlock', value: {} }, { case: 'commit', value: {} })
    await vi.waitUntil(() => events.length === 1)
    slow.open()
    for (const kind of ['checkTx', 'finalizeBlock', 'commit']) expect((await engine.answer())?.case).toBe(kind)
    expect(events).toEqual(['check begins', 'check ends', 'block', 'commit'])
  })

  it('runs at most 256 transactions of a connection at a time', async () => {
    const slow = gate()
    let started = 0
    await serve({
      checkTx: async () => {
        started++
        await slow.opened
        return {}
      },
    })
    const engine = await client()
    engine.send(...Array.from({ length: 600 }, () => transaction(1)))
    await vi.waitUntil(() => started === 256)
    // Control: another connection is answered; the 257th would have started before that.
    const other = await client()
    for (let i = 0; i < 10; i++) await other.ask(flush)
    expect(started).toBe(256)
    slow.open()
    for (let i = 0; i < 600; i++) expect((await engine.answer())?.case).toBe('checkTx')
    expect(started).toBe(600)
  })

  it('serves four connections at a time, each in the order of its requests', async () => {
    const slow = gate()
    const server = await serve({ commit: () => slow.opened.then(() => ({})) })
    const engines = [await client(), await client(), await client(), await client()] as const
    await vi.waitUntil(() => server.connected === 4)
    const [consensus, ...others] = engines
    const committed = consensus.ask({ case: 'commit', value: {} })
    for (const other of others) expect(await other.ask({ case: 'info', value: {} })).toMatchObject({ case: 'info' })
    slow.open()
    expect(await committed).toMatchObject({ case: 'commit' })
    for (const engine of engines) engine.close()
    await vi.waitUntil(() => server.connected === 0)
    expect(errors).toEqual([])
  })

  it('answers requests that CometBFT sent before it half-closed the connection', async () => {
    // More than the socket's buffer holds, so that responses are still pending when the end is read.
    await serve({ query: () => ({ value: new Uint8Array(5_000_000) }) })
    const engine = await client()
    const kinds = ['query', 'query', 'info'] as const
    engine.socket.end(Buffer.concat(kinds.map((kind) => requestFrame({ case: kind, value: {} }))))
    for (const kind of kinds) expect((await engine.answer())?.case).toBe(kind)
    expect(await engine.answer()).toBeUndefined()
    expect(errors).toEqual([])
  })

  it('transfers a block of 5,000 transactions and its results', async () => {
    await serve()
    const engine = await client()
    const txs = Array.from({ length: 5000 }, (_, i) => Uint8Array.of(1, i >> 8, i & 255, ...new Uint8Array(109)))
    const answer = await engine.ask({ case: 'finalizeBlock', value: { height: 1n, txs } })
    const results = Array.from({ length: 5000 }, () => ({ code: 0, gasWanted: 1n, gasUsed: 1n }))
    // The app hash is the count: 0x1388 = 5000.
    const appHash = Uint8Array.of(0, 0, 0, 0, 0, 0, 0x13, 0x88)
    expect(answer).toMatchObject({ case: 'finalizeBlock', value: { txResults: results, appHash } })
  })
})

describe('errors on CometBFT’s socket', () => {
  it('send an exception when the application throws, with the message of a ChainError but not of a bug', async () => {
    await serve({
      finalizeBlock: () => Promise.reject(new ChainError('invalid-block', 'block 7 does not follow block 5')),
      commit: () => {
        throw new TypeError(`cannot read ${folder}`)
      },
    })
    const engine = await client()
    expect(await engine.ask({ case: 'finalizeBlock', value: {} })).toMatchObject({
      case: 'exception',
      value: { error: 'block 7 does not follow block 5' },
    })
    expect(await engine.ask({ case: 'commit', value: {} })).toMatchObject({
      case: 'exception',
      value: { error: 'internal error of the application' },
    })
    expect(await engine.ask({ case: 'info', value: {} })).toMatchObject({ case: 'info' })
    expect(errors.map(String)).toEqual([
      'ChainError: block 7 does not follow block 5',
      `TypeError: cannot read ${folder}`,
    ])
  })

  it('send an exception when a response cannot be encoded', async () => {
    await serve({ info: () => ({ lastBlockHeight: 2n ** 63n }) })
    const engine = await client()
    expect(await engine.ask({ case: 'info', value: {} })).toMatchObject({ case: 'exception' })
    expect(errors).toHaveLength(1)
  })

  it('send an exception for a request that ABCI 2.0 does not have', async () => {
    await serve()
    const engine = await client()
    // Field 9 was DeliverTx; an empty request has no kind.
    for (const request of ['024a00', '00']) {
      engine.socket.write(Buffer.from(request, 'hex'))
      expect(await engine.answer()).toMatchObject({ value: { error: 'the request is of an unknown kind' } })
    }
    expect(await engine.ask(flush)).toMatchObject({ case: 'flush' })
  })

  it('end the connection, after the pending responses, for a request that does not decode', async () => {
    const server = await serve()
    const engine = await client()
    // Field 20 with length 5, but one byte.
    engine.socket.write(Buffer.concat([requestFrame(transaction(1)), Buffer.from('04a2010501', 'hex')]))
    expect(await engine.answer()).toMatchObject({ case: 'checkTx' })
    expect(await engine.answer()).toMatchObject({ value: { error: 'the request cannot be decoded' } })
    expect(await engine.answer()).toBeUndefined()
    await vi.waitUntil(() => server.connected === 0)
    expect(errors).toHaveLength(1)
  })

  it('end a connection that announces more than 256 MB, before the bytes arrive', async () => {
    const server = await serve()
    const engine = await client()
    engine.socket.write(Buffer.concat([requestFrame(transaction(1)), Buffer.from('8080808001', 'hex')]))
    expect(await engine.answer()).toMatchObject({ case: 'checkTx' })
    expect(await engine.answer()).toBeUndefined()
    await vi.waitUntil(() => server.connected === 0)
    expect(errors.map(String)).toEqual(['Error: a message is longer than 268435455 bytes'])
    expect(await (await client()).ask(flush)).toMatchObject({ case: 'flush' })
  })

  it('are reported once if CometBFT disconnects within a request, and not at all between two requests', async () => {
    const server = await serve()
    const leaving = await client()
    await leaving.ask(flush)
    leaving.close()
    const dying = await client()
    dying.socket.end(requestFrame(transaction(1, 2, 3)).subarray(0, 4))
    await vi.waitUntil(() => errors.length > 0 && server.connected === 0)
    expect(errors.map(String)).toEqual(['Error: the connection ended within a message'])
  })

  it('do not follow when CometBFT does not read: the server stops reading its requests', async () => {
    let handled = 0
    await serve({
      query: () => {
        handled++
        return { value: new Uint8Array(1_000_000) }
      },
    })
    const engine = await client()
    engine.send(...Array.from({ length: 50 }, () => ({ case: 'query' as const, value: {} })))
    await vi.waitUntil(() => handled > 0)
    const other = await client()
    for (let i = 0; i < 20; i++) await other.ask(flush)
    // Otherwise 50 MB would be buffered.
    expect(handled).toBeLessThan(5)
    for (let i = 0; i < 50; i++) expect((await engine.answer())?.case).toBe('query')
  })
})

describe('closing CometBFT’s socket', () => {
  it('waits for the running request, sends its response, and accepts no further request', async () => {
    const slow = gate()
    const called: string[] = []
    const server = await serve({
      commit: async () => {
        called.push('commit')
        await slow.opened
        return { retainHeight: 4n }
      },
      info: () => {
        called.push('info')
        return {}
      },
    })
    const engine = await client()
    engine.send({ case: 'commit', value: {} }, { case: 'info', value: {} })
    await vi.waitUntil(() => called.length === 1)
    let isClosed = false
    const closed = server.close().then(() => {
      isClosed = true
    })
    await expect(AbciClient.connect(path)).rejects.toThrow()
    expect(isClosed).toBe(false)
    slow.open()
    expect(await engine.answer()).toMatchObject({ case: 'commit', value: { retainHeight: 4n } })
    expect(await engine.answer()).toBeUndefined()
    await closed
    expect(called).toEqual(['commit'])
    await expect(stat(path)).rejects.toThrow('ENOENT')
    expect(errors).toEqual([])
  })

  it('ends idle connections', async () => {
    const server = await serve()
    const engine = await client()
    await engine.ask(flush)
    await server.close()
    expect(await engine.answer()).toBeUndefined()
    expect(server.connected).toBe(0)
    expect(errors).toEqual([])
  })

  it('does not wait for a CometBFT that does not read', async () => {
    let handled = 0
    const server = await serve({
      query: () => {
        handled++
        return { value: new Uint8Array(20_000_000) }
      },
    })
    const engine = await client()
    engine.send({ case: 'query', value: {} })
    await vi.waitUntil(() => handled === 1)
    await server.close()
    expect(server.connected).toBe(0)
  })
})

describe('the file of CometBFT’s socket', () => {
  it('can be opened by this user only', async () => {
    const before = process.umask(0)
    try {
      await serve()
    } finally {
      process.umask(before)
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(process.umask()).toBe(before)
  })

  it('is replaced when the process that created it has ended', async () => {
    // A closing server removes its file. A renamed one stays, as after kill -9.
    const killed = createServer().listen(join(folder, 'other.sock'))
    await vi.waitUntil(() => killed.listening)
    await rename(join(folder, 'other.sock'), path)
    await new Promise((resolve) => killed.close(resolve))
    expect((await stat(path)).isSocket()).toBe(true)
    await serve()
    expect(await (await client()).ask(flush)).toMatchObject({ case: 'flush' })
  })

  it('is not replaced when another process listens there, or when it is not a socket', async () => {
    await serve()
    await expect(serve()).rejects.toThrow('another process listens on')
    expect(await (await client()).ask(flush)).toMatchObject({ case: 'flush' })
    const note = join(folder, 'note')
    await writeFile(note, 'mine')
    await expect(serveAbci(note, countingApplication(), () => {})).rejects.toThrow('is not a socket')
    expect((await stat(note)).size).toBe(4)
  })

  // 108 bytes with the terminating zero on Linux (unix(7)), 104 elsewhere.
  it('has a path within the system’s limit, otherwise the error names the limit', async () => {
    const longest = process.platform === 'linux' ? 107 : 103
    path = join(folder, 'a'.repeat(longest - folder.length - 1))
    await serve()
    expect(await (await client()).ask(flush)).toMatchObject({ case: 'flush' })
    path = `${path}xyz`
    await expect(serve()).rejects.toThrow('3 bytes too long for this system')
  })

  it('needs an existing folder', async () => {
    path = join(folder, 'missing', 'abci.sock')
    await expect(serve()).rejects.toThrow(/ENOENT|EACCES/)
  })
})
