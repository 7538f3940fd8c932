// Transfers over an empty state, block by block: two looped channels, and a simulated counterparty chain of each kind.
import { toBech32 } from '../../../src/lib/bech32.ts'
import { type Address, hexToAddress } from '../../../src/lib/hex.ts'
import { Bank } from '../../../src/modules/bank.ts'
import { Erc20, readErc20Genesis } from '../../../src/modules/erc20/erc20.ts'
import { readTransferGenesis } from '../../../src/modules/transfer/genesis.ts'
import { type Sending, Transfer } from '../../../src/modules/transfer/transfer.ts'
import type { StateView } from '../../../src/state/types.ts'
import { alice, bob, emptyView, moduleContext, nativeSpec } from '../../support/native.ts'

export const START = 1_700_000_000n
export const COINS = 1_000n
export const TOKEN = hexToAddress('0x5FbDB2315678afecb367f032d93F642f64180aa3')
export const SINKS = {
  'ack-success': 'channel-2',
  'ack-error': 'channel-3',
  timeout: 'channel-4',
  never: 'channel-5',
} as const

export const textOf = (of: Address): string => toBech32('kest', of)
export const port = (channel: string) => ({ port: 'transfer', channel })

export class Chain {
  readonly view: StateView
  number = 1n
  time = START

  readonly #section: object

  /** `section`: that of the genesis. */
  constructor(view: StateView, section: object) {
    this.view = view
    this.#section = section
  }

  get bank(): Bank {
    return new Bank(this.#context())
  }

  get erc20(): Erc20 {
    const { bank } = this
    return new Erc20(this.#context(), bank, (of) => bank.balance(of))
  }

  get transfer(): Transfer {
    return new Transfer(this.#context(), this.bank, this.erc20, undefined)
  }

  /** Ends the block and begins the next one, `seconds` later. */
  next(seconds = 5n): void {
    this.transfer.endBlock()
    this.number += 1n
    this.time += seconds
  }

  /** Sends alice's coins to bob through channel-0 with a distant timeout; `change` replaces any of these fields. */
  send(change: Partial<Omit<Sending, 'source'>> & { readonly channel?: string } = {}): bigint {
    const { channel = 'channel-0', ...sending } = change
    const sent = this.transfer.send({
      source: port(channel),
      denom: 'akest',
      amount: 10n,
      sender: alice,
      receiver: textOf(bob),
      timeout: { height: { revisionNumber: 0n, revisionHeight: 0n }, timestamp: 2_000_000_000_000_000_000n },
      memo: '',
      ...sending,
    })
    return sent.sequence
  }

  /** Returns the text of the refusal and reverts the writes of the refused call, as the EVM does. */
  attempt(run: () => unknown): string | undefined {
    this.view.checkpoint()
    try {
      run()
      this.view.commit()
      return undefined
    } catch (error) {
      this.view.revert()
      return error instanceof Error ? error.message : String(error)
    }
  }

  #context() {
    const block = { number: this.number, timestamp: this.time, proposer: bob }
    return moduleContext(this.view, { block, spec: { ...nativeSpec, modules: { transfer: this.#section } } })
  }
}

/** A chain at block 1; alice and bob hold 1000 base units each. */
export async function chainWith(json: object = {}): Promise<Chain> {
  const sinks = Object.entries(SINKS).map(([behaviour, channel]) => ({ channel, behaviour }))
  const section = { sinks, ...json }
  const chain = new Chain(await emptyView(), section)
  for (const holder of [alice, bob]) chain.view.setBalance(holder, COINS)
  chain.bank.initGenesis({ supply: 2n * COINS })
  chain.erc20.initGenesis(readErc20Genesis({ pairs: [{ address: TOKEN, name: 'Token', symbol: 'TOK', decimals: 6 }] }))
  chain.transfer.initGenesis(readTransferGenesis(section))
  return chain
}
