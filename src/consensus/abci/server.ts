// The Unix socket that CometBFT connects to. Requests of a connection are answered in order; no input may end this process or
// keep it from closing.
import { lstat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { ChainError } from '../../lib/errors.ts'
import type { AbciApplication } from './application.ts'
import { Connection } from './connection.ts'

/** Most bytes of a Unix socket's path, without the terminating zero: 107 on Linux, 103 on macOS and BSD. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103

export type AbciServer = {
  /** Connections that are open now; a running CometBFT has four. */
  readonly connected: number
  /**
   * Accepts no further connection or request, waits for running requests, ends all connections and removes the socket.
   * Afterwards the application is no longer called.
   */
  close(): Promise<void>
}

/**
 * Listens on a Unix socket that only this user may open (mode 0600). A socket left behind by a killed process is replaced.
 * @param onError - receives errors of connections: those of the application (CometBFT gets an `exception` and exits),
 *   requests that do not decode, broken connections
 * Throws ChainError `invalid-params` for a path that is too long or is no socket, `storage` when another process
 * listens there; the system's error when the folder does not exist or may not be written.
 */
export async function serveAbci(
  socketPath: string,
  application: AbciApplication,
  onError: (error: unknown) => void,
): Promise<AbciServer> {
  const excess = Buffer.byteLength(socketPath) - LONGEST_PATH
  if (excess > 0)
    throw new ChainError(
      'invalid-params',
      `the path of CometBFT's socket is ${excess} bytes too long for this system (at most ${LONGEST_PATH}): ${socketPath}`,
    )
  await removeStale(socketPath)

  const connections = new Map<Connection, Promise<void>>()
  // A half-closed connection still gets its responses.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new Connection(socket, application, onError)
    const ended = connection.run().then(() => void connections.delete(connection))
    connections.set(connection, ended)
  })
  await listenPrivately(server, socketPath)
  server.on('error', onError)
  return {
    get connected() {
      return connections.size
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.all([...connections.keys()].map((connection) => connection.close()))
      await Promise.all([closed, ...connections.values()])
    },
  }
}

/** Removes the socket of a process that has ended. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket())
    throw new ChainError('invalid-params', `${path} is not a socket: CometBFT's socket belongs there`)
  if (await isServed(path)) throw new ChainError('storage', `another process listens on ${path}`)
  await unlink(path)
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(true))
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
    socket.once('connect', () => socket.destroy())
  })
}

/** Sets the umask for `listen`, which creates the file before it returns: the socket is private from the start. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const listening = new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))
  const before = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(before)
  }
  await listening
}
