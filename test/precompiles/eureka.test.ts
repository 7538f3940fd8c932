// solidity-ibc-eureka's router and transfers, unchanged, over a client of this chain (`ICS02PrecompileWrapper`). The other chain exists as
// headers, signatures and proofs, and may be hostile. What eureka stores is compared with this program's own form of packets.
import {
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseAbi,
  parseEventLogs,
  type TransactionReceipt,
  toFunctionSelector,
  toHex,
} from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fromHex } from '../../src/lib/hex.ts'
import {
  acknowledgementCommitment,
  ERROR_ACKNOWLEDGEMENT,
  PACKET_KEY,
  packetCommitment,
} from '../../src/modules/ibc/packets.ts'
import { ibcAbi as contractAbi } from '../../src/precompiles/generated/abi.ts'
import { KestrelEnd } from '../../src/relay/kestrel.ts'
import { account, testChain } from '../support/chain.ts'
import { deployToken } from '../support/contracts.ts'
import { deployWrapper, Eureka, routerAbi, transferPayload, wrapperAbi } from '../support/eureka.ts'
import { ibcPreset, type Packet } from '../support/ibc-packets.ts'
import { IBC, IbcPeer, ibcAbi } from '../support/ibc-peer.ts'

/** The client of this chain, eureka's client over it, and the other chain's client of eureka. */
const [NATIVE, OURS, THEIRS] = ['07-tendermint-0', 'client-0', '07-tendermint-4']
/** ICS-20's acknowledgement of a transfer that has arrived, and IBC's of a packet that was refused. */
const [SUCCESS, REFUSED] = [toHex('{"result":"AQ=="}'), toHex(ERROR_ACKNOWLEDGEMENT)]
const NOTHING = `0x${'00'.repeat(32)}`
const HOUR = 3_600n
const user = account(1)
const COINS = { denom: 'uatom', sender: 'cosmos1sender', receiver: user.address, memo: '', amount: 5n }
/** A voucher of the peer's coin. */
const VOUCHER = `transfer/${OURS}/uatom`

const provable = (packet: Packet) => ({
  ...packet,
  payloads: packet.payloads.map((payload) => ({ ...payload, value: fromHex(payload.value) })),
})
const eventsOf = ({ logs }: TransactionReceipt) =>
  parseEventLogs({ abi: routerAbi, logs }).map(({ eventName }) => eventName)

/** A chain with a client of a new peer, and eureka over it, which the first account relays for. */
async function eurekaChain() {
  const chain = await testChain({ spec: ibcPreset() })
  await chain.mine()
  const now = async () => (await chain.viem.getBlock()).timestamp
  const peer = new IbcPeer('peer-7')
  const { client, consensus } = peer.states
  const host = { viem: chain.viem, wallet: chain.walletOf(0) }
  const eureka = await Eureka.deploy(host)
  await eureka.call({
    address: IBC,
    abi: ibcAbi,
    functionName: 'createClient',
    args: [toHex(client), toHex(consensus)],
  })
  const wrapper = await deployWrapper(host, NATIVE)
  expect(await eureka.addClient(wrapper, THEIRS)).toBe(OURS)
  let sequence = 0n
  /** Updates the client with the next header; what proves a key after it. */
  async function prove(key: Uint8Array, time?: bigint) {
    await eureka.route('updateClient', [OURS, toHex(peer.next(time))])
    return { proof: toHex(peer.proof(key)), height: peer.heightOf(peer.height) }
  }
  return {
    ...{ chain, host, peer, eureka, wrapper, prove },
    /** A packet of the peer, by default a transfer of 5 of its coins to the user, with its proof. */
    async packet(fields: Partial<Packet> = {}) {
      const packet = {
        ...{ sequence: ++sequence, sourceClient: THEIRS, destClient: OURS, timeoutTimestamp: (await now()) + HOUR },
        payloads: [transferPayload(COINS)],
        ...fields,
      }
      const key = PACKET_KEY.commitment(THEIRS, packet.sequence)
      peer.set(key, packetCommitment(provable(packet)))
      const { proof: proofCommitment, height: proofHeight } = await prove(key)
      return { packet, proofCommitment, proofHeight }
    },
    /** The user sends tokens of a contract to the peer. */
    send: async (denom: Hex, amount: bigint) =>
      eureka.by(chain.walletOf(1)).send({
        ...{ denom, amount, receiver: 'cosmos1receiver', sourceClient: OURS },
        timeoutTimestamp: (await now()) + HOUR,
      }),
    /** The peer has answered a packet; the message that proves it. */
    async answer(packet: Packet, acknowledgement: Hex) {
      const key = PACKET_KEY.acknowledgement(THEIRS, packet.sequence)
      peer.set(key, acknowledgementCommitment([fromHex(acknowledgement)]))
      const { proof: proofAcked, height: proofHeight } = await prove(key)
      return { packet, acknowledgement, proofAcked, proofHeight }
    },
    balance: (token: Hex) =>
      chain.viem.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [user.address] }),
  }
}

describe('the contract of IBC', () => {
  it('has the functions of cosmos/evm, by which eureka calls it', () => {
    const theirs = parseAbi([
      'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
      'function updateClient(string clientId, bytes updateMsg) returns (uint8)',
      'function verifyMembership(string clientId, bytes proof, Height proofHeight, bytes[] path, bytes value) returns (uint256)',
      'function verifyNonMembership(string clientId, bytes proof, Height proofHeight, bytes[] path) returns (uint256)',
      'function getClientState(string clientId) view returns (bytes)',
    ])
    for (const entry of theirs) {
      const ours = contractAbi.functions[entry.name]
      expect(toFunctionSelector(ours), entry.name).toBe(toFunctionSelector(entry))
      expect(ours.outputs.map(({ type }) => type)).toEqual(entry.outputs.map(({ type }) => type))
    }
  })
})

describe('eureka over a client of this chain', () => {
  it('receives a packet: the voucher is minted, and the acknowledgement is stored as this chain would', async () => {
    const { eureka, wrapper, peer, packet, balance, chain } = await eurekaChain()
    const read = { address: wrapper, abi: wrapperAbi, functionName: 'getClientState' } as const
    expect(await chain.viem.readContract(read)).toBe(toHex(peer.clientState(1)))
    const message = await packet()
    expect(await chain.viem.readContract(read)).toBe(toHex(peer.clientState(2)))
    const received = await eureka.route('recvPacket', [message])
    expect(eventsOf(received)).toEqual(['WriteAcknowledgement'])
    expect(await balance(await eureka.voucher(VOUCHER))).toBe(5n)
    const acknowledgement = toHex(acknowledgementCommitment([fromHex(SUCCESS)]))
    expect(await eureka.commitment(PACKET_KEY.acknowledgement(OURS, 1n))).toBe(acknowledgement)
    expect(eventsOf(await eureka.route('recvPacket', [message]))).toEqual(['Noop'])
    expect(await balance(await eureka.voucher(VOUCHER))).toBe(5n)
    expect(await eureka.by(chain.walletOf(2)).refusalOf('recvPacket', [message])).toContain('AccessManagedUnauthorized')
  })

  it('takes an update and a packet that needs it in one transaction, as eureka’s relayers send them', async () => {
    const { eureka, peer, packet, balance } = await eurekaChain()
    const message = await packet()
    const header = toHex(peer.next())
    const proofCommitment = toHex(peer.proof(PACKET_KEY.commitment(THEIRS, message.packet.sequence)))
    const newer = { ...message, proofCommitment, proofHeight: peer.heightOf(peer.height) }
    expect(await eureka.refusalOf('recvPacket', [newer])).toContain('has no consensus state of height')
    const calls = [
      encodeFunctionData({ abi: routerAbi, functionName: 'updateClient', args: [OURS, header] }),
      encodeFunctionData({ abi: routerAbi, functionName: 'recvPacket', args: [newer] }),
    ]
    expect(eventsOf(await eureka.route('multicall', [calls]))).toEqual(['ICS02ClientUpdated', 'WriteAcknowledgement'])
    expect(await balance(await eureka.voucher(VOUCHER))).toBe(5n)
  })

  it('answers a packet that its application refuses with the universal error', async () => {
    const { eureka, packet } = await eurekaChain()
    const json = { ...transferPayload(COINS), encoding: 'application/json', value: toHex('{}') }
    const received = await eureka.route('recvPacket', [await packet({ payloads: [json] })])
    expect(eventsOf(received)).toEqual(['IBCAppRecvPacketCallbackError', 'WriteAcknowledgement'])
    const acknowledgement = toHex(acknowledgementCommitment([ERROR_ACKNOWLEDGEMENT]))
    expect(await eureka.commitment(PACKET_KEY.acknowledgement(OURS, 1n))).toBe(acknowledgement)
  })

  it('sends a packet, which ends with the answer of the other chain', async () => {
    const { eureka, packet, send, answer, balance, chain } = await eurekaChain()
    await eureka.route('recvPacket', [await packet()])
    const voucher = await eureka.voucher(VOUCHER)
    const sent = await send(voucher, 3n)
    const stored = () => eureka.commitment(PACKET_KEY.commitment(OURS, sent.sequence))
    expect(sent).toMatchObject({ sequence: 1n, sourceClient: OURS, destClient: THEIRS })
    expect(await stored()).toBe(toHex(packetCommitment(provable(sent))))
    expect(await balance(voucher)).toBe(2n)
    const success = await answer(sent, SUCCESS)
    expect(await eureka.refusalOf('ackPacket', [{ ...success, acknowledgement: REFUSED }])).toBe(
      'proof is of another value',
    )
    expect(eventsOf(await eureka.route('ackPacket', [success]))).toEqual(['AckPacket'])
    expect(await stored()).toBe(NOTHING)
    expect(eventsOf(await eureka.route('ackPacket', [success]))).toEqual(['Noop'])
    expect(await balance(voucher)).toBe(2n)
    const { address: token } = await deployToken(chain, 1, 100n)
    const refused = await send(token, 30n)
    expect(await balance(token)).toBe(70n)
    await eureka.route('ackPacket', [await answer(refused, REFUSED)])
    expect(await balance(token)).toBe(100n)
  })

  it('returns what the other chain had not received at its timeout', async () => {
    const { eureka, peer, prove, send, balance, chain } = await eurekaChain()
    const { address: token } = await deployToken(chain, 1, 100n)
    const [packet, late] = [await send(token, 30n), await send(token, 20n)]
    const receipt = PACKET_KEY.receipt(THEIRS, packet.sequence)
    const message = async (of: typeof packet, time: bigint) => {
      const { proof: proofTimeout, height: proofHeight } = await prove(PACKET_KEY.receipt(THEIRS, of.sequence), time)
      return { packet: of, proofTimeout, proofHeight }
    }
    const early = packet.timeoutTimestamp - 1n
    const tooEarly = `IBCInvalidTimeoutTimestamp(${packet.timeoutTimestamp}, ${early})`
    expect(await eureka.refusalOf('timeoutPacket', [await message(packet, early)])).toBe(tooEarly)
    const timedOut = await message(packet, packet.timeoutTimestamp)
    const other = { ...timedOut, packet: { ...packet, timeoutTimestamp: packet.timeoutTimestamp - 9n } }
    expect(await eureka.refusalOf('timeoutPacket', [other])).toContain('IBCPacketCommitmentMismatch(')
    expect(eventsOf(await eureka.route('timeoutPacket', [timedOut]))).toEqual(['TimeoutPacket'])
    expect(await balance(token)).toBe(80n)
    expect(eventsOf(await eureka.route('timeoutPacket', [timedOut]))).toEqual(['Noop'])
    // What was received has no proof of absence.
    peer.set(receipt, Uint8Array.of(2))
    const arrived = await message(packet, late.timeoutTimestamp + 1n)
    expect(await eureka.refusalOf('timeoutPacket', [arrived])).toBe('expected a proof of absence')
  })

  it('passes on why this chain refuses a proof, and stores nothing then', async () => {
    const { eureka, packet, wrapper, peer, chain, host } = await eurekaChain()
    const message = await packet()
    const refusal = (change: object) => eureka.refusalOf('recvPacket', [{ ...message, ...change }])
    const forged = [
      { ...message.packet, timeoutTimestamp: message.packet.timeoutTimestamp + 1n },
      { ...message.packet, payloads: [transferPayload({ ...COINS, amount: 6n })] },
      { ...message.packet, sequence: 2n },
    ]
    const at = (revisionNumber: bigint, revisionHeight: bigint) => ({ proofHeight: { revisionNumber, revisionHeight } })
    const bytes = fromHex(message.proofCommitment)
    const spoiled = Array.from({ length: 20 }, (_, part) => {
      const place = Math.floor((part * bytes.length) / 20)
      return toHex(bytes.with(place, (bytes[place] ?? 0) ^ 1))
    })
    expect(await Promise.all(forged.map((of) => refusal({ packet: of })))).toEqual([
      'proof is of another value',
      'proof is of another value',
      'proof is of another key',
    ])
    expect(await refusal(at(7n, 1n))).toBe('proof leads to another root')
    expect(await refusal(at(7n, 9n))).toBe(`client ${NATIVE} has no consensus state of height 7-9`)
    expect(await refusal(at(8n, 2n))).toBe(`client ${NATIVE} has no consensus state of height 8-2`)
    expect(await refusal({ proofCommitment: '0x' })).toBe('expected 2 proofs and keys, got 0 and 2')
    const answers = await Promise.all(spoiled.map((proofCommitment) => refusal({ proofCommitment })))
    expect(answers.filter((answer) => answer === 'no failure')).toEqual([])
    const unknown = { ...message.packet, destClient: 'client-1' }
    expect(await refusal({ packet: unknown })).toBe('IBCCounterpartyClientNotFound(client-1)')
    const stranger = { ...message.packet, sourceClient: '07-tendermint-5' }
    expect(await refusal({ packet: stranger })).toBe(`IBCInvalidCounterparty(${THEIRS}, 07-tendermint-5)`)
    const missing = await eureka.addClient(await deployWrapper(host, '07-tendermint-1'), THEIRS)
    expect(await refusal({ packet: { ...message.packet, destClient: missing } })).toBe(
      'client 07-tendermint-1 not found',
    )
    expect(await eureka.refusalOf('updateClient', [missing, toHex(peer.next())])).toBe(
      'client 07-tendermint-1 not found',
    )
    const read = { address: wrapper, abi: wrapperAbi, functionName: 'verifyMembership' } as const
    const path = [toHex('ibc'), toHex(PACKET_KEY.commitment(THEIRS, 1n))]
    const value = toHex(packetCommitment(provable(message.packet)))
    const args = [{ proof: message.proofCommitment, proofHeight: message.proofHeight, path, value }] as const
    // The first header of a peer is of 2023-01-01, the second one of a second later.
    expect((await chain.viem.simulateContract({ ...read, args })).result).toBe(1_672_531_201n)
    expect(await eureka.commitment(PACKET_KEY.receipt(OURS, 1n))).toBe(NOTHING)
  })

  it('shows its updates of the client to a relayer that watches', async () => {
    const { chain, eureka, peer } = await eurekaChain()
    const first = peer.height
    await eureka.route('updateClient', [OURS, toHex(peer.next())])
    await eureka.call({ address: IBC, abi: ibcAbi, functionName: 'updateClient', args: [NATIVE, toHex(peer.next())] })
    await eureka.route('updateClient', [OURS, toHex(peer.next())])
    const end = new KestrelEnd('chain', [new URL(`${chain.url}/rpc`)])
    onTestFinished(() => end.close())
    const { events } = await end.updates(NATIVE, 0n, await chain.viem.getBlockNumber())
    const heights = events.map(({ taken }) =>
      [taken?.trustedHeight, taken?.height].map((of) => Number(of?.revisionHeight)),
    )
    expect(heights).toEqual([
      [first, first + 1],
      [first + 1, first + 2],
      [first + 2, first + 3],
    ])
  })

  it('freezes with its client when it is shown a fork, and only then', async () => {
    const { eureka, peer, packet, chain, wrapper } = await eurekaChain()
    const message = await packet()
    const before = await chain.viem.readContract({ address: wrapper, abi: wrapperAbi, functionName: 'getClientState' })
    const header = toHex(peer.next())
    const fork = toHex(peer.misbehaviour(peer.height - 1, 1))
    expect(await eureka.refusalOf('submitMisbehaviour', [OURS, header])).toBe('NoMisbehaviourDetected()')
    expect(await eureka.refusalOf('submitMisbehaviour', [OURS, '0x1234'])).not.toBe('no failure')
    const state = () => chain.viem.readContract({ address: wrapper, abi: wrapperAbi, functionName: 'getClientState' })
    expect(await state()).toBe(before)
    const asUpdate = {
      address: eureka.router,
      abi: routerAbi,
      functionName: 'updateClient',
      args: [OURS, fork],
    } as const
    const { result } = await chain.viem.simulateContract({ ...asUpdate, account: account(0) })
    expect(result).toBe(1)
    const submitted = await eureka.by(chain.walletOf(2)).route('submitMisbehaviour', [OURS, fork])
    expect(eventsOf(submitted)).toEqual(['ICS02MisbehaviourSubmitted'])
    const frozen = `client (${NATIVE}) status is Frozen`
    expect(await eureka.refusalOf('recvPacket', [message])).toBe(frozen)
    expect(await eureka.refusalOf('updateClient', [OURS, header])).toBe(frozen)
    expect(await eureka.refusalOf('submitMisbehaviour', [OURS, fork])).toBe(frozen)
  })
})
