// Two running chains with IBC in one process and a relayer between them. Chains of one node sign no headers, so the test signs those
// that a network's engine would: of the height after each block, with the app hash of the block.
import { type Hex, parseEventLogs, type TransactionReceipt, toHex } from 'viem'
import { PACKET_KEY } from '../../src/modules/ibc/packets.ts'
import type { testChain } from './chain.ts'
import { IBC, ibcAbi, SignedHeaders } from './ibc-peer.ts'
import { appHashOfStores } from './network.ts'

/** The first client of each chain, which is that of the other one. */
export const CLIENT = '07-tendermint-0'
/** Index of the relayer's account. */
const RELAYER = 9
const PREFIX = [toHex('ibc'), '0x'] as const

type TestChain = Awaited<ReturnType<typeof testChain>>

/** A chain with its headers. */
export class Linked {
  readonly chain: TestChain
  readonly headers: SignedHeaders
  /** The newest height that the other chain's client knows. */
  known = 0

  constructor(chain: TestChain, chainId: string) {
    this.chain = chain
    this.headers = new SignedHeaders(chainId)
  }

  /** Signs the header after the newest block. Returns the block's number. */
  async sign(): Promise<number> {
    const { number, timestamp } = await this.chain.viem.getBlock()
    const { evm, ibc } = this.chain.node.chain.stateQueries.appHashLeaves(number) ?? {}
    if (evm === undefined || ibc === undefined) throw new Error('the chain has no IBC')
    // Times rise with the heights, also where two blocks are of one second.
    this.headers.add(Number(number) + 1, Number(timestamp) * 1_000 + Number(number), appHashOfStores({ evm, ibc }))
    return Number(number)
  }

  /** What proves a key of the provable store after a block, and the height of the header to which the proof leads. */
  async proof(key: Uint8Array, block: number) {
    const { proof } = (await this.chain.rpc('kestrel_getIbcProof', toHex(key), toHex(block))) as { proof: Hex }
    return [proof, this.headers.heightOf(block + 1)] as const
  }

  /** Calls a function of the contract of IBC. */
  async call(
    functionName: 'createClient' | 'registerCounterparty' | 'updateClient' | 'recvPacket' | 'acknowledgePacket',
    args: readonly unknown[],
  ) {
    const request = { address: IBC, abi: ibcAbi, functionName, args, gas: 5_000_000n } as never
    const hash = await this.chain.walletOf(RELAYER).writeContract(request)
    const receipt = await this.chain.viem.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`${functionName} has failed`)
    return receipt
  }
}

/** Makes a client of each chain on the other one. */
export async function link(one: Linked, other: Linked): Promise<void> {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.known = (await from.sign()) + 1
    const states = [from.headers.clientState(from.known), from.headers.consensusState(from.known)]
    await to.call(
      'createClient',
      states.map((state) => toHex(state)),
    )
    await to.call('registerCounterparty', [CLIENT, PREFIX, CLIENT])
  }
}

/** Brings the newest header of a chain to the other one. Returns the number of its block. */
async function update(from: Linked, to: Linked): Promise<number> {
  const block = await from.sign()
  await to.call('updateClient', [CLIENT, toHex(from.headers.update(block + 1, from.known))])
  from.known = block + 1
  return block
}

/** Brings the packet of a transaction to the other chain, and its acknowledgements back, which it returns. */
export async function relay(
  from: Linked,
  to: Linked,
  { logs }: Pick<TransactionReceipt, 'logs'>,
): Promise<readonly Hex[]> {
  const [sent] = parseEventLogs({ abi: ibcAbi, logs, eventName: 'SendPacket' })
  if (sent === undefined) throw new Error('the transaction has sent no packet')
  const { packet, sequence } = sent.args
  const commitment = await from.proof(PACKET_KEY.commitment(CLIENT, sequence), await update(from, to))
  const received = await to.call('recvPacket', [packet, ...commitment])
  const [written] = parseEventLogs({ abi: ibcAbi, logs: received.logs, eventName: 'WriteAcknowledgement' })
  const acknowledgements = written?.args.acknowledgements ?? []
  const acknowledgement = await to.proof(PACKET_KEY.acknowledgement(CLIENT, sequence), await update(to, from))
  await from.call('acknowledgePacket', [packet, acknowledgements, ...acknowledgement])
  return acknowledgements
}
