// Connections that one thread of the process has accepted and the main thread serves. Their bytes go through a Unix socket in a
// folder that only this user can enter, so the kernel bounds what is under way; its first line is the client's address.
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type PassedConnections = {
  readonly path: string
  /** No further connection comes from a thread. */
  close(): Promise<void>
}

/** Connections that may wait to be accepted: beyond it the kernel refuses at once those of a Unix socket. */
const BACKLOG = 4096

/** Listens for passed connections; `accept` gets each with the `remoteAddress` of its client. */
export async function acceptPassed(accept: (socket: Socket) => void): Promise<PassedConnections> {
  const folder = await mkdtemp(join(tmpdir(), 'kestrel-'))
  const path = join(folder, 'connections')
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    readAddress(socket, (address) => {
      Object.defineProperty(socket, 'remoteAddress', { value: address })
      accept(socket)
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ path, backlog: BACKLOG }, resolve))
  return {
    path,
    async close() {
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Reads the first line; what follows stays unread. */
function readAddress(socket: Socket, found: (address: string) => void): void {
  let line = Buffer.alloc(0)
  const read = (bytes: Buffer) => {
    line = Buffer.concat([line, bytes])
    const end = line.indexOf('\n')
    if (end < 0) return
    socket.pause().off('data', read)
    const address = line.toString('latin1', 0, end)
    socket.unshift(line.subarray(end + 1))
    found(address)
    socket.resume()
  }
  socket.on('data', read)
}

/** Milliseconds that a client has to read the last bytes of a connection that the main thread has closed. */
const LAST_BYTES = 10_000

/** Passes a connection, of which `rest` was read, to the thread that listens at `path`. Each end closes the other. */
export function passConnection(socket: Socket, rest: Buffer, path: string): void {
  const further = connect({ path, allowHalfOpen: true })
  const ignore = () => undefined
  // When the main thread has closed its end, no limit counts the client's socket any more. Close it even if the client does not.
  const end = () => {
    socket.setTimeout(LAST_BYTES, () => socket.destroy())
    socket.destroySoon()
  }
  socket.on('error', ignore).on('close', () => further.destroy())
  further.on('error', ignore).on('end', end).on('close', end)
  further.write(`${socket.remoteAddress}\n`)
  further.write(rest)
  socket.pipe(further)
  further.pipe(socket)
}
