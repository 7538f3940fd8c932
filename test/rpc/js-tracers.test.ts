// Tracers written in JavaScript. Expected values: go-ethereum's messages and shapes (eth/tracers/js, version 1.17.6 gave the
// same results for these contracts and tracers), and the gas of the Yellow Paper and EIPs 2929 and 3529.
import { getContractAddress, type Hex, keccak256, pad, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Node, startNode } from '../../src/node.ts'
import { asm, call, playground, returnTop } from '../support/assembler.ts'
import { nodeOptions, rawRequest, testChain, withClients } from '../support/chain.ts'

let node: Node
let chain: ReturnType<typeof withClients>
let { contract, send, rpc, alice } = {} as ReturnType<typeof playground>

beforeAll(async () => {
  node = await startNode(nodeOptions())
  chain = withClients(node)
  ;({ contract, send, rpc, alice } = playground(chain))
})
afterAll(() => node.close())

/** A tracer from the bodies of its functions; `fault` and `result` are required. */
const tracer = (parts: Record<string, string>): string => {
  const all = { fault: '', result: 'return this.seen', ...parts }
  const functions = Object.entries(all).map(([name, body]) => `${name}: function(log, db) { ${body} }`)
  return `{ seen: [], ${functions.join(', ')} }`
}
const trace = (hash: Hex, code: string, options: object = {}) =>
  rpc('debug_traceTransaction', hash, { tracer: code, ...options })
const failure = async (hash: Hex, code: string, options: object = {}): Promise<string | undefined> =>
  (await chain.raw('debug_traceTransaction', hash, { tracer: code, ...options })).error?.message
const word = (value: number) => pad(toHex(value))

describe('a tracer in JavaScript', () => {
  it('accepts a tracerConfig of 100 levels', async () => {
    const hash = await send(await contract(asm('STOP')))
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown
    const code = tracer({ setup: 'this.seen = log.length' })
    expect(await trace(hash, code, { tracerConfig: nested(100) })).toBe(200)
    expect(await failure(hash, code, { tracerConfig: nested(200) })).toContain('tracerConfig: nested too deeply')
  })

  it('sees each opcode before it runs', async () => {
    const to = await contract(asm('PUSH1 0x2a', 'PUSH1 0x01', 'SSTORE', 'PUSH1 0x01', 'SLOAD', ...returnTop))
    const hash = await send(to, { gas: 100_000, data: '0x01020304' })
    const step = `
      var op = log.op.toString()
      this.seen.push([log.getPC(), op, log.op.toNumber(), log.op.isPush(), log.getGas(), log.getCost(), log.getDepth(),
        log.getRefund(), log.getError() === undefined, log.stack.length(), log.memory.length()])
      if (op === 'SSTORE') this.slot = toHex(db.getState(log.contract.getAddress(), toWord('0x01')))
      if (op === 'SSTORE') this.peeked = [log.stack.peek(0), log.stack.peek(1).toString(16)]
      if (op === 'RETURN') this.memory = [log.memory.getUint(0), toHex(log.memory.slice(30, 34))]
      this.contract = [log.contract.getCaller(), log.contract.getAddress(), log.contract.getInput()].map(toHex)`
    const result = 'return [this.seen, this.slot, this.peeked, this.memory, this.contract]'
    const [steps, slot, peeked, memory, frameContract] = await trace(hash, tracer({ step, result }))
    const gas = 100_000 - 21_000 - 4 * 16
    // A cold zero slot costs 22,100; the second read 100.
    expect(steps).toEqual([
      [0, 'PUSH1', 0x60, true, gas, 3, 1, 0, true, 0, 0],
      [2, 'PUSH1', 0x60, true, gas - 3, 3, 1, 0, true, 1, 0],
      [4, 'SSTORE', 0x55, false, gas - 6, 22_100, 1, 0, true, 2, 0],
      [5, 'PUSH1', 0x60, true, gas - 22_106, 3, 1, 0, true, 0, 0],
      [7, 'SLOAD', 0x54, false, gas - 22_109, 100, 1, 0, true, 1, 0],
      [8, 'PUSH0', 0x5f, true, gas - 22_209, 2, 1, 0, true, 1, 0],
      [9, 'MSTORE', 0x52, false, gas - 22_211, 6, 1, 0, true, 2, 0],
      [10, 'PUSH1', 0x60, true, gas - 22_217, 3, 1, 0, true, 0, 32],
      [12, 'PUSH0', 0x5f, true, gas - 22_220, 2, 1, 0, true, 1, 32],
      [13, 'RETURN', 0xf3, false, gas - 22_222, 0, 1, 0, true, 2, 32],
    ])
    // `step` sees the state before the opcode. A bigInt becomes its digits in JSON; memory beyond its size is zero.
    expect(slot).toBe(word(0))
    expect(peeked).toEqual(['1', '2a'])
    expect(memory).toEqual(['42', '0x002a0000'])
    expect(frameContract).toEqual([alice, to, '0x01020304'])
  })

  it('is called for the start and end of frames, and for failing opcodes', async () => {
    const reverting = await contract(asm('PUSH1 0x2a', ...returnTop.slice(0, -1), 'REVERT'))
    const jumping = await contract(asm('PUSH1 0x07', 'JUMP'))
    const short = await contract(asm('ADD'))
    const dying = await contract(asm(`PUSH20 ${alice}`, 'SELFDESTRUCT'), 3n)
    const init = asm('PUSH1 0xfe', 'PUSH0', 'MSTORE8', 'PUSH1 0x01', 'PUSH0', 'RETURN')
    const size = (init.length - 2) / 2
    const create = (kind: string, salt: string[]) => [
      ...[
        `PUSH${size} ${init}`,
        'PUSH0',
        'MSTORE',
        ...salt,
        `PUSH1 ${toHex(size, { size: 1 })}`,
        `PUSH1 ${toHex(32 - size, { size: 1 })}`,
        'PUSH0',
      ],
      ...[kind, 'POP'],
    ]
    const calls = [
      ...[...call(reverting, { value: '0x01' }), ...call(jumping, { kind: 'STATICCALL' })],
      ...[...call(short, { kind: 'DELEGATECALL' }), ...call(dying), ...call(alice, { value: '0xff' })],
      ...[...create('CREATE', []), ...create('CREATE2', ['PUSH1 0x05'])],
    ]
    const to = await contract(asm(...calls, 'STOP'), 1n)
    const hash = await send(to, { gas: 1_000_000 })
    const enter = `this.seen.push([log.getType(), toHex(log.getFrom()), toHex(log.getTo()), toHex(log.getInput()),
      log.getValue() === undefined ? null : log.getValue().toString()])`
    const exit = 'this.seen.push([toHex(log.getOutput()), log.getError()])'
    const step = 'if (log.getError()) this.seen.push(["step", log.op.toString(), log.getError(), log.getDepth()])'
    const fault = `this.seen.push(["fault", log.op.toString(), log.getError(), toHex(log.contract.getCaller()),
      log.contract.getValue().toString(), log.stack.length()])`
    const made = getContractAddress({ from: to, nonce: 0n }).toLowerCase()
    const salted = getContractAddress({
      opcode: 'CREATE2',
      from: to,
      salt: pad('0x05'),
      bytecode: init,
    }).toLowerCase()
    expect(await trace(hash, tracer({ enter, exit, step, fault }))).toEqual([
      ['CALL', to, reverting, '0x', '1'],
      ['fault', 'REVERT', 'execution reverted', to, '1', 2],
      [word(42), 'execution reverted'],
      ['STATICCALL', to, jumping, '0x', null],
      ['fault', 'JUMP', 'invalid jump destination', to, '0', 1],
      ['0x', 'invalid jump destination'],
      // DELEGATECALL's code sees the caller of its frame. An opcode that fails before it runs is a step with an error.
      ['DELEGATECALL', to, short, '0x', '0'],
      ['step', 'ADD', 'stack underflow (0 <=> 2)', 2],
      ['0x', 'stack underflow (0 <=> 2)'],
      ['CALL', to, dying, '0x', '0'],
      ['SELFDESTRUCT', dying, alice, '0x', '3'],
      ['0x', null],
      ['0x', null],
      ['CALL', to, alice, '0x', '255'],
      ['0x', 'insufficient balance for transfer'],
      ['CREATE', to, made, init, '0'],
      ['0xfe', null],
      ['CREATE2', to, salted, init, '0'],
      ['0xfe', null],
    ])
  })

  it('gets the context of the transaction in `result`', async () => {
    const to = await contract(asm('PUSH1 0x2a', ...returnTop))
    const hash = await send(to, { gas: 100_000, value: 5n, data: '0xff' })
    const { blockHash, blockNumber, gasUsed } = await rpc('eth_getTransactionReceipt', hash)
    const result = `var seen = {}
      for (var name in log) seen[name] = log[name] instanceof Uint8Array ? toHex(log[name]) : log[name]
      seen.time = typeof seen.time
      seen.state = [db.getBalance(log.to), db.getNonce(log.from) > 0, db.exists(log.to), toHex(db.getCode(log.to))]
      return seen`
    const { gasPrice, ...context } = await trace(hash, tracer({ result }))
    expect(context).toEqual({
      type: 'CALL',
      from: alice,
      to,
      input: '0xff',
      value: '5',
      gas: 100_000,
      gasUsed: Number(gasUsed),
      output: word(42),
      block: Number(blockNumber),
      blockHash,
      txHash: hash,
      txIndex: 0,
      intrinsicGas: 21_016,
      coinbase: (await rpc('eth_getBlockByNumber', blockNumber, false)).miner,
      time: 'string',
      state: ['5', true, true, asm('PUSH1 0x2a', ...returnTop)],
    })
    // go-ethereum's gasPrice is the tip.
    const { maxPriorityFeePerGas } = await rpc('eth_getTransactionByHash', hash)
    expect(gasPrice).toBe(String(BigInt(maxPriorityFeePerGas)))
    const failed = await send(await contract(asm('INVALID')))
    expect(await trace(failed, tracer({ result: 'return [log.error, log.output.length]' }))).toEqual([
      ...['invalid opcode: INVALID', 0],
    ])
  })

  it('has go-ethereum’s global functions', async () => {
    const hash = await send(await contract(asm('STOP')))
    const evaluate = (...expressions: string[]) => trace(hash, tracer({ result: `return [${expressions.join(', ')}]` }))
    expect(await evaluate('toHex([1, 255])', 'toHex(toAddress("0xabc"))', 'toHex(toWord([1, 2]))')).toEqual([
      ...['0x01ff', pad('0xabc', { size: 20 }), pad('0x0102')],
    ])
    expect(await evaluate('toHex(slice(toWord("0x0102"), 30, 32))', 'bigInt(2).pow(70).mod(1000)')).toEqual([
      ...['0x0102', String(2n ** 70n % 1000n)],
    ])
    const [plain, salted] = await evaluate(
      ...[`toHex(toContract("${alice}", 5))`, `toHex(toContract2("${alice}", "0x07", "0x6000"))`],
    )
    expect(plain).toBe(getContractAddress({ from: alice, nonce: 5n }).toLowerCase())
    const bytecodeHash = keccak256('0x6000')
    const byHash = getContractAddress({ opcode: 'CREATE2', from: alice, salt: pad('0x07'), bytecodeHash })
    expect(salted).toBe(byHash.toLowerCase())
    // Ethereum's precompiles, a native contract, and another account.
    const staking = '0x0000000000000000000000000000000000000800'
    expect(
      await evaluate('isPrecompiled(toAddress("0x1"))', `isPrecompiled("${staking}")`, `isPrecompiled("${alice}")`),
    ).toEqual([true, true, false])
    const globals = ['process', 'require', 'fetch', 'setTimeout', 'host']
    expect(await evaluate(...globals.map((name) => `typeof ${name}`))).toEqual(globals.map(() => 'undefined'))
  })

  it('gets its tracerConfig as text in `setup`', async () => {
    const hash = await send(await contract(asm('STOP')))
    const code = tracer({ setup: 'this.seen = log' })
    expect(await trace(hash, code)).toBe('{}')
    expect(await trace(hash, code, { tracerConfig: { depth: [1] } })).toBe('{"depth":[1]}')
  })

  it('fails with go-ethereum’s messages', async () => {
    const hash = await send(await contract(asm('PUSH0', 'POP')))
    expect(await failure(hash, '{fault: function() {}}')).toBe('trace object must expose a function result()')
    expect(await failure(hash, '{result: function() {}}')).toBe('trace object must expose a function fault()')
    expect(await failure(hash, tracer({ enter: '' }))).toBe(
      'trace object must expose either both or none of enter() and exit()',
    )
    expect(await failure(hash, '{result: function( }')).toMatch(/^SyntaxError: /)
    const place = / at step \(<eval>:1:\d+\) {4}in server-side tracer function 'step'$/
    const peeking = await failure(hash, tracer({ step: 'log.stack.peek(-1)' }))
    expect(peeking).toMatch(/^tracer accessed out of bound stack: size 0, index -1/)
    expect(peeking).toMatch(place)
    expect(await failure(hash, tracer({ step: 'log.memory.slice(-1, -2)' }))).toMatch(
      /^tracer accessed out of bound memory: offset -1, end -2 at step /,
    )
    expect(await failure(hash, tracer({ step: 'log.memory.getUint(-64)' }))).toMatch(
      /^tracer accessed out of bound memory: available 0, offset -64, size 32 at step /,
    )
    expect(await failure(hash, tracer({ step: 'log.memory.slice(5, 1048582)' }))).toMatch(
      /^reached limit for padding memory slice: 1048582 at step /,
    )
    // The script cannot catch an error of the node.
    expect(await failure(hash, tracer({ step: 'try { toHex("0x") } catch (e) {}' }))).toMatch(/^invalid buffer type/)
    expect(await failure(hash, tracer({ step: 'log.nothing.at()' }))).toMatch(/^TypeError: .* at step /)
    expect(await failure(hash, tracer({ result: 'throw "enough"' }))).toMatch(
      /^enough {4}in server-side tracer function 'result'$/,
    )
  })
})

describe('requests with a JavaScript tracer', () => {
  it('may trace a call at any block, also at the pending one', async () => {
    const code = tracer({ step: 'this.seen.push(log.op.toString())', result: 'return [this.seen, log.block]' })
    const request = { from: alice, to: '0x00000000000000000000000000000000000c0de0' }
    const stateOverrides = { [request.to]: { code: asm('PUSH0', 'STOP') } }
    const head = Number(await rpc('eth_blockNumber'))
    for (const [ref, block] of [
      ['latest', head],
      ['pending', head + 1],
      ['earliest', 0],
    ] as const) {
      expect(await rpc('debug_traceCall', request, ref, { tracer: code, stateOverrides })).toEqual([
        ...[['PUSH0', 'STOP'], block],
      ])
    }
    const bundle = { transactions: [request, request], stateOverride: stateOverrides }
    const both = await rpc('debug_traceCallMany', [bundle], { blockNumber: 'latest' }, { tracer: code })
    expect(both).toEqual([[...[0, 1].map(() => [['PUSH0', 'STOP'], head])]])
  })

  it('may trace a block, whose transactions fail independently', async () => {
    const quiet = await testChain({ automine: false })
    const { send, rpc, contract } = playground(quiet)
    const to = await contract(asm('STOP'))
    const hashes = [await send(to), await send(to, { gas: 100_000 })]
    await quiet.mine()
    const code = tracer({ result: 'if (log.gas === 100000) throw "not this one"; return log.txIndex' })
    const traces = [
      { txHash: hashes[0], result: 0 },
      { txHash: hashes[1], error: "not this one    in server-side tracer function 'result'" },
    ]
    expect(await rpc('debug_traceBlockByNumber', 'latest', { tracer: code })).toEqual(traces)
    const raw = await rpc('debug_getRawBlock', 'latest')
    expect(await rpc('debug_traceBlock', raw, { tracer: code })).toEqual(traces)
  })

  it('compute contract addresses for any number as nonce', async () => {
    const hash = await send(await contract(asm('STOP')))
    const made = async (nonce: string) =>
      trace(hash, tracer({ result: `return toHex(toContract("${alice}", ${nonce}))` }))
    const from = (nonce: bigint) => getContractAddress({ from: alice, nonce }).toLowerCase()
    expect(await made('-1')).toBe(from(2n ** 64n - 1n))
    expect(await made('Infinity')).toBe(from(0n))
  })

  it('are at most 32 in muxTracer, at any depth', async () => {
    const hash = await send(await contract(asm('STOP')))
    const codes = Array.from({ length: 32 }, (_, i) => [tracer({ result: `return ${i}` }), null] as const)
    const deep = Array.from({ length: 32 }).reduce<unknown>((config) => ({ muxTracer: config }), {})
    for (const tracerConfig of [Object.fromEntries(codes), deep]) {
      const { error } = await chain.raw('debug_traceTransaction', hash, { tracer: 'muxTracer', tracerConfig })
      expect([error?.code, error?.message]).toEqual([-32602, 'expected at most 32 tracers in muxTracer'])
    }
    const tracerConfig = Object.fromEntries(codes.slice(1))
    expect(Object.values(await trace(hash, 'muxTracer', { tracerConfig }))).toEqual(codes.slice(1).map((_, i) => i + 1))
  })

  it('may be part of muxTracer', async () => {
    const hash = await send(await contract(asm('PUSH0', 'POP', 'STOP')))
    const code = tracer({ step: 'this.seen.push(log.getPC())' })
    const parts = await trace(hash, 'muxTracer', { tracerConfig: { [code]: null, opcountTracer: null } })
    expect(parts).toEqual({ [code]: [0, 1, 2], opcountTracer: 3 })
  })

  it('run on the reference engine too, and see native contracts', async () => {
    const { rpc } = await testChain({ engine: 'library' })
    const step =
      'this.seen.push(log.op.toString() + (log.op.toString() === "SSTORE" ? db.getState(log.contract.getAddress(), toWord("0x00"))[31] : ""))'
    const to = '0x00000000000000000000000000000000000c0de0'
    const code = asm('PUSH1 0x07', 'PUSH0', 'SSTORE', 'PUSH1 0x08', 'PUSH0', 'SSTORE')
    const stateOverrides = { [to]: { code } }
    expect(await rpc('debug_traceCall', { to }, 'latest', { tracer: tracer({ step }), stateOverrides })).toEqual([
      ...['PUSH1', 'PUSH0', 'SSTORE0', 'PUSH1', 'PUSH0', 'SSTORE7', 'STOP'],
    ])
    // A native contract is a frame without opcodes; it refuses a call without data.
    const staking = '0x0000000000000000000000000000000000000800'
    const calling = { [to]: { code: asm(...call(staking), 'STOP') } }
    const frames = tracer({
      enter: 'this.seen.push(log.getType(), toHex(log.getTo()))',
      exit: 'this.seen.push(log.getError())',
    })
    expect(await rpc('debug_traceCall', { to }, 'latest', { tracer: frames, stateOverrides: calling })).toEqual([
      ...['CALL', staking, 'execution reverted'],
    ])
  })
})

describe('go-ethereum’s counting tracers', () => {
  it('count opcodes, and pairs of opcodes', async () => {
    const callee = await contract(asm('PUSH0'))
    const hash = await send(await contract(asm('PUSH0', ...call(callee), 'POP', 'STOP')))
    // Eight pushes, five of them PUSH0, CALL, the callee's PUSH0 and STOP, POP, STOP.
    expect(await trace(hash, 'opcountTracer')).toBe(13)
    expect(await trace(hash, 'unigramTracer')).toEqual({
      PUSH0: 6,
      PUSH1: 1,
      PUSH20: 1,
      PUSH2: 1,
      CALL: 1,
      POP: 1,
      STOP: 2,
    })
    const bigrams = { 'PUSH0-PUSH0': 4, 'PUSH0-PUSH1': 1, 'PUSH1-PUSH20': 1, 'PUSH20-PUSH2': 1, 'PUSH2-CALL': 1 }
    expect(await trace(hash, 'bigramTracer')).toEqual({ ...bigrams, 'PUSH0-STOP': 1, 'POP-STOP': 1 })
    expect(await trace(hash, 'trigramTracer')).toMatchObject({ '--PUSH0': 1, '-PUSH0-PUSH0': 1, '--STOP': 2 })
  })
})

describe('a JavaScript tracer that exceeds its limits', () => {
  it('is stopped, and delays neither requests nor blocks', async () => {
    const hash = await send(await contract(asm('STOP')))
    let isOver = false
    const endless = failure(hash, tracer({ step: 'while (true) {}' }), { timeout: '3s' }).finally(() => {
      isOver = true
    })
    // Sends a transaction and mines its block while the script runs.
    await send(alice)
    expect(isOver).toBe(false)
    expect(await endless).toMatch(
      /^execution timeout at step \(<eval>:1:\d+\) {4}in server-side tracer function 'step'$/,
    )
    expect(await failure(hash, tracer({ setup: 'while (true) {}' }), { timeout: '50ms' })).toMatch(/^execution timeout/)
    const regular = '/^(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")'
    expect(await failure(hash, tracer({ step: regular }), { timeout: '50ms' })).toMatch(/^execution timeout/)
  })

  it('fails alone when memory or stack is exhausted, and the next one runs', async () => {
    const hash = await send(await contract(asm('STOP')))
    const grow = 'return new Uint8Array(200000000)'
    const time = { timeout: '60s' }
    expect(await failure(hash, tracer({ result: grow }), time)).toMatch(/out of memory/)
    const recurse = 'function f() { return f() + 1 }; return f()'
    expect(await failure(hash, tracer({ result: recurse }), time)).toMatch(/stack overflow/)
    const nested = 'return eval("(".repeat(100000) + "1" + ")".repeat(100000))'
    expect(await failure(hash, tracer({ result: nested }), time)).toMatch(/stack overflow/)
    // A built-in function that runs for ten seconds and cannot be interrupted: the node ends the thread.
    const stubborn = tracer({ result: 'return Array(1000000000).join("")' })
    expect(await failure(hash, stubborn, { timeout: '50ms' })).toBe('execution timeout')
    expect(await trace(hash, tracer({ result: 'return 1' }))).toBe(1)
  })

  it('ends with its client’s connection', async () => {
    const hash = await send(await contract(asm('STOP')))
    const leaving = new AbortController()
    const params = [hash, { tracer: tracer({ step: 'while (true) {}' }), timeout: '30s' }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params })
    const headers = { 'content-type': 'application/json' }
    // More requests than threads and than places for heavy calls.
    const gone = Array.from({ length: 6 }, () =>
      fetch(node.url, { method: 'POST', headers, body, signal: leaving.signal }),
    )
    for (const each of gone) each.catch(() => undefined)
    // When these later requests are answered, the traces are running: a trace in a thread gives its place back.
    await send(alice)
    expect(await rpc('eth_call', { from: alice, to: alice }, 'latest')).toBe('0x')
    leaving.abort()
    for (const each of gone) await expect(each).rejects.toThrow()
    // The disconnected requests held both threads: this one can be answered only because they were freed before the 30 s
    // timeout.
    expect(await trace(hash, tracer({ result: 'return 1' }))).toBe(1)
  }, 20_000)
})

it('a node with JavaScript tracers disabled refuses them, and runs built-in tracers', async () => {
  const node = await startNode(nodeOptions({ jsTracers: false }))
  onTestFinished(() => node.close())
  const traced = (name: string) =>
    rawRequest(node.url, 'debug_traceCall', [{ to: pad('0x', { size: 20 }) }, 'latest', { tracer: name }])
  expect((await traced(tracer({}))).error?.message).toContain('JavaScript tracers are not run here')
  expect((await traced('callTracer')).result).toMatchObject({ type: 'CALL' })
})
