// Two clients that name each other: what a relay runs between. They are found on the chains if the account has made them before, so making
// a pair can be cut off anywhere and begun again.
import { ChainError } from '../lib/errors.ts'
import type { ChainEnd, Client, Message } from './end.ts'
import { newClient } from './headers.ts'

/** `a`: the client of chain b on chain a; `b`: that of chain a on chain b. */
export type Pair = { readonly a: string; readonly b: string }

/** Called before each transaction, in words. */
export type Progress = (step: string) => void

/** Finds or makes a pair of active clients. Throws ChainError if a chain refuses, EndUnavailable. */
export async function makePair(a: ChainEnd, b: ChainEnd, progress: Progress): Promise<Pair> {
  const [ofB, ofA] = await Promise.all([usable(a, b), usable(b, a)])
  const found = matching(ofB, ofA)
  const onA = found.a ?? (await create(a, b, progress))
  const onB = found.b ?? (await create(b, a, progress))
  await register(a, b, onA, onB.clientId, progress)
  await register(b, a, onB, onA.clientId, progress)
  return { a: onA.clientId, b: onB.clientId }
}

/** The account's active clients of the other chain. */
async function usable(on: ChainEnd, of: ChainEnd): Promise<readonly Client[]> {
  const [clients, { chainId }] = await Promise.all([on.ownClients(), of.traits()])
  return clients.filter(({ state, status }) => status === 'Active' && state.chainId === chainId)
}

/** Clients that name each other; else one that names a client without a name; else clients without a name, as far as there are any. */
function matching(onA: readonly Client[], onB: readonly Client[]): { readonly a?: Client; readonly b?: Client } {
  const names = (one: Client, other: Client) => one.counterparty === other.clientId
  const isFree = ({ counterparty }: Client) => counterparty === ''
  const pairs = onA.flatMap((a) => onB.map((b) => ({ a, b })))
  const pair =
    pairs.find(({ a, b }) => names(a, b) && names(b, a)) ??
    pairs.find(({ a, b }) => (names(a, b) && isFree(b)) || (names(b, a) && isFree(a)))
  const [a, b] = [onA.find(isFree), onB.find(isFree)]
  return pair ?? { ...(a && { a }), ...(b && { b }) }
}

async function create(on: ChainEnd, of: ChainEnd, progress: Progress): Promise<Client> {
  const [traits, { height }] = await Promise.all([of.traits(), of.head()])
  progress(`makes a client of ${traits.chainId} on ${on.name}`)
  const before = new Set((await on.ownClients()).map(({ clientId }) => clientId))
  await require(on, { type: 'createClient', ...newClient(traits, await of.lightBlock(height)) })
  const made = (await on.ownClients()).find(({ clientId }) => !before.has(clientId))
  if (made === undefined) throw new ChainError('not-found', `${on.name} does not show the client that was made`)
  return made
}

async function register(on: ChainEnd, of: ChainEnd, client: Client, counterparty: string, progress: Progress) {
  if (client.counterparty !== '') return
  const { clientId } = client
  progress(`names ${counterparty} of ${of.name} as the counterparty of ${clientId} on ${on.name}`)
  await require(on, { type: 'registerCounterparty', clientId, prefix: (await of.traits()).prefix, counterparty })
}

/** Throws ChainError if the chain refuses the message. */
async function require(on: ChainEnd, message: Message): Promise<void> {
  const [outcome] = await on.submit([message])
  if (outcome?.status === 'refused')
    throw new ChainError('execution-reverted', `${on.name} refuses ${message.type}: ${outcome.reason}`)
}
