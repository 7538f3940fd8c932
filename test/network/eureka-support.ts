// A network with eureka as its test sees it: clients of another network, updates of them, and proofs of what the other one has: in the
// store of IBC, and in the slots of eureka's router, below the block's hash.
import { create, toBinary } from '@bufbuild/protobuf'
import {
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  type Hex,
  http,
  keccak256,
  parseAbiParameters,
  parseEventLogs,
  toHex,
} from 'viem'
import { expect } from 'vitest'
import { z } from 'zod'
import { leafHash } from '../../src/ibc/comet/merkle.ts'
import { proofSpec, TREES, type TreeName } from '../../src/ibc/ics23/specs.ts'
import { fromHex } from '../../src/lib/hex.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import { CommitmentProofSchema, HashOp } from '../../src/protobuf/generated/cosmos/ics23/v1/proofs_pb.ts'
import { MerkleProofSchema } from '../../src/protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import { newClient, nowNs, packedHeader, updatesTo } from '../../src/relay/headers.ts'
import { KestrelEnd } from '../../src/relay/kestrel.ts'
import { account } from '../support/chain.ts'
import { token } from '../support/contracts.ts'
import { IBC, ibcAbi } from '../support/ibc-peer.ts'
import { abi } from './relay-support.ts'
import type { TestNetwork } from './support.ts'

/** Milliseconds to wait for blocks; the machine may be busy. */
export const PATIENCE = { timeout: 150_000 }
export const user = account(0)
/** Slot of the commitments in eureka's router: ERC-7201's of `ibc.storage.IBCStore`. */
const COMMITMENTS = '0x1260944489272988d9df285149b5aa1b0f48f2136d6f416159f840a3e0747600'

const hex = z.custom<Hex>((value) => typeof value === 'string' && value.startsWith('0x'))
const commit = z.object({ appHash: z.object({ evm: hex, ibc: hex }) })
const accountProof = z.object({
  accountProof: z.array(hex),
  storageProof: z.tuple([z.object({ value: hex, proof: z.array(hex) })]),
})
const stateProof = parseAbiParameters([
  'Proof proof',
  'struct Proof { bytes block; bytes header; bytes[] account; bytes[] slot; }',
])

/** A network, and the account that does everything on it. */
export class Side {
  readonly end: KestrelEnd
  readonly viem
  readonly wallet
  readonly #network: TestNetwork

  constructor(network: TestNetwork) {
    const url = `${network.url(0)}/rpc`
    this.#network = network
    this.end = new KestrelEnd(url, [new URL(url)])
    this.viem = createPublicClient({ transport: http(url), pollingInterval: 200, cacheTime: 0 })
    this.wallet = createWalletClient({ account: user, transport: http(url) })
  }

  async call(address: Hex, functionName: string, args: readonly unknown[]) {
    const of = { address, abi: [...ibcAbi, ...abi], functionName, args, gas: 2_000_000n, chain: null } as never
    const receipt = await this.viem.waitForTransactionReceipt({ hash: await this.wallet.writeContract(of) })
    if (receipt.status !== 'success') throw new Error(`${functionName} has failed`)
    return receipt
  }

  /** Deploys a token, all of which the account has. */
  async deployToken(supply: bigint): Promise<Hex> {
    const hash = await this.wallet.deployContract({ ...token, args: ['Token', supply], chain: null })
    return (await this.viem.waitForTransactionReceipt({ hash })).contractAddress ?? '0x'
  }

  /** Makes a client of another network. `trees`: of the proofs that it takes. Returns its id. */
  async createClient(other: Side, trees: readonly TreeName[] = ['smt', 'tendermint']): Promise<string> {
    const [traits, { height }] = [await other.end.traits(), await other.end.head()]
    const { clientState, consensusState } = newClient({ ...traits, trees }, await other.end.lightBlock(height))
    const { logs } = await this.call(IBC, 'createClient', [toHex(clientState), toHex(consensusState)])
    const [created] = parseEventLogs({ abi: ibcAbi, eventName: 'CreateClient', logs })
    return created?.args.clientId ?? ''
  }

  /** The header that brings a client here to the newest height of another network, a new one above `block`. */
  async update(other: Side, clientId: string, block: bigint) {
    const rules = (await this.end.client(clientId))?.state
    const trusted = rules && (await this.end.consensusState(clientId, rules.latest))
    if (rules === undefined || trusted === undefined) throw new Error(`there is no client ${clientId}`)
    const { revisionHeight: known } = rules.latest
    const above = known > block ? known : block
    await expect.poll(async () => (await other.end.head()).height, PATIENCE).toBeGreaterThan(above)
    const { height } = await other.end.head()
    const lightBlock = (of: bigint) => other.end.lightBlock(of)
    const way = { rules, from: known, trusted, now: nowNs(), lightBlock }
    const [header] = (await updatesTo(height, way)).headers
    if (header === undefined) throw new Error('there is no new header')
    return { header: toHex(packedHeader(header)), height: { revisionNumber: 1n, revisionHeight: height } }
  }

  /** What eureka's router here has at a key, as `StateLightClient` takes it, up to the header of a height. */
  async proveState(router: Hex, key: Uint8Array, height: bigint) {
    const block = toHex(height - 1n)
    const slot = keccak256(encodeAbiParameters(parseAbiParameters('bytes32, bytes32'), [keccak256(key), COMMITMENTS]))
    const [{ appHash }, header, proof] = await Promise.all([
      this.#network.rpc(0, 'kestrel_getCommit', block).then((answer) => commit.parse(answer)),
      this.#network.rpc(0, 'debug_getRawHeader', block).then((answer) => hex.parse(answer)),
      this.#network.rpc(0, 'eth_getProof', router, [slot], block).then((answer) => accountProof.parse(answer)),
    ])
    const [{ value, proof: nodes }] = proof.storageProof
    const parts = { block: toHex(blockProof(appHash)), header, account: proof.accountProof, slot: nodes }
    return { value: BigInt(value), parts, proof: encodedState(parts) }
  }
}

type StateParts = {
  readonly block: Hex
  readonly header: Hex
  readonly account: readonly Hex[]
  readonly slot: readonly Hex[]
}
export const encodedState = (parts: StateParts): Hex => encodeAbiParameters(stateProof, [parts])

/** A proof that an app hash commits to the hash of a block (RFC 6962: the leaf `evm` is left of `ibc`). */
function blockProof({ evm, ibc }: { readonly evm: Hex; readonly ibc: Hex }): Uint8Array {
  const { leafSpec: leaf } = proofSpec(TREES.tendermint)
  const suffix = leafHash(
    Buffer.concat([Uint8Array.of(3), Buffer.from('ibc'), Uint8Array.of(32), sha256(fromHex(ibc))]),
  )
  const path = [{ hash: HashOp.SHA256, prefix: Uint8Array.of(1), suffix }]
  const value = { key: Buffer.from('evm'), value: fromHex(evm), ...(leaf && { leaf }), path }
  const proof = create(CommitmentProofSchema, { proof: { case: 'exist', value } })
  return toBinary(MerkleProofSchema, create(MerkleProofSchema, { proofs: [proof] }))
}
