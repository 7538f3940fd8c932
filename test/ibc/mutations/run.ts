// The run: N mutations of messages and proofs, each with the verdict that it must get.
//
// The same meaning, strictly: a changed update or misbehaviour may be accepted only if the model's rules accept it, that is if honest
// validators have signed this very header, commit and set (`model.ts`), and then with the model's verdict. A changed proof may be accepted
// only if it decodes to a proof of an original with the same root, path and value (`proofs.ts`).

import { fromBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { ChainError } from '../../../src/lib/errors.ts'
import { toHex } from '../../../src/lib/hex.ts'
import {
  HeaderSchema,
  MisbehaviourSchema,
} from '../../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { Random } from '../../evm/wasm/random-programs.ts'
import { forge } from './forgery.ts'
import { verdictOf } from './model.ts'
import { type Original, Proofs } from './proofs.ts'
import { Donors, mutateStructure } from './structure.ts'
import { mutateBytes, mutateWire } from './wire.ts'
import { packed, World } from './world.ts'

/** A mutation with another verdict than it must get. */
export type Difference = {
  readonly number: number
  readonly from: string
  readonly expected: string
  readonly got: string
  readonly message: string
}
export type Result = {
  readonly originals: number
  /** How often each answer was given, refusals by their reason. */
  readonly answers: ReadonlyMap<string, number>
  readonly differences: readonly Difference[]
  /** Milliseconds of the slowest message. */
  readonly slowest: number
}

/** A run ends with so many: what differs often is one fault. */
const MOST_DIFFERENCES = 10

const schemas = { Header: HeaderSchema, Misbehaviour: MisbehaviourSchema }

export async function runMutations(count: number, seed: number): Promise<Result> {
  const [world, proofs] = [await World.open(), await Proofs.open()]
  const random = new Random(seed)
  const answers = new Map<string, number>()
  const differences: Difference[] = []
  let slowest = 0
  const judge = (number: number, from: string, message: () => string, give: () => string, expected: string) => {
    const began = performance.now()
    const got = answerOf(give)
    slowest = Math.max(slowest, performance.now() - began)
    answers.set(got, (answers.get(got) ?? 0) + 1)
    const isExpected = expected === REFUSAL ? got.startsWith(REFUSAL) : got === expected
    if (!isExpected) differences.push({ number, from, expected, got, message: message() })
  }
  const judgeUpdate = (number: number, from: string, bytes: Uint8Array) =>
    judge(
      number,
      from,
      () => toHex(bytes),
      () => world.give(bytes),
      verdictOf(world, bytes) ?? REFUSAL,
    )
  const judgeProof = (number: number, from: string, claim: Parameters<Proofs['give']>[0]) =>
    judge(
      number,
      from,
      () => toHex(claim.proof),
      () => proofs.give(claim),
      proofs.isTrue(claim) ? 'proven' : REFUSAL,
    )

  for (const { name, bytes, verdict } of world.originals) {
    judge(
      0,
      name,
      () => toHex(bytes),
      () => world.give(bytes),
      verdict,
    )
    judgeUpdate(0, name, bytes)
  }
  for (const bytes of world.strange) judgeUpdate(0, 'a strange header', bytes)
  for (const original of proofs.originals)
    judge(
      0,
      original.name,
      () => toHex(original.proof),
      () => proofs.give(original),
      'proven',
    )
  const mutate = mutationsOf(world, proofs, random)
  for (let number = 1; number <= count && differences.length < MOST_DIFFERENCES; number++) {
    const mutation = mutate()
    if ('proof' in mutation) judgeProof(number, mutation.name, mutation)
    else judgeUpdate(number, mutation.name, mutation.bytes)
  }
  return { originals: world.originals.length + proofs.originals.length, answers, differences, slowest }
}

const REFUSAL = 'refused'
function answerOf(give: () => string): string {
  try {
    return give()
  } catch (error) {
    if (error instanceof ChainError) return `${REFUSAL}: ${error.message.replaceAll(/\d+/g, 'N')}`
    return `threw ${String(error)}`
  }
}

type Update = { readonly name: string; readonly bytes: Uint8Array }

/** Makes mutations: two of three of the world's messages, else of the proofs. */
export function mutationsOf(world: World, proofs: Proofs, random: Random): () => Update | Original {
  const mutateUpdate = updatesOf(world, random)
  return () => {
    if (!random.oneIn(3)) return mutateUpdate()
    const original = random.pick(proofs.originals)
    return proofs.mutate(original, random) ?? original
  }
}

function updatesOf(world: World, random: Random) {
  const donors = new Donors()
  const messages = [...world.originals, ...world.strange.map((bytes) => ({ name: 'a strange header', bytes }))].map(
    ({ name, bytes }) => {
      const { typeUrl, value } = fromBinary(AnySchema, bytes)
      const schema = typeUrl.endsWith('.Header') ? schemas.Header : schemas.Misbehaviour
      donors.add(schema, value)
      return { name, bytes, schema, value }
    },
  )
  return (): Update => {
    const { name, bytes, schema, value } = random.pick(messages)
    const kind = random.below(10)
    if (kind < 5) {
      const changed = mutateStructure(schema, value, donors, random)
      return { name, bytes: changed ? packedBytes(schema, changed) : bytes }
    }
    if (kind < 8) return { name: 'a forgery', bytes: forge(world, random) }
    if (kind === 8) return { name, bytes: mutateWire({ schema: AnySchema, packed: schema }, bytes, random) }
    return { name, bytes: mutateBytes(bytes, random) }
  }
}
const packedBytes = (schema: typeof HeaderSchema | typeof MisbehaviourSchema, value: Uint8Array) =>
  schema === HeaderSchema
    ? packed(HeaderSchema, fromBinary(HeaderSchema, value))
    : packed(MisbehaviourSchema, fromBinary(MisbehaviourSchema, value))
