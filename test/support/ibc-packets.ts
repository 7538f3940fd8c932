// Another chain of IBC that exists only as headers, signatures and proofs, as a running chain's clients accept them: its packets,
// acknowledgements and timeouts in one line each. It may be hostile: it proves whatever it is asked to.
import { encodeFunctionData, type Hex, numberToHex, parseAbi, parseEventLogs, toHex } from 'viem'
import { toBech32 } from '../../src/lib/bech32.ts'
import { fromHex, hexToAddress } from '../../src/lib/hex.ts'
import {
  acknowledgementCommitment,
  ERROR_ACKNOWLEDGEMENT,
  PACKET_KEY,
  packetCommitment,
} from '../../src/modules/ibc/packets.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from './chain.ts'
import { IBC, IbcPeer, ibcAbi } from './ibc-peer.ts'

const ICS20 = '0x0000000000000000000000000000000000000802'
const ics20Abi = parseAbi([
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'function transfer(string sourcePort, string sourceChannel, string denom, uint256 amount, address sender, string receiver, Height timeoutHeight, uint64 timeoutTimestamp, string memo) returns (uint64 nextSequence)',
])

/** Acknowledgement of ICS-20 for a transfer that has arrived. */
export const SUCCESS = toHex('{"result":"AQ=="}')
export const REFUSED = toHex(ERROR_ACKNOWLEDGEMENT)

export type Packet = {
  readonly sequence: bigint
  readonly sourceClient: string
  readonly destClient: string
  readonly timeoutTimestamp: bigint
  readonly payloads: readonly {
    readonly sourcePort: string
    readonly destPort: string
    readonly version: string
    readonly encoding: string
    readonly value: Hex
  }[]
}

const provable = (packet: Packet) => ({
  ...packet,
  payloads: packet.payloads.map((payload) => ({ ...payload, value: fromHex(payload.value) })),
})

/** The preset with IBC; `modules`: genesis sections of other modules. */
export function ibcPreset(modules: Record<string, unknown> = {}) {
  const preset = presets.kestrel()
  if (preset.native === undefined) throw new Error('the preset has no native modules')
  return { ...preset, native: { ...preset.native, modules: { ...preset.native.modules, ...modules, ibc: {} } } }
}

type Chain = Pick<Awaited<ReturnType<typeof testChain>>, 'viem' | 'walletOf' | 'rpc' | 'mine'>
type Options = {
  readonly chainId?: string
  /** Its client of this chain. */
  readonly clientId?: string
  /** Seconds after which a client expires. */
  readonly trustingPeriod?: bigint
}

/** A running chain with IBC and no peers. */
export const ibcChain = () => testChain({ spec: ibcPreset() })

/** Makes a client of a new peer on the chain, and registers its counterparty. */
export async function ibcPeer(chain: Chain, options: Options = {}) {
  const { chainId = 'peer-7', clientId: theirs = '07-tendermint-4', trustingPeriod = 1_209_600n } = options
  const { viem, walletOf } = chain

  async function send(data: Hex, { from = 0, to = IBC as Hex } = {}) {
    const hash = await walletOf(from).sendTransaction({ to, data, gas: 5_000_000n })
    const receipt = await viem.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') {
      await viem.call({ account: account(from).address, to, data, blockNumber: receipt.blockNumber })
      throw new Error(`transaction ${hash} failed`)
    }
    return receipt
  }
  /** The time of the chain in Unix seconds. */
  const now = async () => (await viem.getBlock()).timestamp
  // The first block of a chain is older than its program.
  await chain.mine()
  const peer = new IbcPeer(chainId)
  /** The time of the peer's last header in Unix seconds; that of the next one is the chain's, or a second later. */
  let last = await now()
  const first = peer.block(last)
  const next = async () => {
    const time = await now()
    last = time > last ? time : last + 1n
    return peer.next(last)
  }
  const begin = peer.clientState(first, { trusting: trustingPeriod, unbonding: trustingPeriod * 2n })
  const created = await send(
    encodeFunctionData({
      abi: ibcAbi,
      functionName: 'createClient',
      args: [toHex(begin), toHex(peer.consensusState(first))],
    }),
  )
  const [event] = parseEventLogs({ abi: ibcAbi, eventName: 'CreateClient', logs: created.logs })
  const clientId = event?.args.clientId ?? ''
  const registered = await send(
    encodeFunctionData({
      abi: ibcAbi,
      functionName: 'registerCounterparty',
      args: [clientId, [toHex('ibc'), '0x'], theirs],
    }),
  )

  /** Updates the client with a header or a misbehaviour, packed as Go's `Any`. */
  const update = (message: Uint8Array) =>
    send(encodeFunctionData({ abi: ibcAbi, functionName: 'updateClient', args: [clientId, toHex(message)] }))
  /** Updates the client with the next header; returns a proof of what the peer has at the key then. */
  async function prove(key: Uint8Array) {
    const updated = await update(await next())
    return { updated, proof: toHex(peer.proof(key)), height: peer.heightOf(peer.height) }
  }

  let sequence = 0n
  return {
    clientId,
    counterparty: theirs,
    created,
    registered,
    send,
    /** Sends the chain's coins to the peer; by default a coin of the first account, with an hour to arrive. */
    async transfer({
      amount = 10n ** 18n,
      denom = 'akest',
      receiver = 'cosmos1receiver',
      memo = '',
      from = 0,
      seconds = 3600n,
    } = {}) {
      const timeout = (await now()) + seconds
      const height = { revisionNumber: 0n, revisionHeight: 0n }
      const args = ['', clientId, denom, amount, account(from).address, receiver, height, timeout, memo] as const
      const receipt = await send(encodeFunctionData({ abi: ics20Abi, functionName: 'transfer', args }), {
        from,
        to: ICS20,
      })
      const [event] = parseEventLogs({ abi: ibcAbi, eventName: 'SendPacket', logs: receipt.logs })
      if (event === undefined) throw new Error('no packet was sent')
      return { packet: event.args.packet, receipt }
    },
    /** The chain receives a packet of the peer: by default a transfer of the peer's coins; `data` replaces its data. */
    async deliver(
      of: Partial<Packet> & { readonly data?: Hex; readonly transfer?: Readonly<Record<string, string>> } = {},
    ) {
      const { data, transfer, ...fields } = of
      const fill = {
        amount: '5',
        denom: 'uatom',
        receiver: toBech32('kest', hexToAddress(account(1).address.toLowerCase())),
      }
      const value = data ?? toHex(JSON.stringify({ sender: 'cosmos1sender', ...fill, ...transfer }))
      const payload = {
        sourcePort: 'transfer',
        destPort: 'transfer',
        version: 'ics20-1',
        encoding: 'application/json',
        value,
      }
      const packet = {
        sequence: ++sequence,
        sourceClient: theirs,
        destClient: clientId,
        timeoutTimestamp: (await now()) + 3600n,
        payloads: [payload],
        ...fields,
      }
      const key = PACKET_KEY.commitment(theirs, packet.sequence)
      peer.set(key, packetCommitment(provable(packet)))
      const { proof, height } = await prove(key)
      const args = [packet, proof, height] as const
      const receipt = await send(encodeFunctionData({ abi: ibcAbi, functionName: 'recvPacket', args }), { from: 9 })
      return { packet, receipt }
    },
    /** The peer has answered a packet of the chain: SUCCESS or REFUSED. */
    async acknowledge(packet: Packet, answer: Hex = SUCCESS) {
      const key = PACKET_KEY.acknowledgement(theirs, packet.sequence)
      peer.set(key, acknowledgementCommitment([fromHex(answer)]))
      const { proof, height } = await prove(key)
      const args = [packet, [answer], proof, height] as const
      return send(encodeFunctionData({ abi: ibcAbi, functionName: 'acknowledgePacket', args }), { from: 9 })
    },
    /** Time passes, and the peer has not received a packet of the chain. */
    async timeout(packet: Packet) {
      const left = packet.timeoutTimestamp - (await now())
      if (left > 0n) await chain.rpc('evm_increaseTime', numberToHex(left))
      await chain.mine()
      const { proof, height } = await prove(PACKET_KEY.receipt(theirs, packet.sequence))
      const args = [packet, proof, height] as const
      return send(encodeFunctionData({ abi: ibcAbi, functionName: 'timeoutPacket', args }), { from: 9 })
    },
    /** The next header of the peer. */
    update: async () => update(await next()),
    /** Two blocks of the peer at one height, which freezes the client. */
    async fork() {
      const before = peer.height
      await update(await next())
      return update(peer.misbehaviour(peer.height, before))
    },
  }
}
