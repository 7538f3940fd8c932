// Single records against the book: transactions, their messages, logs and transfers, and blocks.
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { isoTime, type Scenario, ZERO } from '../scenario.ts'
import { type Book, feeOf, isCreation, type Message, type Mined, sum } from './book.ts'
import { NATIVE, type Played } from './script.ts'
import type { Visitor } from './visits.ts'

export type Given = { readonly on: Scenario & { readonly made: Played }; readonly book: Book; readonly visit: Visitor }

const hashOf = (of: string | null | undefined) => (of ? { hash: getAddress(of) } : null)

export function describeRecords(given: () => Given): void {
  describe('every transaction', () => {
    it('equals its receipt and its signed transaction', async () => {
      const { book, visit } = given()
      for (const of of book.transactions) {
        const shown = await visit.read(`/transactions/${of.hash}`)
        expect(shown, of.hash).toMatchObject(expectedTransaction(book, of))
        expect(shown.transaction_types.toSorted()).toEqual(of.kinds.toSorted())
        expect(shown.token_transfers).toHaveLength(Math.min(10, of.transfers.length))
        expect(shown.token_transfers_overflow).toBe(of.transfers.length > 10)
        expect(shown.result === 'success').toBe(of.receipt.status === 'success')
        // A name, or at least the selector; null if no function was called.
        if (!of.isCall || of.input.length < 10) expect(shown.method).toBeNull()
        else expect(shown.method).toMatch(/^[a-z]\w*$|^0x[0-9a-f]{8}$/i)
      }
    }, 60_000)

    it('has the changes of coin balances of its traces and its fee', async () => {
      const { book, visit, on } = given()
      for (const { hash, receipt } of book.transactions.slice(0, 80)) {
        const { items } = await visit.read(`/transactions/${hash}/state-changes?items_count=100`)
        const coins = items.filter((row: { type: string }) => row.type === 'coin')
        // The sum of changes is zero, because this chain does not burn fees.
        expect(sum(coins.map((row: { change: string }) => BigInt(row.change)))).toBe(0n)
        for (const { balance_before, balance_after, change } of coins) {
          expect(BigInt(balance_after) - BigInt(balance_before)).toBe(BigInt(change))
        }
        const alone = book.blocks[Number(receipt.blockNumber)]?.transactions.length === 1
        const of = coins.find((row: { address: { hash: string } }) => row.address.hash === getAddress(receipt.from))
        if (!alone || of === undefined) continue
        const balance = await on.viem.getBalance({ address: receipt.from, blockNumber: receipt.blockNumber })
        expect(of.balance_after, hash).toBe(balance.toString())
      }
    }, 60_000)

    it('has the internal transactions of its trace', async () => {
      const { book, visit } = given()
      for (const { hash, messages } of book.transactions) {
        const { items } = await visit.read(`/transactions/${hash}/internal-transactions?items_count=100`)
        expect(items, hash).toMatchObject(messages.map(expectedMessage))
        const raw = await visit.read(`/transactions/${hash}/raw-trace`)
        const frames = book.transactions.find((of) => of.hash === hash)
        expect(raw, hash).toHaveLength(countOf(frames?.root))
      }
    }, 60_000)

    it('has the logs of its receipt', async () => {
      const { book, visit } = given()
      for (const { hash, receipt } of book.transactions) {
        const { items } = await visit.read(`/transactions/${hash}/logs?items_count=100`)
        const expected = receipt.logs.map(({ address, topics, data, logIndex, blockHash }) => ({
          transaction_hash: hash,
          tx_hash: hash,
          block_hash: blockHash,
          index: logIndex,
          data,
          address: { hash: getAddress(address) },
          smart_contract: hashOf(receipt.to),
          topics: Array.from({ length: 4 }, (_, i) => topics[i] ?? null),
        }))
        expect(items, hash).toMatchObject(expected)
      }
    })

    it('has its transfers in the order of its logs', async () => {
      const { book, visit } = given()
      for (const { hash, transfers } of book.transactions) {
        if (transfers.length === 0) continue
        const { items } = await visit.read(`/transactions/${hash}/token-transfers?items_count=100`)
        const expected = transfers.map(({ token, type, from, to, id, amount, log }) => ({
          log_index: log,
          token: { address: token, type },
          token_type: type,
          from: { hash: from },
          to: { hash: to },
          type: from === ZERO ? 'token_minting' : to === ZERO ? 'token_burning' : 'token_transfer',
          total: {
            ...(id === undefined ? {} : { token_id: id.toString() }),
            ...(type === 'ERC-721' ? {} : { value: amount.toString() }),
          },
        }))
        expect(items, hash).toMatchObject(expected)
      }
    })
  })

  describe('some transactions', () => {
    it('have a revert reason', async () => {
      const { visit, on } = given()
      const { stage, refused, refusedInWords, endless, failedCreation, people } = on.made
      const words = await visit.read(`/transactions/${refusedInWords.transactionHash}`)
      expect(words).toMatchObject({
        status: 'error',
        result: 'execution reverted',
        revert_reason: { method_id: '08c379a0', parameters: [{ type: 'string', value: 'not on this stage' }] },
      })
      const own = await visit.read(`/transactions/${refused.transactionHash}`)
      const raw = /^0x[0-9a-f]{8}0{24}(?<who>[0-9a-f]{40})0{62}2a$/.exec(own.revert_reason.raw ?? '')
      // Raw, because the contract is not verified.
      expect(raw?.groups?.who).toBe(people.alice.slice(2).toLowerCase())
      expect(await visit.read(`/transactions/${endless.transactionHash}`)).toMatchObject({
        status: 'error',
        result: 'out of gas',
        gas_used: '90000',
        revert_reason: null,
      })
      expect(await visit.read(`/transactions/${failedCreation.transactionHash}`)).toMatchObject({
        status: 'error',
        to: null,
        created_contract: null,
        transaction_types: ['contract_creation'],
      })
      expect((await visit.read(`/addresses/${stage.address}`)).is_contract).toBe(true)
    })

    it('have decoded calls of native contracts', async () => {
      const { book, visit } = given()
      const methods: Record<string, readonly string[]> = {
        [NATIVE.staking]: ['delegate', 'delegate'],
        [NATIVE.distribution]: ['withdrawDelegatorRewards'],
        [NATIVE.ics20]: ['transfer'],
        [NATIVE.authorization]: ['approve'],
        [NATIVE.gov]: ['submitProposal', 'vote'],
      }
      for (const [address, names] of Object.entries(methods)) {
        const calls = book.transactions.filter(({ to }) => to === getAddress(address))
        const shown = await Promise.all(calls.map(({ hash }) => visit.read(`/transactions/${hash}`)))
        expect(shown.map(({ method }) => method)).toEqual(names)
        for (const [i, { decoded_input, status, hash }] of shown.entries()) {
          expect(decoded_input.method_call.startsWith(`${names[i]}(`)).toBe(true)
          if (status !== 'ok') continue
          const { items } = await visit.read(`/transactions/${hash}/logs`)
          expect(items.length, names[i]).toBeGreaterThan(0)
          const own = items.filter((item: { address: { hash: string } }) => item.address.hash === getAddress(address))
          expect(
            own.map(({ decoded }: { decoded: unknown }) => decoded),
            names[i],
          ).not.toContain(null)
        }
      }
    })

    it('have authorizations with their outcomes', async () => {
      const { visit, on } = given()
      const { delegated, lamp, people } = on.made
      const shown = await visit.read(`/transactions/${delegated.transactionHash}`)
      expect(shown).toMatchObject({
        type: 4,
        authorization_list: [
          { authority: people.erin, address_hash: lamp.address, status: 'ok', nonce: '0', chain_id: 125 },
          { authority: people.dave, address_hash: lamp.address, status: 'invalid_nonce', nonce: '1000' },
        ],
      })
      expect(await visit.read(`/addresses/${people.erin}`)).toMatchObject({
        is_contract: true,
        proxy_type: 'eip7702',
        implementations: [{ address_hash: lamp.address }],
      })
      expect((await visit.read(`/addresses/${people.dave}`)).proxy_type).toBeNull()
    })

    it('can be pending or dropped', async () => {
      const { visit, on } = given()
      for (const hash of on.made.waiting) {
        expect(await visit.read(`/transactions/${hash}`)).toMatchObject({
          hash,
          status: null,
          result: 'pending',
          block_number: null,
          timestamp: null,
          gas_used: null,
          fee: { type: 'maximum' },
          confirmations: 0,
        })
        for (const part of ['logs', 'token-transfers', 'internal-transactions', 'state-changes']) {
          expect((await visit.read(`/transactions/${hash}/${part}`)).items).toEqual([])
        }
      }
      expect(await visit.read(`/transactions/${on.made.dropped}`)).toMatchObject({
        status: 'error',
        result: 'dropped/replaced',
        block_number: null,
      })
    })
  })

  it('every block equals its header and its transactions', async () => {
    const { book, visit } = given()
    for (const block of book.blocks) {
      const within = book.transactions.filter(({ receipt }) => receipt.blockNumber === block.number)
      const fees = sum(within.map(feeOf))
      const base = sum(within.map(({ receipt }) => receipt.gasUsed)) * (block.baseFeePerGas ?? 0n)
      const shown = await visit.read(`/blocks/${block.number}`)
      expect(shown).toMatchObject({
        height: Number(block.number),
        hash: block.hash,
        parent_hash: block.parentHash,
        type: 'block',
        timestamp: isoTime(block.timestamp),
        miner: { hash: getAddress(block.miner) },
        size: Number(block.size),
        transactions_count: within.length,
        withdrawals_count: block.withdrawals?.length ?? null,
        internal_transactions_count: within.flatMap(({ messages }) => messages).length,
        gas_used: block.gasUsed.toString(),
        gas_limit: block.gasLimit.toString(),
        base_fee_per_gas: block.baseFeePerGas?.toString(),
        state_root: block.stateRoot,
        // This chain collects base fees instead of burning them, and modules pay the block's proposer.
        transaction_fees: fees.toString(),
        priority_fee: (fees - base).toString(),
        burnt_fees: '0',
        rewards: [],
        gas_used_percentage: (Number(block.gasUsed) / Number(block.gasLimit)) * 100,
      })
      expect(await visit.read(`/blocks/${block.hash}`)).toEqual(shown)
      const { items } = await visit.read(`/blocks/${block.number}/withdrawals`)
      expect(items).toMatchObject(
        (block.withdrawals ?? []).map(({ index, validatorIndex, address, amount }) => ({
          index: Number(index),
          validator_index: Number(validatorIndex),
          receiver: { hash: getAddress(address) },
          amount: (BigInt(amount) * 10n ** 9n).toString(),
        })),
      )
    }
  })
}

function expectedTransaction(book: Book, of: Mined): object {
  const { receipt, hash } = of
  const block = book.blocks[Number(receipt.blockNumber)]
  const signed = block?.transactions.find((transaction) => transaction.hash === hash)
  const base = block?.baseFeePerGas ?? 0n
  const isFailed = receipt.status !== 'success'
  const isDynamic = ['eip1559', 'eip7702'].includes(signed?.type ?? '')
  return {
    hash,
    block_number: Number(receipt.blockNumber),
    position: receipt.transactionIndex,
    timestamp: isoTime(block?.timestamp ?? 0n),
    from: hashOf(of.from),
    to: hashOf(of.to),
    created_contract: isFailed ? null : hashOf(of.created),
    value: of.value.toString(),
    raw_input: of.input,
    nonce: signed?.nonce,
    gas_limit: signed?.gas.toString(),
    status: isFailed ? 'error' : 'ok',
    gas_used: receipt.gasUsed.toString(),
    gas_price: receipt.effectiveGasPrice.toString(),
    fee: { type: 'actual', value: feeOf(of).toString() },
    type: Number(signed?.typeHex),
    base_fee_per_gas: base.toString(),
    transaction_burnt_fee: '0',
    max_fee_per_gas: isDynamic ? signed?.maxFeePerGas?.toString() : null,
    priority_fee: ((receipt.effectiveGasPrice - base) * receipt.gasUsed).toString(),
    confirmations: book.head - Number(receipt.blockNumber) + 1,
    has_error_in_internal_transactions: of.messages.some(({ index, error }) => index > 0 && error !== undefined),
  }
}

function expectedMessage(message: Message): object {
  const { index, type, from, to, value = '0x0', gas, gasUsed, error, isUndone } = message
  const target = hashOf(to)
  return {
    index,
    type: type.toLowerCase(),
    from: hashOf(from),
    value: BigInt(value).toString(),
    ...(isCreation(message) ? { to: null, created_contract: target } : { to: target, created_contract: null }),
    // The first message of a trace includes the intrinsic gas.
    ...(index > 0 && { gas_limit: BigInt(gas).toString(), gas_used: BigInt(gasUsed).toString() }),
    success: error === undefined,
    error: error ?? null,
    reverted: isUndone,
  }
}

const countOf = (root: { readonly calls?: readonly unknown[] } | undefined): number =>
  root === undefined
    ? 0
    : 1 + (root.calls ?? []).reduce<number>((count, call) => count + countOf(call as Mined['root']), 0)
