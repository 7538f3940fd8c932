// The interfaces between the server and the read threads (`readers/`), which accept connections on the server's port.
import type { AccessOptions } from '../../http/access.ts'
import type { ConnectionLimits } from '../../http/connections.ts'
import type { Answer } from './fast-path.ts'

/** Where and how a thread accepts connections. */
export type SharedPort = {
  /** Addresses on which the main thread listens with `reusePort`. */
  readonly hosts: readonly string[]
  readonly port: number
  /** The socket of the main thread for connections that only it can serve (`http/passed-connections.ts`). */
  readonly path: string
  readonly http: AccessOptions & ConnectionLimits
}

/** What threads with connections need of the main thread. */
export type MainThread = {
  /** Answers what only the main thread knows. */
  readonly answer: Answer
  /** Closes its connections after their next response, so that new threads get some. */
  readonly retire: () => void
}

export interface AcceptingThreads {
  /** Threads that start from now on accept connections. `port` is called before they start. */
  accept(port: () => Promise<SharedPort>, main: MainThread): void
  /** Ends the connections of all threads: idle ones at once, others after some seconds at most. */
  endConnections(): Promise<void>
}
