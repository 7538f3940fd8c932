// solidityTracer and kestrel_getStackTrace over JSON-RPC: the recording equals go-ethereum's steps, and contracts without sources.
import { encodeFunctionData, type Hex } from 'viem'
import { expect, it } from 'vitest'
import { hexToHash } from '../../src/lib/hex.ts'
import type { Recording } from '../../src/runtime/tracing/step-recorder.ts'
import { testChain } from '../support/chain.ts'
import { deployToken, token } from '../support/contracts.ts'

it('a recording has the steps of the struct logs, with the frames that they are of', async () => {
  const chain = await testChain()
  const { node, rpc, alice, bob } = chain
  const { address } = await deployToken(chain, 0)
  const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [bob.address, 5n] })
  const hash = (await rpc('eth_sendTransaction', { from: alice.address, to: address, data })) as Hex
  const logs = (await rpc('debug_traceTransaction', hash, { disableStack: true, disableStorage: true })) as {
    structLogs: { pc: number; gas: number; depth: number }[]
  }
  const structLogs = {
    disableStack: true,
    disableStorage: true,
    enableMemory: false,
    enableReturnData: false,
    limit: 0,
  }
  const recorded = (await node.chain.traces.transaction(hexToHash(hash), {
    choice: { name: 'solidityTracer', config: undefined, structLogs, explain: () => (recording) => recording },
    timeout: 5000,
  })) as Recording
  const { steps, frames, root } = recorded
  const packed = Array.from({ length: steps.count }, (_, i) => [steps.pc(i), steps.gas(i), steps.depth(i) + 1])
  expect(packed).toEqual(logs.structLogs.map(({ pc, gas, depth }) => [pc, gas, depth]))
  expect(frames.get(root)).toMatchObject({
    first: 0,
    end: steps.count,
    calledAt: -1,
    lastPc: logs.structLogs.at(-1)?.pc,
  })
})

it('a failure of a contract without sources has its address, its function and the program counter', async () => {
  const chain = await testChain()
  const { raw, rpc, alice } = chain
  const { address } = await deployToken(chain, 0)
  const data = encodeFunctionData({ abi: token.abi, functionName: 'refuse', args: ['no'] })
  const sent = await raw('eth_sendTransaction', { from: alice.address, to: address, data, gas: '0x100000' })
  const hash = sent.result ?? (sent.error?.data as { txHash?: Hex } | undefined)?.txHash
  const [line] = (await rpc('kestrel_getStackTrace', hash)) as string[]
  expect(line).toMatch(new RegExp(`^no at ${address}\\.0x\\w{8} \\(no sources; pc \\d+\\)$`, 'i'))
  const traced = (await rpc('debug_traceTransaction', hash, { tracer: 'solidityTracer' })) as Record<string, unknown>
  expect(traced).toMatchObject({ type: 'CALL', reason: 'no', error: 'execution reverted', stack: [line] })
  const mux = { tracer: 'muxTracer', tracerConfig: { solidityTracer: {}, callTracer: {} } }
  expect(await rpc('debug_traceTransaction', hash, mux)).toMatchObject({
    solidityTracer: { stack: [line] },
    callTracer: {},
  })
})

it('a transaction that has not failed has no stack trace', async () => {
  const chain = await testChain()
  const { receipt } = await deployToken(chain, 0)
  expect(await chain.rpc('kestrel_getStackTrace', receipt.transactionHash)).toBeNull()
  await expect(chain.rpc('kestrel_getStackTrace', `0x${'1'.repeat(64)}`)).rejects.toThrow('transaction not found')
})
