// The contracts of solidity-ibc-eureka on a running chain: a second implementation of IBC version 2, written by others, whose light
// client is this chain's. They are deployed as their authors do it: proxies, roles, a port and clients.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  type Abi,
  type Account,
  type Address,
  BaseError,
  type Chain,
  ContractFunctionRevertedError,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  type PublicClient,
  parseAbi,
  parseAbiParameters,
  parseEventLogs,
  type TransactionReceipt,
  type Transport,
  toFunctionSelector,
  toHex,
  type WalletClient,
  zeroAddress,
} from 'viem'

const STRUCTS = [
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'struct CounterpartyInfo { string clientId; bytes[] merklePrefix; }',
  'struct Payload { string sourcePort; string destPort; string version; string encoding; bytes value; }',
  'struct Packet { uint64 sequence; string sourceClient; string destClient; uint64 timeoutTimestamp; Payload[] payloads; }',
  'struct MsgRecvPacket { Packet packet; bytes proofCommitment; Height proofHeight; }',
  'struct MsgAckPacket { Packet packet; bytes acknowledgement; bytes proofAcked; Height proofHeight; }',
  'struct MsgTimeoutPacket { Packet packet; bytes proofTimeout; Height proofHeight; }',
  'struct MsgVerifyMembership { bytes proof; Height proofHeight; bytes[] path; bytes value; }',
  'struct MsgVerifyNonMembership { bytes proof; Height proofHeight; bytes[] path; }',
  'struct SendTransferMsg { address denom; uint256 amount; string receiver; string sourceClient; string destPort; uint64 timeoutTimestamp; string memo; }',
] as const
const ERRORS = [
  'error AccessManagedUnauthorized(address caller)',
  'error IBCCounterpartyClientNotFound(string counterpartyClientId)',
  'error IBCInvalidCounterparty(string expected, string actual)',
  'error IBCInvalidTimeoutTimestamp(uint256 timeoutTimestamp, uint256 comparedTimestamp)',
  'error IBCPacketCommitmentMismatch(bytes32 expected, bytes32 actual)',
  'error IBCPacketReceiptMismatch(bytes32 expected, bytes32 actual)',
  'error ICS20UnexpectedEncoding(string expected, string actual)',
  'error NoMisbehaviourDetected()',
] as const
const RELAYED = [
  'function updateClient(string clientId, bytes updateMsg) returns (uint8)',
  'function recvPacket(MsgRecvPacket msg_)',
  'function ackPacket(MsgAckPacket msg_)',
  'function timeoutPacket(MsgTimeoutPacket msg_)',
] as const
export const routerAbi = parseAbi([
  ...STRUCTS,
  ...ERRORS,
  ...RELAYED,
  'function initialize(address authority)',
  'function addIBCApp(string portId, address app)',
  'function addClient(CounterpartyInfo counterpartyInfo, address client) returns (string)',
  'function submitMisbehaviour(string clientId, bytes misbehaviourMsg)',
  'function multicall(bytes[] data) returns (bytes[])',
  'function getCommitment(bytes32 hashedPath) view returns (bytes32)',
  'event IBCAppRecvPacketCallbackError(bytes reason)',
  'event ICS02ClientAdded(string clientId, CounterpartyInfo counterpartyInfo, address client)',
  'event ICS02ClientUpdated(string clientId, uint8 result)',
  'event ICS02MisbehaviourSubmitted(string clientId)',
  'event SendPacket(string indexed clientId, uint256 indexed sequence, Packet packet)',
  'event WriteAcknowledgement(string indexed clientId, uint256 indexed sequence, Packet packet, bytes[] acknowledgements)',
  'event AckPacket(string indexed clientId, uint256 indexed sequence, Packet packet, bytes acknowledgement)',
  'event TimeoutPacket(string indexed clientId, uint256 indexed sequence, Packet packet)',
  'event Noop()',
])
export const transferAbi = parseAbi([
  ...STRUCTS,
  'function initialize(address ics26Router, address escrowLogic, address ibcERC20Logic, address permit2, address authority)',
  'function sendTransfer(SendTransferMsg msg_) returns (uint64)',
  'function ibcERC20Contract(string denom) view returns (address)',
])
export const wrapperAbi = parseAbi([
  ...STRUCTS,
  'error NoMisbehaviourDetected()',
  'function getClientState() view returns (bytes)',
  'function updateClient(bytes updateMsg) returns (uint8)',
  'function misbehaviour(bytes misbehaviourMsg)',
  'function verifyMembership(MsgVerifyMembership msg_) returns (uint256)',
  'function verifyNonMembership(MsgVerifyNonMembership msg_) returns (uint256)',
])
const managerAbi = parseAbi([
  'function setTargetFunctionRole(address target, bytes4[] selectors, uint64 roleId)',
  'function grantRole(uint64 roleId, address account, uint32 executionDelay)',
])
const SELECTORS = RELAYED.map((signature) => toFunctionSelector(parseAbi([...STRUCTS, signature])[0]))
const RELAYER_ROLE = 1n
/** Of kestrel's packets, as of chains of the Cosmos SDK. */
export const PREFIX = [toHex('ibc'), '0x'] as const
const CODES: Readonly<Record<string, Hex>> = JSON.parse(
  gunzipSync(readFileSync(join(import.meta.dirname, 'eureka/contracts.json.gz'))).toString(),
)

const packetData = parseAbiParameters([
  'PacketData data',
  'struct PacketData { string denom; string sender; string receiver; uint256 amount; string memo; }',
])
/** A transfer as eureka's application reads and writes it. */
export const transferPayload = (data: {
  readonly denom: string
  readonly sender: string
  readonly receiver: string
  readonly amount: bigint
  readonly memo: string
}) => ({
  ...{ sourcePort: 'transfer', destPort: 'transfer', version: 'ics20-1', encoding: 'application/x-solidity-abi' },
  value: encodeAbiParameters(packetData, [data]),
})

/** A chain, and the account that deploys the contracts, administers them and relays. */
export type Host = {
  readonly viem: PublicClient
  readonly wallet: WalletClient<Transport, Chain | undefined, Account>
}

type Call = {
  readonly address: Address
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
}

export class Eureka {
  readonly router: Address
  readonly transfer: Address
  readonly #host: Host

  private constructor(host: Host, router: Address, transfer: Address) {
    this.#host = host
    this.router = router
    this.transfer = transfer
  }

  /** `app`: the application at the port of transfers, made for the router; left out: eureka's transfers. */
  static async deploy(host: Host, app?: (router: Address) => Hex): Promise<Eureka> {
    const owner = host.wallet.account.address
    const manager = await deployed(host, 'AccessManager', encodeAbiParameters(parseAbiParameters('address'), [owner]))
    const begin = encodeFunctionData({ abi: routerAbi, functionName: 'initialize', args: [manager] })
    const router = await proxied(host, 'ICS26Router', begin)
    const transfer = app ? await created(host, app(router)) : await transferOf(host, router, manager)
    const eureka = new Eureka(host, router, transfer)
    const setUp = { address: manager, abi: managerAbi }
    await eureka.call({ ...setUp, functionName: 'setTargetFunctionRole', args: [router, SELECTORS, RELAYER_ROLE] })
    await eureka.call({ ...setUp, functionName: 'grantRole', args: [RELAYER_ROLE, owner, 0] })
    await eureka.route('addIBCApp', ['transfer', transfer])
    return eureka
  }

  /** The same contracts, called by another account. */
  by(wallet: Host['wallet']): Eureka {
    return new Eureka({ ...this.#host, wallet }, this.router, this.transfer)
  }

  /** Adds a client to the router. `clientId`: of the other chain, whose keys are below the prefix. Returns its id. */
  async addClient(lightClient: Address, clientId: string, merklePrefix: readonly Hex[] = PREFIX): Promise<string> {
    const { logs } = await this.route('addClient', [{ clientId, merklePrefix }, lightClient])
    const [added] = parseEventLogs({ abi: routerAbi, eventName: 'ICS02ClientAdded', logs })
    if (added === undefined) throw new Error('no client was added')
    return added.args.clientId
  }

  /** Calls a function of the router. Throws if it fails. */
  route(functionName: string, args: readonly unknown[]): Promise<TransactionReceipt> {
    return this.call({ address: this.router, abi: routerAbi, functionName, args })
  }

  /** Calls a contract with the gas that the node estimates. Throws if it fails. */
  async call(of: Call): Promise<TransactionReceipt> {
    const { viem, wallet } = this.#host
    const hash = await wallet.writeContract({ ...of, chain: null, account: wallet.account })
    const receipt = await viem.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`${of.functionName} has failed`)
    return receipt
  }

  /** Why a call would fail: the text of the contract of IBC, or an error of eureka's contracts with its arguments. */
  async refusal(of: Call): Promise<string> {
    const { viem, wallet } = this.#host
    try {
      await viem.simulateContract({ ...of, account: wallet.account })
      return 'no failure'
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      const found = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
      if (!(found instanceof ContractFunctionRevertedError) || found.data === undefined) throw error
      const { errorName, args = [] } = found.data
      return errorName === 'Error' ? String(args[0]) : `${errorName}(${args.join(', ')})`
    }
  }

  /** Sends tokens of a contract with eureka's transfers. Returns the packet. */
  async send(of: {
    readonly denom: Address
    readonly amount: bigint
    readonly receiver: string
    readonly sourceClient: string
    readonly timeoutTimestamp: bigint
  }) {
    const approval = { address: of.denom, abi: erc20Abi, functionName: 'approve', args: [this.transfer, of.amount] }
    await this.call(approval)
    const args = [{ ...of, destPort: 'transfer', memo: '' }]
    const { logs } = await this.call({ address: this.transfer, abi: transferAbi, functionName: 'sendTransfer', args })
    const [sent] = parseEventLogs({ abi: routerAbi, eventName: 'SendPacket', logs })
    if (sent === undefined) throw new Error('no packet was sent')
    return sent.args.packet
  }

  /** As `refusal`, of a function of the router. */
  refusalOf(functionName: string, args: readonly unknown[]): Promise<string> {
    return this.refusal({ address: this.router, abi: routerAbi, functionName, args })
  }

  /** What the router stores at a key of IBC; zeros if nothing. */
  commitment(key: Uint8Array): Promise<Hex> {
    const read = {
      address: this.router,
      abi: routerAbi,
      functionName: 'getCommitment',
      args: [keccak256(key)],
    } as const
    return this.#host.viem.readContract(read)
  }

  /** The contract of a voucher by the path of its denomination. */
  voucher(denom: string): Promise<Address> {
    const read = { address: this.transfer, abi: transferAbi, functionName: 'ibcERC20Contract', args: [denom] } as const
    return this.#host.viem.readContract(read)
  }
}

/** The creation code of a contract. */
function codeOf(name: string): Hex {
  const code = CODES[name]
  if (code === undefined) throw new Error(`there is no contract ${name}`)
  return code
}

/** Deploys a contract. */
export async function created({ viem, wallet }: Host, data: Hex): Promise<Address> {
  const hash = await wallet.sendTransaction({ data, chain: null, account: wallet.account })
  const { contractAddress } = await viem.waitForTransactionReceipt({ hash })
  if (contractAddress == null) throw new Error('no contract was created')
  return contractAddress
}

/** Deploys `ICS02PrecompileWrapper` for a client of the chain's contract of IBC. */
export const deployWrapper = (host: Host, native: string): Promise<Address> =>
  deployed(host, 'ICS02PrecompileWrapper', encodeAbiParameters(parseAbiParameters('string'), [native]))

const deployed = (host: Host, name: string, args: Hex = '0x') => created(host, concatHex([codeOf(name), args]))

/** A contract behind a proxy that begins with this call. */
async function proxied(host: Host, name: string, begin: Hex): Promise<Address> {
  const args = encodeAbiParameters(parseAbiParameters('address, bytes'), [await deployed(host, name), begin])
  return deployed(host, 'ERC1967Proxy', args)
}

async function transferOf(host: Host, router: Address, manager: Address): Promise<Address> {
  const [escrow, voucher] = [await deployed(host, 'Escrow'), await deployed(host, 'IBCERC20')]
  const args = [router, escrow, voucher, zeroAddress, manager] as const
  return proxied(host, 'ICS20Transfer', encodeFunctionData({ abi: transferAbi, functionName: 'initialize', args }))
}
