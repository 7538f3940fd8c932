// Transactions are written through the journal to a real file and read back.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { EMPTY_BYTES as EMPTY, fromHex } from '../../src/lib/hex.ts'
import { TransactionJournal } from '../../src/pool/transaction-journal.ts'
import type { PooledTransaction } from '../../src/pool/types.ts'
import { impersonatedTransaction, signTransaction } from '../../src/primitives/transaction.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import { openStore } from '../../src/state/kv.ts'
import { memoryRecordLog } from '../../src/state/record-log.ts'
import type { RecordLog } from '../../src/state/types.ts'
import { account, GWEI, hash, transaction } from './support.ts'

const privateKey = fromHex(hash(1))
const signed = (nonce: bigint, fields: Partial<Transaction> = {}): PooledTransaction => ({
  transaction: signTransaction({ ...transaction(), nonce, ...fields }, privateKey),
  sidecar: undefined,
})
const hashOf = (pooled: PooledTransaction | undefined) => pooled?.transaction.hash ?? hash(0)

/** A record log that lists its calls. */
function logWithCalls() {
  const log = memoryRecordLog()
  const calls: string[] = []
  const recordingLog: RecordLog = {
    ...log,
    get size() {
      return log.size
    },
    append(records) {
      calls.push(`append ${records.length}`)
      log.append(records)
    },
    replace(records) {
      calls.push(`replace by ${records.length}`)
      log.replace(records)
    },
  }
  return { log: recordingLog, calls }
}

describe('loading the transaction journal', () => {
  test('returns all transactions in order after the database was closed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'journal-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const blobs: PooledTransaction = {
      ...signed(3n, {
        type: 3,
        maxFeePerBlobGas: GWEI,
        blobVersionedHashes: [`0x01${'ab'.repeat(31)}` as Transaction['hash']],
      }),
      sidecar: {
        version: 1,
        blobs: [new Uint8Array(1_000).fill(7)],
        commitments: [new Uint8Array(48).fill(1)],
        proofs: Array.from({ length: 128 }, (_, n) => new Uint8Array(48).fill(n)),
      },
    }
    const impersonated = { transaction: impersonatedTransaction(transaction(), account(0xabc)), sidecar: undefined }
    const all = [signed(2n), impersonated, signed(0n), blobs, signed(1n, { type: 0 })]

    const before = await openStore(directory)
    const journal = new TransactionJournal(before.log)
    expect(journal.load()).toEqual([])
    await Promise.all(all.map((pooled) => journal.record(pooled)))
    await before.close()

    const after = await openStore(directory)
    const again = new TransactionJournal(after.log)
    expect(again.load()).toEqual(all)
    const late = signed(9n)
    await again.record(late)
    await again.forget(hashOf(all[1]))
    await after.close()

    const last = await openStore(directory)
    expect(new TransactionJournal(last.log).load()).toEqual([all[0], ...all.slice(2), late])
    await last.close()
  })

  test('skips a damaged record, warns once, and rewrites the log without it', () => {
    const log = memoryRecordLog()
    const early = signed(0n)
    const late = signed(1n)
    const written = memoryRecordLog()
    const journal = new TransactionJournal(written)
    void journal.record(early)
    void journal.record(late)
    return journal.settled().then(() => {
      const [first = EMPTY, second = EMPTY] = written.read().records
      // A list of one string that is not a transaction, and bytes that are not RLP.
      log.append([first, Uint8Array.of(0xc2, 0x81, 0x80), Uint8Array.of(1, 2, 3), second])
      const warnings: string[] = []
      expect(new TransactionJournal(log).load((line) => warnings.push(line))).toEqual([early, late])
      expect(warnings).toEqual([
        "the pool's journal was damaged: skipped 2 records that are no transaction; kept 2 waiting transactions",
      ])
      expect(log.read().records).toEqual([first, second])
    })
  })
})

describe('recording in the transaction journal', () => {
  test('settles when the transaction is in the log', async () => {
    const { log } = logWithCalls()
    const pooled = signed(0n)
    const recorded = new TransactionJournal(log).record(pooled)
    expect(log.read().records).toEqual([])
    await recorded
    expect(new TransactionJournal(log).load()).toEqual([pooled])
  })

  test('writes transactions of one turn in one append', async () => {
    const { log, calls } = logWithCalls()
    const journal = new TransactionJournal(log)
    const all = Array.from({ length: 60 }, (_, nonce) => signed(BigInt(nonce)))
    await Promise.all(all.slice(0, 40).map((pooled) => journal.record(pooled)))
    await Promise.all(all.slice(40).map((pooled) => journal.record(pooled)))
    expect(calls).toEqual(['append 40', 'append 20'])
    expect(new TransactionJournal(log).load()).toEqual(all)
  })

  test('rejects when the disk fails; the next record succeeds', async () => {
    const log = memoryRecordLog()
    let broken = true
    const failing: RecordLog = {
      ...log,
      append(records) {
        if (broken) throw new ChainError('storage', 'disk full')
        log.append(records)
      },
    }
    const journal = new TransactionJournal(failing)
    await expect(journal.record(signed(0n))).rejects.toThrow('disk full')
    broken = false
    const next = signed(1n)
    await journal.record(next)
    expect(new TransactionJournal(log).load()).toEqual([next])
  })
})

describe('removing from the transaction journal', () => {
  test('means that only the remaining transactions are loaded', async () => {
    const { log } = logWithCalls()
    const journal = new TransactionJournal(log)
    const early = signed(0n)
    const quick = signed(1n)
    const kept = signed(2n)
    await Promise.all([early, quick, kept].map((pooled) => journal.record(pooled)))
    await journal.forget(hashOf(quick))
    expect(new TransactionJournal(log).load()).toEqual([early, kept])
  })

  test('loads a transaction that was removed and recorded again', async () => {
    const { log } = logWithCalls()
    const journal = new TransactionJournal(log)
    const pooled = signed(0n)
    await journal.record(pooled)
    await journal.record(signed(1n))
    await Promise.all([journal.forget(hashOf(pooled)), journal.record(pooled)])
    expect(new TransactionJournal(log).load()).toEqual([signed(1n), pooled])
  })

  test('means that a transaction is not loaded, even when the removal could not be written', async () => {
    const log = memoryRecordLog()
    let broken = false
    const journal = new TransactionJournal({
      ...log,
      append(records) {
        if (broken) throw new ChainError('storage', 'disk full')
        log.append(records)
      },
    })
    const left = signed(0n)
    const kept = signed(1n)
    const late = signed(2n)
    await Promise.all([left, kept].map((pooled) => journal.record(pooled)))
    broken = true
    await expect(journal.forget(hashOf(left))).rejects.toThrow('disk full')
    broken = false
    await journal.record(late)
    expect(new TransactionJournal(log).load()).toEqual([kept, late])
  })

  test('writes nothing for an unknown transaction', async () => {
    const { log, calls } = logWithCalls()
    await new TransactionJournal(log).forget(hash(77))
    expect(calls).toEqual([])
  })
})

describe('the file of the transaction journal', () => {
  test('is empty when no transaction is pending', async () => {
    const { log } = logWithCalls()
    const journal = new TransactionJournal(log)
    const all = [signed(0n), signed(1n)]
    await Promise.all(all.map((pooled) => journal.record(pooled)))
    expect(log.size).toBeGreaterThan(200)
    await Promise.all(all.map((pooled) => journal.forget(hashOf(pooled))))
    expect(log.size).toBe(0)
  })

  test('does not grow without bound while transactions are pending', async () => {
    const { log } = logWithCalls()
    const journal = new TransactionJournal(log, 2_000)
    const stays = signed(1000n)
    await journal.record(stays)
    let greatest = 0
    for (let nonce = 0n; nonce < 100n; nonce++) {
      const pooled = signed(nonce)
      await journal.record(pooled)
      await journal.forget(hashOf(pooled))
      greatest = Math.max(greatest, log.size)
    }
    expect(greatest).toBeLessThan(2_500)
    expect(new TransactionJournal(log).load()).toEqual([stays])
  })
})
