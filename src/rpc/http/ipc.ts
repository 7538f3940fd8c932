// JSON-RPC at a Unix socket, as go-ethereum and anvil have it: JSON texts one after another, each answer with a line break. Who may
// call is decided by the file's permissions. A connection is served as a WebSocket is.
import { EventEmitter, once } from 'node:events'
import { chmod, lstat, unlink } from 'node:fs/promises'
import { connect, Server, type Socket } from 'node:net'
import { connectionSignal } from '../../lib/connection-signal.ts'
import { type JsonChunk, joinChunks } from '../chunked-json.ts'
import type { RpcContext } from '../define.ts'
import { type MessageSocket, serveWebSocket } from './websocket.ts'

/** Listens at a path. A socket that nobody listens at is replaced. Throws the listen error (`EADDRINUSE`). */
export async function serveIpc(path: string, context: RpcContext): Promise<Server> {
  if (await isAbandoned(path)) await unlink(path)
  const server = new IpcServer((socket) => {
    socket.on('error', () => socket.destroy())
    serveWebSocket(new IpcSocket(socket, context.options.maxRequestSize), connectionSignal(socket), context)
  })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o600)
  return server
}

/** Closing it ends the connections, and removes the file. */
class IpcServer extends Server {
  readonly #open = new Set<Socket>()

  constructor(serve: (socket: Socket) => void) {
    super((socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      serve(socket)
    })
  }

  override close(callback?: (error?: Error) => void): this {
    for (const socket of this.#open) socket.destroy()
    return super.close(callback)
  }
}

/** Whether a socket was left by a process that has died. Another kind of file is not. */
async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  if (!found?.isSocket()) return false
  return new Promise((resolve) => {
    const probe = connect(path, () => {
      probe.destroy()
      resolve(false)
    })
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
  })
}

/** A connection at a Unix socket with the interface of a WebSocket. Pings are answered here: a process that ends is noticed. */
class IpcSocket extends EventEmitter implements MessageSocket {
  readonly OPEN = 1
  readonly #socket: Socket

  constructor(socket: Socket, maxSize: number) {
    super()
    this.#socket = socket
    const texts = new JsonTexts(maxSize)
    socket.setEncoding('utf8')
    socket.on('data', (part: string) => {
      const found = texts.add(part)
      // Neither a text too long nor what is no JSON-RPC has an end to go on from.
      if (found === undefined) socket.destroy()
      else for (const text of found) this.emit('message', text)
    })
    socket.once('close', () => this.emit('close'))
  }

  get readyState(): 1 | 3 {
    return this.#socket.writable ? 1 : 3
  }

  get bufferedAmount(): number {
    return this.#socket.writableLength
  }

  get isPaused(): boolean {
    return this.#socket.isPaused()
  }

  send(message: JsonChunk): void {
    this.#socket.write(joinChunks([message, '\n']))
  }

  ping(): void {
    this.emit('pong')
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  terminate(): void {
    this.#socket.destroy()
  }
}

const isSpace = (character: string): boolean =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t'

/** Cuts a stream into its JSON texts: objects and arrays. */
export class JsonTexts {
  readonly #maxSize: number
  #begun = ''
  /** Characters of `#begun` that were looked at. */
  #at = 0
  #depth = 0
  #isString = false

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  /** The texts that a part of the stream completes; undefined: a text is too long, or neither an object nor an array. */
  add(part: string): string[] | undefined {
    const found: string[] = []
    this.#begun += part
    let start = 0
    for (; this.#at < this.#begun.length; this.#at++) {
      const character = this.#begun.charAt(this.#at)
      if (this.#isString) {
        if (character === '\\') this.#at++
        else if (character === '"') this.#isString = false
      } else if (character === '{' || character === '[') this.#depth++
      else if (this.#depth === 0) {
        if (!isSpace(character)) return undefined
        start = this.#at + 1
      } else if (character === '"') this.#isString = true
      else if ((character === '}' || character === ']') && --this.#depth === 0) {
        found.push(this.#begun.slice(start, this.#at + 1))
        start = this.#at + 1
      }
    }
    this.#begun = this.#begun.slice(start)
    this.#at -= start
    return this.#begun.length > this.#maxSize ? undefined : found
  }
}
