// Records the messages between a consensus engine and the application: connects the two and writes each request with its
// response. test/support/abci-recording.ts reads the file.
// tsx scripts/record-abci.ts --application APPLICATION.sock --listen ENGINE.sock --output FILE [--flushes]
// Start the consensus engine with `--proxy_app unix://ENGINE.sock`. Without --flushes, flush requests are omitted: they are
// half of all messages and have no content.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { fromBinary } from '@bufbuild/protobuf'
import { frame, messagesOf } from '../src/consensus/abci/framing.ts'
import { RequestSchema } from '../src/protobuf/generated/tendermint/abci/types_pb.ts'

const { values } = parseArgs({
  options: {
    application: { type: 'string' },
    listen: { type: 'string' },
    output: { type: 'string' },
    flushes: { type: 'boolean', default: false },
  },
})
const { application, listen, output } = values
if (application === undefined || listen === undefined || output === undefined)
  throw new Error('--application, --listen and --output are needed')

const file = openSync(output, 'w')
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Relays messages in both directions. When one side closes, the other is closed too. */
function relay(engine: Socket): void {
  const chain = connect(application ?? '')
  const waiting: Uint8Array[] = []
  const ended = (): void => {
    engine.destroy()
    chain.destroy()
  }
  const requests = async (): Promise<void> => {
    for await (const request of messagesOf(engine)) {
      waiting.push(request)
      chain.write(frame(request))
    }
  }
  const answers = async (): Promise<void> => {
    for await (const answer of messagesOf(chain)) {
      const request = waiting.shift()
      if (request !== undefined) record(request, answer)
      engine.write(frame(answer))
    }
  }
  for (const direction of [requests(), answers()]) direction.catch(report).finally(ended)
}

/** When one side has closed, the other is closed in the middle of its stream, which is not an error. */
function report(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') console.error(error.message)
}

function record(request: Uint8Array, answer: Uint8Array): void {
  if (!values.flushes && fromBinary(RequestSchema, request).value.case === 'flush') return
  writeSync(file, `> ${hex(request)}\n< ${hex(answer)}\n`)
}

rmSync(listen, { force: true })
const server = createServer(relay).listen(listen)
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop(): void {
  server.close()
  closeSync(file)
  process.exit()
}
