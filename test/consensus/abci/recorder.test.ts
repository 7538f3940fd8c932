// scripts/record-abci.ts between CometBFT's connections and an application: it changes nothing and records everything.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { serveAbci } from '../../../src/consensus/abci/server.ts'
import { countingApplication } from '../../support/abci-application.ts'
import { AbciClient } from '../../support/abci-client.ts'
import { exchangesOf, readRecording } from '../../support/abci-recording.ts'

it('the ABCI recorder forwards all messages and records each request with its response', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'abci-'))
  const application = join(folder, 'application.sock')
  const listen = join(folder, 'engine.sock')
  const output = join(folder, 'recording.txt')
  const server = await serveAbci(application, countingApplication(), () => {})
  const script = join(import.meta.dirname, '../../../scripts/record-abci.ts')
  const flags = ['--application', application, '--listen', listen, '--output', output]
  const recorder = spawn(process.execPath, ['--import', 'tsx', script, ...flags], { stdio: 'inherit' })
  onTestFinished(async () => {
    recorder.kill('SIGKILL')
    await server.close()
    await rm(folder, { recursive: true })
  })
  const consensus = await vi.waitUntil(() => AbciClient.connect(listen).catch(() => undefined), { timeout: 20_000 })
  const mempool = await AbciClient.connect(listen)

  const tx = Uint8Array.of(1, 2, 3)
  expect(await consensus.ask({ case: 'info', value: {} })).toMatchObject({ value: { data: 'counter' } })
  mempool.send({ case: 'checkTx', value: { tx } }, { case: 'flush', value: {} })
  expect(await mempool.answer()).toMatchObject({ case: 'checkTx' })
  expect(await mempool.answer()).toMatchObject({ case: 'flush' })
  expect(await consensus.ask({ case: 'finalizeBlock', value: { txs: [tx] } })).toMatchObject({
    value: { appHash: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1) },
  })
  // When one side ends, the recorder ends the other.
  consensus.close()
  await vi.waitUntil(() => server.connected === 1)
  await server.close()
  expect(await mempool.answer()).toBeUndefined()
  recorder.kill('SIGTERM')
  expect(await once(recorder, 'exit')).toEqual([0, null])

  const text = await readFile(output, 'utf8')
  // 1a 00: an empty Info. 22 09 0a 07 "counter". 42 05 0a 03 010203: CheckTx. 4a 00: its response.
  expect(text.split('\n').slice(0, 4)).toEqual(['> 1a00', '< 22090a07636f756e746572', '> 42050a03010203', '< 4a00'])
  const exchanges = exchangesOf(readRecording(text))
  expect(exchanges.map(({ kind, response }) => [kind, response.case])).toEqual([
    ['info', 'info'],
    ['checkTx', 'checkTx'],
    ['finalizeBlock', 'finalizeBlock'],
  ])
})
