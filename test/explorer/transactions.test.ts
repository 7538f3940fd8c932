// Transactions of the explorer API, against receipts, balances and traces of the same node's JSON-RPC.
import { encodeFunctionData, getAddress, type Hex, parseEther, parseGwei, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { viemKzg, withCellProofs } from '../support/blobs.ts'
import { attempter, reverter } from '../support/forwarder.ts'
import { isoTime, scenario, ZERO } from './scenario.ts'

const on = scenario(async ({ deploy, call, send, alice, bob }) => {
  const plain = await send(0, bob.address, 12_345n)
  const coin = await deploy('Coin', ['Silver', 'SLV', 6, 1_000_000n])
  const moved = await call(coin, 'transfer', [bob.address, 250_000n])
  const token = await deploy('Token', ['Token', 100n])
  const refused = await call(token, 'refuse', ['not today'])
  const poor = await call(token, 'transfer', [bob.address, 101n])
  const frames = await deploy('Frames')
  const deep = await call(frames, 'descend', [3n, 1n])
  const art = await deploy('Art', [false])
  const painted = await call(art, 'mint', [alice.address, 7n])
  const given = await call(art, 'transferFrom', [alice.address, bob.address, 7n])
  const items = await deploy('Items')
  const minted = await call(items, 'mintBatch', [alice.address, [1n, 2n], [10n, 20n]])
  const factory = await deploy('Factory')
  return { plain, coin, moved, token, refused, poor, frames, deep, art, painted, given, items, minted, factory }
})

const amount = (value: bigint | number) => value.toString()

describe('a transfer of coins', () => {
  it('has the fields of its receipt, its block and its signed transaction', async () => {
    const { read, viem, made, alice, bob } = on()
    const { plain } = made
    const shown = await read(`/transactions/${plain.transactionHash}`)
    const signed = await viem.getTransaction({ hash: plain.transactionHash })
    const block = await viem.getBlock({ blockHash: plain.blockHash })
    const head = await viem.getBlockNumber({ cacheTime: 0 })
    expect(shown).toMatchObject({
      hash: plain.transactionHash,
      block_number: Number(plain.blockNumber),
      timestamp: isoTime(block.timestamp),
      from: { hash: getAddress(alice.address), is_contract: false },
      to: { hash: getAddress(bob.address), is_contract: false },
      created_contract: null,
      value: '12345',
      status: 'ok',
      result: 'success',
      gas_used: '21000',
      gas_limit: amount(signed.gas),
      gas_price: amount(plain.effectiveGasPrice),
      fee: { type: 'actual', value: amount(plain.effectiveGasPrice * 21_000n) },
      type: 2,
      nonce: 0,
      position: 0,
      max_fee_per_gas: amount(signed.maxFeePerGas ?? 0n),
      max_priority_fee_per_gas: amount(signed.maxPriorityFeePerGas ?? 0n),
      base_fee_per_gas: amount(block.baseFeePerGas ?? 0n),
      priority_fee: amount((plain.effectiveGasPrice - (block.baseFeePerGas ?? 0n)) * 21_000n),
      // This chain collects base fees instead of burning them.
      transaction_burnt_fee: '0',
      confirmations: Number(head - plain.blockNumber) + 1,
      method: null,
      transaction_types: ['coin_transfer'],
      raw_input: '0x',
      decoded_input: null,
      revert_reason: null,
      token_transfers: [],
      token_transfers_overflow: false,
      has_error_in_internal_transactions: false,
      authorization_list: [],
      exchange_rate: null,
    })
  })

  it('changes the balances of sender, receiver and fee collector only', async () => {
    const { read, viem, made } = on()
    const { items } = await read(`/transactions/${made.plain.transactionHash}/state-changes`)
    const { blockNumber } = made.plain
    for (const row of items) {
      const address = row.address.hash as Hex
      const before = await viem.getBalance({ address, blockNumber: blockNumber - 1n })
      const after = await viem.getBalance({ address, blockNumber })
      expect(row).toMatchObject({
        type: 'coin',
        balance_before: amount(before),
        balance_after: amount(after),
        change: amount(after - before),
        token: null,
        token_id: null,
      })
    }
    const { from, to, effectiveGasPrice } = made.plain
    const fee = effectiveGasPrice * 21_000n
    expect(items.map((row: { address: { hash: Hex } }) => row.address.hash).slice(0, 2)).toEqual(
      [from, to ?? ZERO].map((address) => getAddress(address)),
    )
    expect(items.map((row: { change: string }) => row.change)).toEqual([`-${12_345n + fee}`, '12345', amount(fee)])
  })
})

describe('a creation', () => {
  it('has the created contract and its type', async () => {
    const { read, made } = on()
    const { coin } = made
    const shown = await read(`/transactions/${coin.receipt.transactionHash}`)
    expect(shown).toMatchObject({
      to: null,
      created_contract: { hash: coin.address, is_contract: true, name: 'Silver' },
      method: null,
      transaction_types: ['contract_creation', 'token_transfer', 'token_creation'],
      decoded_input: null,
    })
    expect(shown.token_transfers).toHaveLength(1)
    expect(shown.token_transfers[0]).toMatchObject({
      type: 'token_minting',
      from: { hash: ZERO },
      total: { value: '1000000', decimals: '6' },
      method: null,
    })
  })
})

describe('a transfer of a token', () => {
  it('is decoded, with its transfer and its log', async () => {
    const { read, made, bob, alice } = on()
    const { coin, moved } = made
    const shown = await read(`/transactions/${moved.transactionHash}`)
    expect(shown).toMatchObject({
      method: 'transfer',
      transaction_types: ['contract_call', 'token_transfer'],
      raw_input: encodeFunctionData({ abi: coin.abi, functionName: 'transfer', args: [bob.address, 250_000n] }),
      decoded_input: {
        method_id: 'a9059cbb',
        parameters: [
          { type: 'address', value: getAddress(bob.address) },
          { type: 'uint256', value: '250000' },
        ],
      },
    })
    const [transfer] = shown.token_transfers
    expect(transfer).toMatchObject({
      transaction_hash: moved.transactionHash,
      block_hash: moved.blockHash,
      block_number: Number(moved.blockNumber),
      log_index: moved.logs[0]?.logIndex,
      method: 'transfer',
      from: { hash: getAddress(alice.address) },
      to: { hash: getAddress(bob.address) },
      token: { address_hash: coin.address, name: 'Silver', symbol: 'SLV', decimals: '6', type: 'ERC-20', holders: 2 },
      token_type: 'ERC-20',
      type: 'token_transfer',
      total: { value: '250000', decimals: '6' },
    })
    expect((await read(`/transactions/${moved.transactionHash}/token-transfers`)).items).toEqual([transfer])
    expect((await read(`/transactions/${moved.transactionHash}/token-transfers?type=ERC-721,ERC-404`)).items).toEqual(
      [],
    )

    const { items } = await read(`/transactions/${moved.transactionHash}/logs`)
    const [log] = moved.logs
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      index: log?.logIndex,
      data: log?.data,
      topics: [...(log?.topics ?? []), null],
      address: { hash: coin.address },
      smart_contract: { hash: coin.address },
      decoded: {
        method_id: 'ddf252ad',
        parameters: [
          { type: 'address', value: getAddress(alice.address), indexed: true },
          { type: 'address', value: getAddress(bob.address), indexed: true },
          { type: 'uint256', value: '250000', indexed: false },
        ],
      },
    })
  })

  it('changes token balances to the contract’s values', async () => {
    const { read, answer, made } = on()
    const { coin, moved } = made
    const { items } = await read(`/transactions/${moved.transactionHash}/state-changes`)
    const rows = items.filter((row: { type: string }) => row.type === 'token')
    expect(items.slice(-2)).toEqual(rows)
    expect(rows.map((row: { change: string }) => row.change)).toEqual(['-250000', '250000'])
    for (const row of rows) {
      const before = await answer(coin, 'balanceOf', [row.address.hash], moved.blockNumber - 1n)
      const after = await answer(coin, 'balanceOf', [row.address.hash], moved.blockNumber)
      expect([row.balance_before, row.balance_after]).toEqual([String(before), String(after)])
      expect(row).toMatchObject({ token: { address_hash: coin.address, decimals: '6' }, token_id: null })
    }
  })

  it('of single items lists them as state changes', async () => {
    const { read, made, alice, bob } = on()
    const { art, given } = made
    const { items } = await read(`/transactions/${given.transactionHash}/state-changes`)
    const moves = items
      .filter((row: { type: string }) => row.type === 'token')
      .map((row: { address: { hash: string }; change: { direction: string; total: { token_id: string } }[] }) => [
        row.address.hash,
        row.change.map(({ direction, total }) => [direction, total.token_id]),
      ])
    expect(moves).toEqual([
      [getAddress(alice.address), [['from', '7']]],
      [getAddress(bob.address), [['to', '7']]],
    ])
    const [transfer] = (await read(`/transactions/${given.transactionHash}/token-transfers?type=ERC-721`)).items
    expect(transfer).toMatchObject({
      token: { address_hash: art.address, type: 'ERC-721', decimals: null },
      total: { token_id: '7', token_instance: { id: '7', is_unique: true, owner: { hash: getAddress(bob.address) } } },
    })
    expect(transfer.total).not.toHaveProperty('value')
  })

  it('of a batch is one transfer for each id', async () => {
    const { read, made, alice } = on()
    const { items } = await read(`/transactions/${made.minted.transactionHash}/token-transfers`)
    expect(items.map((item: { total: unknown; type: string }) => [item.type, item.total])).toMatchObject([
      ['token_minting', { token_id: '1', value: '10' }],
      ['token_minting', { token_id: '2', value: '20' }],
    ])
    const changes = (await read(`/transactions/${made.minted.transactionHash}/state-changes`)).items
    expect(changes.slice(-2)).toMatchObject([
      {
        address: { hash: getAddress(alice.address) },
        token_id: '1',
        change: '10',
        balance_before: '0',
        balance_after: '10',
      },
      {
        address: { hash: getAddress(alice.address) },
        token_id: '2',
        change: '20',
        balance_before: '0',
        balance_after: '20',
      },
    ])
  })
})

describe('a failed transaction', () => {
  it('shows its revert reason', async () => {
    const { read, made } = on()
    const { refused } = made
    expect(await read(`/transactions/${refused.transactionHash}`)).toMatchObject({
      status: 'error',
      result: 'execution reverted',
      gas_used: amount(refused.gasUsed),
      revert_reason: {
        method_id: '08c379a0',
        method_call: 'Error(string reason)',
        parameters: [{ name: 'reason', type: 'string', value: 'not today' }],
      },
    })
  })

  it('shows the bytes of an unknown error', async () => {
    const { read, made, alice } = on()
    const { revert_reason } = await read(`/transactions/${made.poor.transactionHash}`)
    // InsufficientBalance(address,uint256,uint256) is not an error of OpenZeppelin, whose error is ERC20InsufficientBalance.
    const words = [BigInt(alice.address), 100n, 101n].map((word) => word.toString(16).padStart(64, '0'))
    expect(revert_reason.raw.slice(10)).toBe(words.join(''))
    expect((await read(`/transactions/${made.poor.transactionHash}/token-transfers`)).items).toEqual([])
  })

  it('that is a creation has no created contract', async () => {
    const { read, send } = on()
    const { transactionHash } = await send(0, undefined, 0n, { data: '0xfe', gas: 100_000n })
    expect(await read(`/transactions/${transactionHash}`)).toMatchObject({
      status: 'error',
      created_contract: null,
      to: null,
      transaction_types: ['contract_creation'],
    })
  })

  it('is in the list of those that failed, with a sentence, until its block is removed', async () => {
    const { read, readAll, rpc, call, made } = on()
    const snapshot = await rpc('evm_snapshot')
    const { transactionHash } = await call(made.token, 'refuse', ['for the list'])
    const hashes = (items: { hash: Hex }[]) => items.map(({ hash }) => hash)
    const failed = (await readAll('/transactions')).filter(({ status }) => status === 'error')
    expect(hashes(failed)).toEqual(
      expect.arrayContaining([transactionHash, made.refused.transactionHash, made.poor.transactionHash]),
    )
    expect(hashes(await readAll('/transactions?filter=failed', 2))).toEqual(hashes(failed))
    expect(failed[0]).not.toHaveProperty('summary')
    const [first] = (await read('/transactions?filter=failed&summaries=true')).items
    const { data } = await read(`/transactions/${transactionHash}/summary`)
    expect([first.hash, first.summary]).toEqual([transactionHash, data.summaries[0]])
    expect(JSON.stringify(first.summary)).toContain('for the list')
    const [newest] = (await read('/transactions?summaries=true&items_count=1')).items
    expect([newest.hash, newest.summary]).toEqual([transactionHash, first.summary])
    await rpc('evm_revert', snapshot)
    expect(hashes(await readAll('/transactions?filter=failed'))).toEqual(hashes(failed.slice(1)))
  })
})

type Frame = { type: string; from: Hex; to?: Hex; gas: Hex; gasUsed: Hex; value?: Hex; error?: string; calls?: Frame[] }

const below = (frame: Frame): Frame[] => (frame.calls ?? []).flatMap((call) => [call, ...below(call)])

describe('internal transactions', () => {
  it('are the frames of the call tree except the first', async () => {
    const { read, rpc, made } = on()
    for (const receipt of [made.deep, made.factory.receipt]) {
      const hash = receipt.transactionHash
      const root = (await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })) as Frame
      const isCreation = root.type.startsWith('CREATE')
      const frames = isCreation ? [root, ...below(root)] : below(root)
      const { items } = await read(`/transactions/${hash}/internal-transactions`)
      expect(items).toHaveLength(frames.length)
      for (const [i, frame] of frames.entries()) {
        const creates = frame.type.startsWith('CREATE')
        const target = getAddress(frame.to ?? ZERO)
        expect(items[i]).toMatchObject({
          transaction_hash: hash,
          index: isCreation ? i : i + 1,
          type: frame.type.toLowerCase(),
          from: { hash: getAddress(frame.from) },
          to: creates ? null : { hash: target },
          created_contract: creates ? { hash: target } : null,
          value: amount(BigInt(frame.value ?? 0)),
          success: true,
          error: null,
          reverted: false,
        })
        if (i > 0 || !isCreation) expect(items[i].gas_limit).toBe(amount(BigInt(frame.gas)))
      }
    }
    expect((await read(`/transactions/${made.deep.transactionHash}/internal-transactions`)).items).toHaveLength(3)
  })

  it('are in the raw trace together with the first frame', async () => {
    const { read, rpc, made } = on()
    const { transactionHash } = made.deep
    const trace = await read(`/transactions/${transactionHash}/raw-trace`)
    const parity = (await rpc('trace_transaction', transactionHash)) as Record<string, unknown>[]
    const expected = parity.map(({ blockHash, blockNumber, transactionPosition, ...rest }) => rest)
    expect(trace).toEqual(expected)
    expect(trace.map(({ traceAddress }: { traceAddress: number[] }) => traceAddress)).toEqual([
      [],
      [0],
      [0, 0],
      [0, 0, 0],
    ])
  })
})

describe('failed messages', () => {
  const place = `0x${'a1'.repeat(20)}` as const

  it('are shown within a successful transaction', async () => {
    const { read, rpc, send, made } = on()
    await rpc('anvil_setCode', place, attempter(made.token.address))
    const data = encodeFunctionData({ abi: made.token.abi, functionName: 'refuse', args: ['no'] })
    const { transactionHash } = await send(0, place, 0n, { data, gas: 200_000n })
    const shown = await read(`/transactions/${transactionHash}`)
    expect(shown).toMatchObject({ status: 'ok', result: 'success', has_error_in_internal_transactions: true })
    expect((await read(`/transactions/${transactionHash}/internal-transactions`)).items).toMatchObject([
      { type: 'call', success: false, error: 'execution reverted', reverted: false, to: { hash: made.token.address } },
    ])
  })

  it('mark the messages within them as reverted', async () => {
    const { read, rpc, send, made } = on()
    await rpc('anvil_setCode', place, reverter(made.frames.address))
    const data = encodeFunctionData({ abi: made.frames.abi, functionName: 'descend', args: [1n, 1n] })
    const { transactionHash } = await send(0, place, 0n, { data, gas: 200_000n })
    const shown = await read(`/transactions/${transactionHash}`)
    expect(shown).toMatchObject({ status: 'error', has_error_in_internal_transactions: false, revert_reason: null })
    expect((await read(`/transactions/${transactionHash}/internal-transactions`)).items).toMatchObject([
      { success: true, error: null, reverted: true },
      { success: true, error: null, reverted: true },
    ])
  })
})

describe('native contracts', () => {
  it('have decoded calls and logs', async () => {
    const { read, rpc, send, alice, node } = on()
    const validators = node.chain.spec.native?.validators ?? []
    expect(validators.length).toBeGreaterThan(0)
    const staking = '0x0000000000000000000000000000000000000800'
    const delegate = {
      type: 'function',
      name: 'delegate',
      stateMutability: 'nonpayable',
      outputs: [{ name: 'success', type: 'bool' }],
      inputs: [
        { name: 'delegatorAddress', type: 'address' },
        { name: 'validatorAddress', type: 'string' },
        { name: 'amount', type: 'uint256' },
      ],
    } as const
    const operator = await operatorText(rpc, validators[0]?.operator ?? ZERO)
    const args = [alice.address, operator, parseEther('1')] as const
    const data = encodeFunctionData({ abi: [delegate], functionName: 'delegate', args })
    const receipt = await send(0, staking, 0n, { data, gas: 1_000_000n })
    expect(receipt.status).toBe('success')
    const shown = await read(`/transactions/${receipt.transactionHash}`)
    expect(shown).toMatchObject({
      to: { hash: staking, is_contract: true, name: 'Staking' },
      method: 'delegate',
      transaction_types: ['contract_call'],
      decoded_input: {
        parameters: [
          { name: 'delegatorAddress', type: 'address', value: getAddress(alice.address) },
          { name: 'validatorAddress', type: 'string', value: operator },
          { name: 'amount', type: 'uint256', value: amount(parseEther('1')) },
        ],
      },
    })
    const { items } = await read(`/transactions/${receipt.transactionHash}/logs`)
    expect(items).toHaveLength(receipt.logs.length)
    expect(items[0].decoded.method_call).toMatch(/^Delegate\(address indexed delegatorAddress, /)
    const named = (await read('/transactions?method=delegate')).items
    expect(named.map(({ hash }: { hash: Hex }) => hash)).toEqual([receipt.transactionHash])
  })
})

/** The bech32 address of a validator, from the native bech32 contract. */
async function operatorText(rpc: ReturnType<typeof on>['rpc'], operator: string): Promise<string> {
  const abi = [
    {
      type: 'function',
      name: 'hexToBech32',
      stateMutability: 'view',
      outputs: [{ name: '', type: 'string' }],
      inputs: [
        { name: 'addr', type: 'address' },
        { name: 'prefix', type: 'string' },
      ],
    },
  ] as const
  const data = encodeFunctionData({ abi, functionName: 'hexToBech32', args: [getAddress(operator), 'kestvaloper'] })
  const answer = (await rpc('eth_call', { to: '0x0000000000000000000000000000000000000400', data }, 'latest')) as Hex
  return Buffer.from(answer.slice(2), 'hex').subarray(64).toString('utf8').replace(/\0+$/, '')
}

describe('EIP-7702', () => {
  it('shows authorizations with their outcomes', async () => {
    const { read, walletOf, receiptOf, viem, made, bob } = on()
    const wallet = walletOf(1)
    const nonce = await viem.getTransactionCount({ address: bob.address })
    const sign = (change: { nonce: number; chainId?: number }) =>
      wallet.signAuthorization({ contractAddress: made.coin.address, ...change })
    const good = await sign({ nonce })
    const stale = await sign({ nonce })
    const foreign = await sign({ nonce: nonce + 1, chainId: 99 })
    const authorizationList = [good, stale, foreign]
    const hash = await walletOf(2).sendTransaction({ to: bob.address, authorizationList, gas: 300_000n })
    await receiptOf(hash)
    const { authorization_list, to, type } = await read(`/transactions/${hash}`)
    expect(type).toBe(4)
    expect(to).toMatchObject({
      is_contract: true,
      proxy_type: 'eip7702',
      implementations: [{ address_hash: made.coin.address }],
    })
    expect(authorization_list).toMatchObject([
      { address_hash: made.coin.address, authority: bob.address, nonce: amount(nonce), status: 'ok' },
      { authority: bob.address, status: 'invalid_nonce' },
      { authority: bob.address, chain_id: 99, status: 'invalid_chain_id' },
    ])
  })
})

it('a blob transaction’s fee includes its blobs', async () => {
  const { read, walletOf, viem, receiptOf, rpc, bob } = on()
  const wallet = walletOf(3)
  const nonce = await viem.getTransactionCount({ address: wallet.account.address })
  const fees = {
    maxFeePerGas: parseGwei('10'),
    maxPriorityFeePerGas: parseGwei('1'),
    maxFeePerBlobGas: parseGwei('10'),
  }
  const signed = await wallet.account.signTransaction({
    type: 'eip4844',
    chainId: await viem.getChainId(),
    to: bob.address,
    gas: 21_000n,
    nonce,
    blobs: [toHex(new Uint8Array(131_072))],
    kzg: viemKzg,
    ...fees,
  })
  const hash = (await rpc('eth_sendRawTransaction', withCellProofs(signed))) as Hex
  const receipt = await receiptOf(hash)
  const { blobGasUsed = 0n, blobGasPrice = 0n } = receipt
  expect(blobGasUsed).toBe(131_072n)
  const transaction = await viem.getTransaction({ hash })
  expect(await read(`/transactions/${hash}`)).toMatchObject({
    type: 3,
    blob_gas_used: '131072',
    blob_gas_price: amount(blobGasPrice),
    max_fee_per_blob_gas: amount(parseGwei('10')),
    blob_versioned_hashes: transaction.blobVersionedHashes,
    fee: { type: 'actual', value: amount(receipt.gasUsed * receipt.effectiveGasPrice + blobGasUsed * blobGasPrice) },
  })
})

describe('a pending transaction', () => {
  it('is listed and counted, and still found after it was replaced', async () => {
    const { read, get, rpc, walletOf, viem, alice, made } = on()
    const carol = walletOf(2).account
    await read('/transactions?filter=pending')
    await rpc('evm_setAutomine', false)
    try {
      const wallet = walletOf(0)
      const nonce = await viem.getTransactionCount({ address: alice.address })
      const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') }
      const data = encodeFunctionData({ abi: made.coin.abi, functionName: 'transfer', args: [carol.address, 1n] })
      const first = await wallet.sendTransaction({ to: made.coin.address, data, nonce, gas: 100_000n, ...fees })
      const second = await wallet.sendTransaction({
        to: carol.address,
        value: 1n,
        nonce: nonce + 1,
        gas: 21_000n,
        ...fees,
      })
      const gapped = await wallet.sendTransaction({
        to: carol.address,
        value: 1n,
        nonce: nonce + 9,
        gas: 21_000n,
        ...fees,
      })

      const hashes = async (query: string) =>
        (await read(`/transactions?filter=pending${query}`)).items.map(({ hash }: { hash: Hex }) => hash)
      expect(await hashes('')).toEqual([gapped, second, first])
      expect(await hashes('&type=contract_call')).toEqual([first])
      expect(await hashes('&type=coin_transfer')).toEqual([gapped, second])
      expect(await hashes('&method=transfer')).toEqual([first])
      expect(await hashes('&method=approve')).toEqual([])
      expect(await hashes('&items_count=1&page=2')).toEqual([second])
      expect((await read('/transactions/stats')).pending_transactions_count).toBe('3')

      expect(await read(`/transactions/${first}`)).toMatchObject({
        hash: first,
        status: null,
        result: 'pending',
        block_number: null,
        timestamp: null,
        position: null,
        gas_used: null,
        gas_price: amount(parseGwei('10')),
        confirmations: 0,
        method: 'transfer',
        fee: { type: 'maximum', value: amount(parseGwei('10') * 100_000n) },
        transaction_types: ['contract_call'],
        decoded_input: { method_id: 'a9059cbb' },
      })
      for (const part of ['token-transfers', 'internal-transactions', 'logs', 'state-changes']) {
        expect((await read(`/transactions/${first}/${part}`)).items).toEqual([])
      }
      expect(await read(`/transactions/${first}/raw-trace`)).toEqual([])

      const dearer = { maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('2') }
      const instead = await wallet.sendTransaction({ to: carol.address, value: 2n, nonce, gas: 21_000n, ...dearer })
      expect(await read(`/transactions/${first}`)).toMatchObject({ status: 'error', result: 'dropped/replaced' })
      await rpc('anvil_dropTransaction', gapped)
      expect(await read(`/transactions/${gapped}`)).toMatchObject({ result: 'dropped/replaced' })
      await rpc('evm_mine')
      expect(await read(`/transactions/${instead}`)).toMatchObject({ status: 'ok', result: 'success' })
      expect(await hashes('')).toEqual([])
      expect((await get(`/transactions/${first}`)).body.result).toBe('dropped/replaced')
    } finally {
      await rpc('evm_setAutomine', true)
    }
  })
})

it('every transaction has all its lists', async () => {
  const { readAll, read } = on()
  for (const { hash } of await readAll('/transactions', 20)) {
    const shown = await read(`/transactions/${hash}`)
    for (const part of ['token-transfers', 'internal-transactions', 'logs', 'state-changes', 'raw-trace']) {
      await read(`/transactions/${hash}/${part}`)
    }
    expect(shown.hash).toBe(hash)
  }
})
