// Errors of requests to the forked chain.
import { ChainError } from '../lib/errors.ts'

/** The remote could not be asked, or its answer is not usable. */
export class RemoteFailure extends ChainError {
  constructor(message: string) {
    super('overloaded', message)
    this.name = 'RemoteFailure'
  }
}

/** The remote does not have the method. */
export class UnknownMethod extends RemoteFailure {}

/** The remote's error about one request, as JSON-RPC has it. `message` is the remote's, without keys. */
export class RemoteError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.name = 'RemoteError'
    this.code = code
    this.data = data
  }
}

/** Whether a server does not have the method: JSON-RPC's code, and the words of servers that use another one. */
export const isUnknownMethod = ({ code, message }: RemoteError): boolean =>
  code === -32601 || /method .*(not|unsupported)|not supported/i.test(message)
