// Foundry's cast against the node: common commands, over HTTP and over a WebSocket.
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { type Hex, keccak256, parseEther, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { account } from '../support/chain.ts'
import { deployToken } from '../support/contracts.ts'
import { processForFile } from '../support/process.ts'

// The package's wrapper hides the exit code, so use the program in the package of this platform.
const machine = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
const CAST = createRequire(import.meta.url).resolve(`@foundry-rs/cast-${machine}/bin/cast`)

const clients = await processForFile()
const keyOf = (index: number) => toHex(account(index).getHdKey().privateKey ?? new Uint8Array())
const stranger = (text: string) => privateKeyToAddress(keccak256(toHex(text)))

// The first command reads a program of 60 MB, which has taken more than 20 s on a cold disk.
beforeAll(() => promisify(execFile)(CAST, ['--version']), 300_000)

describe.each([
  ['HTTP', `${clients.url}/rpc`, 0],
  ['a WebSocket', clients.wsUrl, 3],
])('cast over %s', (transport, rpcUrl, from) => {
  const run = promisify(execFile)
  /** Standard output of `cast …`; throws with its standard error when it fails. */
  const cast = async (...words: string[]): Promise<string> => {
    const env = { ...process.env, ETH_RPC_URL: rpcUrl }
    const began = performance.now()
    try {
      return (await run(CAST, words, { env, timeout: 25_000 })).stdout.trim()
    } catch (error) {
      const { signal } = z.object({ signal: z.string() }).catch({ signal: '' }).parse(error)
      if (signal === '') throw error
      throw new Error(`cast ${words[0]} was ended by ${signal} after ${Math.round(performance.now() - began)} ms`)
    }
  }
  const castJson = async (command: string, ...words: string[]) => JSON.parse(await cast(command, '--json', ...words))
  const send = (...words: string[]) => castJson('send', '--private-key', keyOf(from), ...words)

  const address = account(from).address
  const to = stranger(transport)

  test('chain-id, client, balance, nonce, gas-price, base-fee, block-number', async () => {
    expect(await cast('chain-id')).toBe('125')
    expect(await cast('client')).toMatch(/^anvil\/kestrel/)
    expect(await cast('balance', account(9).address)).toBe(parseEther('10000').toString())
    expect(await cast('balance', account(9).address, '--ether')).toMatch(/^10000\.0+$/)
    expect(await cast('nonce', account(9).address)).toBe('0')
    expect(BigInt(await cast('gas-price'))).toBeGreaterThan(BigInt(await cast('base-fee')))
    expect(Number(await cast('block-number'))).toBe(Number(await clients.viem.getBlockNumber({ cacheTime: 0 })))
  })

  test('rpc with a tracer in JavaScript', async () => {
    const watched = stranger(`${transport}, traced`)
    const { transactionHash } = await send(watched, '--value', '3')
    const code = '{ fault: function() {}, result: function(ctx) { return [ctx.type, toHex(ctx.to), ctx.value] } }'
    const options = JSON.stringify({ tracer: code })
    expect(JSON.parse(await cast('rpc', 'debug_traceTransaction', transactionHash, options))).toEqual([
      ...['CALL', watched.toLowerCase(), '3'],
    ])
  })

  test('send, receipt, tx, block, age', async () => {
    const receipt = await send(to, '--value', '0.5ether')
    expect(receipt).toMatchObject({ status: '0x1', gasUsed: '0x5208', from: address.toLowerCase() })
    const hash = receipt.transactionHash as Hex
    expect(await castJson('receipt', hash)).toMatchObject({ transactionHash: hash, blockHash: receipt.blockHash })
    expect(await cast('receipt', hash, 'status')).toMatch(/^(1|true)/)
    expect(await castJson('tx', hash)).toMatchObject({ hash, value: toHex(parseEther('0.5')), type: '0x2' })
    expect(await cast('tx', hash, 'nonce')).toMatch(/^\d+$/)
    const raw = (await cast('tx', hash, '--raw')) as Hex
    expect(keccak256(raw)).toBe(hash)
    const number = String(Number(receipt.blockNumber))
    expect(await castJson('block', number)).toMatchObject({ hash: receipt.blockHash, transactions: [hash] })
    expect((await castJson('block', number, '--full')).transactions[0]).toMatchObject({ hash })
    expect(await cast('block', 'pending', '--field', 'number')).toBe(String(Number(await cast('block-number')) + 1))
    expect(await cast('balance', to)).toBe(parseEther('0.5').toString())
    const { timestamp } = await clients.viem.getBlock({ blockNumber: BigInt(number) })
    expect(Date.parse(await cast('age', number)) / 1000).toBe(Number(timestamp))
    expect(await cast('find-block', String(timestamp))).toMatch(/^\d+$/)
  })

  test('legacy, access list and asynchronous sends', async () => {
    expect(await send(to, '--value', '1', '--legacy')).toMatchObject({ status: '0x1', type: '0x0' })
    expect(await send(to, '--value', '1', '--access-list', `[{"address":"${to}","storageKeys":[]}]`)).toMatchObject({
      status: '0x1',
      gasUsed: toHex(21_000 + 2_400),
    })
    const hash = await cast('send', '--async', '--private-key', keyOf(from), to, '--value', '1')
    expect(await castJson('receipt', hash)).toMatchObject({ status: '0x1' })
    expect(await castJson('send', '--unlocked', '--from', account(from + 1).address, to, '--value', '1')).toMatchObject(
      {
        from: account(from + 1).address.toLowerCase(),
      },
    )
    const signed = await cast('mktx', '--private-key', keyOf(from), to, '--value', '2')
    expect(await castJson('publish', signed)).toMatchObject({ status: '0x1' })
  })

  test('a contract: call, logs, code, storage, estimate, access-list, proof', async () => {
    const token = await deployToken(clients, from)
    expect(await cast('call', token.address, 'name()(string)')).toBe('"Token"')
    const receipt = await send(token.address, 'transfer(address,uint256)', to, '7')
    expect(receipt.logs).toHaveLength(1)
    expect(await cast('call', token.address, 'balanceOf(address)(uint256)', to)).toBe('7')
    await expect(cast('call', token.address, 'refuse(string)', 'not today')).rejects.toThrow('not today')
    await expect(
      cast('send', '--private-key', keyOf(from + 1), token.address, 'transfer(address,uint256)', to, '7'),
    ).rejects.toThrow(/revert/)
    const logs = await castJson(
      'logs',
      '--from-block',
      '0',
      '--address',
      token.address,
      'Transfer(address indexed,address indexed,uint256)',
      address,
      to,
    )
    expect(logs).toMatchObject([{ transactionHash: receipt.transactionHash, data: toHex(7n, { size: 32 }) }])
    expect(await cast('code', token.address)).toBe(await clients.viem.getCode(token))
    expect(await cast('codesize', token.address)).toMatch(/^\d+$/)
    expect(BigInt(await cast('storage', token.address, '1'))).toBe(parseEther('1000'))
    expect(
      BigInt(await cast('estimate', '--from', address, token.address, 'transfer(address,uint256)', to, '7')),
    ).toBeGreaterThan(21_000n)
    expect(await cast('estimate', '--from', address, to, '--value', '1')).toBe('21000')
    expect(await cast('access-list', '--from', address, token.address, 'transfer(address,uint256)', to, '7')).toContain(
      token.address,
    )
    const proof = await castJson('proof', token.address, '1')
    expect(proof.storageProof[0]).toMatchObject({ value: toHex(parseEther('1000')) })
    expect(keccak256(proof.accountProof[0])).toBe((await clients.viem.getBlock()).stateRoot)
    const created = await castJson('send', '--private-key', keyOf(from), '--create', '0x600160005260206000f3')
    expect(await cast('code', created.contractAddress)).toBe(toHex(1n, { size: 32 }))
  })

  test('rpc and the development methods', async () => {
    expect(await cast('rpc', 'eth_chainId')).toBe('"0x7d"')
    expect(await cast('rpc', 'eth_getBalance', account(9).address, '0x0')).toBe(`"${toHex(parseEther('10000'))}"`)
    const before = Number(await cast('block-number'))
    await cast('rpc', 'anvil_mine', '3')
    expect(Number(await cast('block-number'))).toBe(before + 3)
    await expect(cast('rpc', 'eth_nothing')).rejects.toThrow('-32601')
    expect(await castJson('rpc', 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })
})
