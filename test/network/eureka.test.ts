// solidity-ibc-eureka, unchanged, on a network, over its light client of another network: real headers, packets and proofs. What eureka
// stores lies in the EVM's state, not in the store of which a client of IBC has proofs, so IBC of the other network receives nothing from it.
// A light client contract that reads the state below the block's hash makes eureka on both networks complete.
import {
  concatHex,
  encodeAbiParameters,
  erc20Abi,
  type Hex,
  type Log,
  pad,
  parseAbi,
  parseAbiParameters,
  parseEventLogs,
  toHex,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acknowledgementCommitment, ERROR_ACKNOWLEDGEMENT, PACKET_KEY } from '../../src/modules/ibc/packets.ts'
import { created, deployWrapper, Eureka, PREFIX, routerAbi } from '../support/eureka.ts'
import { IBC, ibcAbi } from '../support/ibc-peer.ts'
import { compileSolidity } from '../support/solc.ts'
import { encodedState, PATIENCE, Side, user } from './eureka-support.ts'
import { CLIENT, ICS20 } from './relay-support.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

const jsonVouchers = parseAbi(['function balanceOf(string denom, address account) view returns (uint256)'])
const SUCCESS = toHex('{"result":"AQ=="}')
const BILLION = 1_000_000_000n
/** The client of network b on a, over which eureka is, eureka's client, and the client on b that has it as its counterparty. */
const [OVER, OURS, THEIRS] = [CLIENT, 'client-0', CLIENT]
const NONE = { revisionNumber: 0n, revisionHeight: 0n }
const eventsOf = ({ logs }: { readonly logs: Log[] }) =>
  parseEventLogs({ abi: routerAbi, logs }).map(({ eventName }) => eventName)

/** The creation code of a contract in `eureka/`. */
function codeOf(name: string): Hex {
  const contract = compileSolidity('test/network/eureka').contracts.get(name)
  if (contract === undefined) throw new Error(`there is no contract ${name}`)
  return contract.bytecode
}

/** Eureka on a network, with its client of eureka on another one that reads the state, and the client of IBC's contract below that. */
type End = { readonly side: Side; readonly eureka: Eureka; readonly client: string; readonly native: string }

/** Adds the client to the router. Fails if it gets another id. */
async function connect(here: Omit<End, 'native'>, there: Omit<End, 'native'>): Promise<End> {
  const native = await here.side.createClient(there.side, ['tendermint'])
  const args = encodeAbiParameters(parseAbiParameters('string, address'), [native, there.eureka.router])
  const lightClient = await created(here.side, concatHex([codeOf('StateLightClient'), args]))
  expect(await here.eureka.addClient(lightClient, there.client, ['0x'])).toBe(here.client)
  return { ...here, native }
}

/** Updates the client by eureka to what a block of the other end has stored; proves what the router there has at a key. */
async function proveState(here: End, there: End, key: Uint8Array, block: bigint) {
  const { header, height } = await here.side.update(there.side, here.native, block)
  await here.eureka.route('updateClient', [here.client, header])
  return { ...(await there.side.proveState(there.eureka.router, key, height.revisionHeight)), height }
}

describe.skipIf(NO_ENGINE !== undefined)(`eureka between two networks ${NO_ENGINE ?? ''}`, () => {
  let a: Side
  let b: Side
  /** Eureka's router on network a with its own transfers, and a second one with transfers in JSON. */
  let eureka: Eureka
  let json: Eureka
  let token: Hex
  /** Eureka on both networks, over light clients that read the state. */
  let home: End
  let away: End

  /** Updates the client over which eureka is, by eureka, to what b has stored after a block; proves a key of b. */
  async function prove(key: Uint8Array, block: bigint) {
    const { header, height } = await a.update(b, OVER, block)
    const updated = await eureka.route('updateClient', [OURS, header])
    expect(eventsOf(updated)).toEqual(['ICS02ClientUpdated'])
    const { proof, value } = await b.end.prove(key, height.revisionHeight)
    return { proof: toHex(proof), value, height }
  }
  /** Updates the client of a on b; proves a key of a. */
  async function proveOfA(key: Uint8Array, block: bigint, client: string) {
    const { header, height } = await b.update(a, client, block)
    await b.call(IBC, 'updateClient', [client, header])
    const { proof, value } = await a.end.prove(key, height.revisionHeight)
    return { proof: toHex(proof), value, height }
  }
  /** A side sends its coins to the user's account of the other one; `seconds` until the timeout. */
  async function transfer(from: Side, client: string, seconds: bigint) {
    const timeout = (await from.viem.getBlock()).timestamp + seconds
    const args = ['', client, 'akest', 1_000n, user.address, user.address, NONE, timeout, '']
    const { logs, blockNumber } = await from.call(ICS20, 'transfer', args)
    const [sent] = parseEventLogs({ abi: ibcAbi, eventName: 'SendPacket', logs })
    if (sent === undefined) throw new Error('no packet was sent')
    return { packet: sent.args.packet, block: blockNumber }
  }
  const send = async (client: string, seconds: bigint) =>
    eureka.send({
      ...{ denom: token, amount: 30n, receiver: user.address, sourceClient: client },
      timeoutTimestamp: (await a.viem.getBlock()).timestamp + seconds,
    })
  const balance = (side = a, address = token) =>
    side.viem.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [user.address] })
  /** Blocks of a side until it has one whose time is reached. */
  const reach = (side: Side, time: bigint) =>
    expect.poll(async () => (await side.end.head()).time / BILLION, PATIENCE).toBeGreaterThanOrEqual(time)

  beforeAll(async () => {
    const one = await TestNetwork.prepare({ validators: 1 })
    const other = await TestNetwork.prepare({ validators: 2, flags: ['--chain-id', '126'] })
    for (const network of [one, other]) for (const index of network.all) network.start(index)
    await Promise.all([one.reach(3n), other.reach(3n)])
    ;[a, b] = [new Side(one), new Side(other)]
    expect([await a.createClient(b), await b.createClient(a)]).toEqual([OVER, THEIRS])
    await b.call(IBC, 'registerCounterparty', [THEIRS, PREFIX, OURS])
    const [ofA, ofB] = await Promise.all([Eureka.deploy(a), Eureka.deploy(b)])
    eureka = ofA
    json = await Eureka.deploy(a, (router) => concatHex([codeOf('JsonVouchers'), pad(router)]))
    const wrapper = await deployWrapper(a, OVER)
    for (const of of [eureka, json]) expect(await of.addClient(wrapper, THEIRS)).toBe(OURS)
    token = await a.deployToken(100n)
    const [here, there] = [
      { side: a, eureka, client: 'client-1' },
      { side: b, eureka: ofB, client: 'client-0' },
    ]
    ;[home, away] = [await connect(here, there), await connect(there, here)]
  })
  afterAll(() => {
    for (const side of [a, b]) side?.end.close()
  })

  it('receives a transfer by its proof; vouchers are minted, where the application reads JSON', async () => {
    const { packet, block } = await transfer(b, THEIRS, 600n)
    const key = PACKET_KEY.commitment(THEIRS, packet.sequence)
    const { proof: proofCommitment, height: proofHeight } = await prove(key, block)
    const message = { packet, proofCommitment, proofHeight }
    const below = { ...message, proofHeight: { ...proofHeight, revisionHeight: proofHeight.revisionHeight - 1n } }
    const unknown = `client ${OVER} has no consensus state of height 1-${below.proofHeight.revisionHeight}`
    expect(await json.refusalOf('recvPacket', [below])).toBe(unknown)
    const more = { ...message, packet: { ...packet, timeoutTimestamp: packet.timeoutTimestamp + 1n } }
    expect(await json.refusalOf('recvPacket', [more])).toBe('proof is of another value')

    expect(eventsOf(await json.route('recvPacket', [message]))).toEqual(['WriteAcknowledgement'])
    const args = [`transfer/${OURS}/akest`, user.address] as const
    const read = { address: json.transfer, abi: jsonVouchers, functionName: 'balanceOf', args } as const
    expect(await a.viem.readContract(read)).toBe(1_000n)
    // Eureka's own transfers are in ABI encoding only.
    const refused = await eureka.route('recvPacket', [message])
    expect(eventsOf(refused)).toEqual(['IBCAppRecvPacketCallbackError', 'WriteAcknowledgement'])
    const answer = toHex(acknowledgementCommitment([ERROR_ACKNOWLEDGEMENT]))
    expect(await eureka.commitment(PACKET_KEY.acknowledgement(OURS, packet.sequence))).toBe(answer)
  })

  it('sends a packet that the other network cannot receive, and returns it by the proof that it has not', async () => {
    const packet = await send(OURS, 10n)
    expect(await balance()).toBe(70n)
    const { number } = await a.viem.getBlock()
    const { value, proof, height } = await proveOfA(PACKET_KEY.commitment(OURS, packet.sequence), number, THEIRS)
    expect(value).toBeUndefined()
    const request = { address: IBC, abi: ibcAbi, functionName: 'recvPacket', args: [packet, proof, height] } as const
    await expect(b.viem.simulateContract({ ...request, account: user })).rejects.toThrow('expected a proof of presence')
    await reach(b, packet.timeoutTimestamp)
    const { height: head } = await b.end.head()
    const absence = await prove(PACKET_KEY.receipt(THEIRS, packet.sequence), head)
    expect(absence.value).toBeUndefined()
    const message = { packet, proofTimeout: absence.proof, proofHeight: absence.height }
    expect(eventsOf(await eureka.route('timeoutPacket', [message]))).toEqual(['TimeoutPacket'])
    expect(await balance()).toBe(100n)
  })

  it('does not show the other network what it has received: there the packet times out', async () => {
    const { packet, block } = await transfer(b, THEIRS, 12n)
    const { proof, height } = await prove(PACKET_KEY.commitment(THEIRS, packet.sequence), block)
    await json.route('recvPacket', [{ packet, proofCommitment: proof, proofHeight: height }])
    expect(await json.commitment(PACKET_KEY.receipt(OURS, packet.sequence))).not.toBe(pad('0x'))
    await reach(a, packet.timeoutTimestamp)
    const absence = await proveOfA(PACKET_KEY.receipt(OURS, packet.sequence), (await a.end.head()).height, THEIRS)
    const { logs } = await b.call(IBC, 'timeoutPacket', [packet, absence.proof, absence.height])
    expect(logs.length).toBeGreaterThan(0)
  })

  it('takes an acknowledgement that the other network has stored', async () => {
    // A client on b whose counterparty is a's contract of IBC stores answers. That it is to a packet of that contract cannot be seen from
    // the proof: whoever adds a client to eureka must name a client that has eureka's as its counterparty.
    const theirs = await b.createClient(a)
    await b.call(IBC, 'registerCounterparty', [theirs, PREFIX, OVER])
    await a.call(IBC, 'registerCounterparty', [OVER, PREFIX, theirs])
    const { packet: native, block } = await transfer(a, OVER, 600n)
    const { proof, height } = await proveOfA(PACKET_KEY.commitment(OVER, native.sequence), block, theirs)
    const received = await b.call(IBC, 'recvPacket', [native, proof, height])
    const client = await eureka.addClient(await deployWrapper(a, OVER), theirs)
    const packet = await send(client, 600n)
    expect(packet.sequence).toBe(native.sequence)
    const answer = await prove(PACKET_KEY.acknowledgement(theirs, packet.sequence), received.blockNumber)
    const message = { packet, acknowledgement: SUCCESS, proofAcked: answer.proof, proofHeight: answer.height }
    const other = { ...message, acknowledgement: toHex(ERROR_ACKNOWLEDGEMENT) }
    expect(await eureka.refusalOf('ackPacket', [other])).toBe('proof is of another value')
    expect(eventsOf(await eureka.route('ackPacket', [message]))).toEqual(['AckPacket'])
    expect(await balance()).toBe(70n)
  })

  /** Brings a packet of a token to the other end, and its acknowledgement back. */
  async function carry(from: End, to: End, denom: Hex, amount: bigint) {
    const timeoutTimestamp = (await from.side.viem.getBlock()).timestamp + 600n
    const packet = await from.eureka.send({
      denom,
      amount,
      receiver: user.address,
      sourceClient: from.client,
      timeoutTimestamp,
    })
    const key = PACKET_KEY.commitment(from.client, packet.sequence)
    const sent = await proveState(to, from, key, await from.side.viem.getBlockNumber())
    const message = { packet, proofCommitment: sent.proof, proofHeight: sent.height }
    const refusal = (change: object) => to.eureka.refusalOf('recvPacket', [{ ...message, ...change }])
    expect(await refusal({ packet: { ...packet, timeoutTimestamp: timeoutTimestamp + 1n } })).toBe('another value')
    const shorter = { ...sent.parts, slot: sent.parts.slot.slice(0, -1) }
    expect(await refusal({ proofCommitment: encodedState(shorter) })).toBe('too few nodes')
    const received = await to.eureka.route('recvPacket', [message])
    expect(eventsOf(received)).toEqual(['WriteAcknowledgement'])
    const answer = await proveState(
      from,
      to,
      PACKET_KEY.acknowledgement(to.client, packet.sequence),
      received.blockNumber,
    )
    const acked = { packet, acknowledgement: SUCCESS, proofAcked: answer.proof, proofHeight: answer.height }
    expect(eventsOf(await from.eureka.route('ackPacket', [acked]))).toEqual(['AckPacket'])
  }

  it('carries tokens to eureka on the other network and back, over light clients that read the state', async () => {
    const before = await balance()
    await carry(home, away, token, 30n)
    const voucher = await away.eureka.voucher(`transfer/${away.client}/${token.toLowerCase()}`)
    expect([await balance(), await balance(b, voucher)]).toEqual([before - 30n, 30n])
    await carry(away, home, voucher, 12n)
    expect([await balance(), await balance(b, voucher)]).toEqual([before - 18n, 18n])
  })

  it('returns tokens over such clients only if the other network has not received them', async () => {
    const before = await balance()
    const packet = await send(home.client, 5n)
    await reach(b, packet.timeoutTimestamp)
    const { height } = await b.end.head()
    const proven = await proveState(home, away, PACKET_KEY.receipt(away.client, 1n), height)
    expect(proven.value).not.toBe(0n)
    const received = { packet: { ...packet, sequence: 1n }, proofTimeout: proven.proof, proofHeight: proven.height }
    expect(await eureka.refusalOf('timeoutPacket', [received])).toBe('there is a value')
    const absent = await proveState(home, away, PACKET_KEY.receipt(away.client, packet.sequence), height)
    const message = { packet, proofTimeout: absent.proof, proofHeight: absent.height }
    expect(eventsOf(await eureka.route('timeoutPacket', [message]))).toEqual(['TimeoutPacket'])
    expect(await balance()).toBe(before)
  })
})
