// Compresses answers for clients that accept it: bodies of text above 1 KB. A body that is in memory is compressed whole and in
// other threads, so that a client that reads slowly holds no encoder, and its bytes count like all others (`connections.ts`).
// Bodies of requests are not decompressed: a small one could become a large one.
import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createGzip, gzip } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route's answers are never compressed. */
    uncompressed?: boolean
  }
}

const LEAST_BYTES = 1024
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|javascript)|image\/svg\+xml)/

/**
 * Brotli's default quality, 11, is for files that are compressed once; 4 takes as long as gzip and makes smaller answers. The
 * window of 2^18 bytes bounds an encoder to 2 MB; the default has 8.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } }

const ENCODERS = {
  br: (body: Uint8Array): Promise<Buffer> => promisify(brotliCompress)(body, BROTLI),
  gzip: (body: Uint8Array): Promise<Buffer> => promisify(gzip)(body),
} as const
type Encoding = keyof typeof ENCODERS
const ENCODINGS: Encoding[] = ['br', 'gzip']

/** Compresses the answers of all routes that are registered afterwards. Streams are compressed with gzip only. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.routeOptions.config.uncompressed === true || reply.hasHeader('content-encoding')) return payload
    if (!COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return payload
    const isStream = payload instanceof Readable
    if (!isStream && !(typeof payload === 'string' || payload instanceof Uint8Array)) return payload
    if (!isStream && Buffer.byteLength(payload) < LEAST_BYTES) return payload
    const vary = reply.getHeader('vary')
    reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`)
    const accepted = request.headers['accept-encoding']
    const encoding =
      accepted === undefined ? null : (negotiate(accepted, isStream ? ['gzip'] : ENCODINGS) as Encoding | null)
    if (encoding === null) return payload
    reply.header('content-encoding', encoding).removeHeader('content-length')
    if (isStream) {
      // Ends either stream when the other fails or is closed; the answer is then cut off.
      return pipeline(payload, createGzip(), () => undefined)
    }
    return ENCODERS[encoding](typeof payload === 'string' ? Buffer.from(payload) : payload)
  })
}
