// Checks CometBFT's ports before it starts, because its own error is a page of text.
import { createServer } from 'node:net'
import { ChainError } from '../../lib/errors.ts'
import type { Listener } from './config.ts'

/** Milliseconds for which a CometBFT that is ending may still hold a port. */
const PATIENCE = 5_000
const PAUSE = 200

/** Throws ChainError `not-allowed` when another program listens at the address. */
export async function requireFree(what: string, listener: Listener, config: string): Promise<void> {
  const until = performance.now() + PATIENCE
  for (;;) {
    const error = await listenError(listener)
    if (error === undefined) return
    if (error !== 'EADDRINUSE' || performance.now() > until) throw refusal(what, listener, error, config)
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

function refusal(what: string, { host, port }: Listener, error: string, config: string): ChainError {
  const where = `CometBFT's ${what}, ${host}:${port}`
  const problem =
    error === 'EADDRINUSE' ? 'is in use by another program; stop that' : `cannot be listened on (${error})`
  return new ChainError('not-allowed', `${where}, ${problem}, or change ${config}`)
}

/** Code of the error that listening fails with; undefined on success. */
function listenError({ host, port }: Listener): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    server.listen({ host: host === '' ? undefined : host, port, exclusive: true }, () =>
      server.close(() => resolve(undefined)),
    )
  })
}
