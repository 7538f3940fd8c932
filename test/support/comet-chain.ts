// A chain of CometBFT's blocks that exists only as headers and signatures, with keys of its own: what a light client is shown.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { headerHash, precommitBytes, validatorsHash } from '../../src/ibc/comet/hashes.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import { HeaderSchema as ClientHeaderSchema } from '../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { CommitSchema, type Header, HeaderSchema } from '../../src/protobuf/generated/tendermint/types/types_pb.ts'
import {
  BlockIDFlag,
  ValidatorSchema,
  ValidatorSetSchema,
} from '../../src/protobuf/generated/tendermint/types/validator_pb.ts'

/** The secret of a validator, from a number. */
const secretKey = (number: number) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), sha256(`validator ${number}`)]),
    format: 'der',
    type: 'pkcs8',
  })

export class Signer {
  readonly key: Uint8Array
  readonly address: Uint8Array
  readonly power: bigint
  readonly #secret: ReturnType<typeof secretKey>

  constructor(number: number, power: bigint) {
    this.#secret = secretKey(number)
    const { x = '' } = createPublicKey(this.#secret).export({ format: 'jwk' })
    this.key = new Uint8Array(Buffer.from(x, 'base64url'))
    this.address = sha256(this.key).subarray(0, 20)
    this.power = power
  }

  sign(message: Uint8Array): Uint8Array {
    return new Uint8Array(sign(null, message, this.#secret))
  }
}

const memberOf = ({ key, address, power }: Signer) =>
  create(ValidatorSchema, { address, pubKey: { sum: { case: 'ed25519', value: key } }, votingPower: power })

export const validatorSet = (signers: readonly Signer[]) =>
  create(ValidatorSetSchema, {
    validators: signers.map(memberOf),
    ...(signers[0] && { proposer: memberOf(signers[0]) }),
  })

export const hashOf = (signers: readonly Signer[]): Uint8Array => validatorsHash(signers.map(memberOf))

export type CometBlock = {
  readonly height: number
  /** Unix milliseconds. */
  readonly time: number
  readonly appHash: Uint8Array
  readonly validators: readonly Signer[]
  readonly nextValidators: readonly Signer[]
  /** Who signs; left out: all. */
  readonly signers?: readonly Signer[]
}

/** The signed header of a block of the chain, and the message that updates a client which trusts the block at `trusted`. */
export class CometChain {
  readonly chainId: string
  readonly revision: bigint

  constructor(chainId: string) {
    this.chainId = chainId
    this.revision = BigInt(/-(\d+)$/.exec(chainId)?.[1] ?? 0)
  }

  header({ height, time, appHash, validators, nextValidators }: CometBlock): Header {
    return create(HeaderSchema, {
      version: { block: 11n, app: 1n },
      chainId: this.chainId,
      height: BigInt(height),
      time: timestampFromMs(time),
      lastBlockId: { hash: sha256(`block ${height - 1}`), partSetHeader: { total: 1, hash: sha256('parts') } },
      lastCommitHash: sha256('last commit'),
      dataHash: sha256('data'),
      validatorsHash: hashOf(validators),
      nextValidatorsHash: hashOf(nextValidators),
      consensusHash: sha256('parameters'),
      appHash,
      lastResultsHash: sha256('results'),
      evidenceHash: sha256(''),
      proposerAddress: validators[0]?.address ?? new Uint8Array(20),
    })
  }

  signed(block: CometBlock) {
    const header = this.header(block)
    const { validators, signers = validators, time } = block
    const commit = create(CommitSchema, {
      height: header.height,
      round: 1,
      blockId: { hash: headerHash(header), partSetHeader: { total: 1, hash: sha256('parts') } },
    })
    commit.signatures = validators.map((validator, index) => {
      const timestamp = timestampFromMs(time + 100 + index)
      if (!signers.includes(validator)) return { ...emptySignature(), blockIdFlag: BlockIDFlag.BLOCK_ID_FLAG_ABSENT }
      const signature = validator.sign(precommitBytes(this.chainId, commit, timestamp))
      return {
        ...emptySignature(),
        blockIdFlag: BlockIDFlag.BLOCK_ID_FLAG_COMMIT,
        validatorAddress: validator.address,
        timestamp,
        signature,
      }
    })
    return { header, commit }
  }

  /** `trustedValidators`: those after the trusted block. */
  update(block: CometBlock, trusted: { readonly height: number; readonly nextValidators: readonly Signer[] }) {
    const { header, commit } = this.signed(block)
    return create(ClientHeaderSchema, {
      signedHeader: { header, commit },
      validatorSet: validatorSet(block.validators),
      trustedHeight: { revisionNumber: this.revision, revisionHeight: BigInt(trusted.height) },
      trustedValidators: validatorSet(trusted.nextValidators),
    })
  }
}

const emptySignature = () => create(CommitSchema, { signatures: [{}] }).signatures[0] ?? unreachable()
const unreachable = (): never => {
  throw new Error('a message without the element that it was made with')
}
