// Several messages in one transaction, which does all of them or nothing: so a message that fails must be found and left out, or it would
// stop the others.
import type { Message, Outcome } from './end.ts'

/** `place`: of the message that fails, where the chain says it. */
export type Transacted = Outcome & { readonly place?: number | undefined }

/** Messages of a transaction at most; it then stays far below the usual limits of gas and of a mempool (1 MiB). */
const MOST_TOGETHER = 20

/**
 * Does messages in this order, as `submit` of an end. `transact` does some of them in one transaction. What a transaction that has failed
 * costs counts for the message that it names, or for its first one.
 */
export async function inBatches(
  messages: readonly Message[],
  transact: (messages: readonly Message[]) => Promise<Transacted>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (let first = 0; first < messages.length; first += MOST_TOGETHER) {
    const some = messages.slice(first, first + MOST_TOGETHER)
    outcomes.push(...(await together(some, transact)))
    const stopped = outcomes.findLast(({ status }, place) => status === 'refused' && isUpdate(messages[place]))
    if (stopped !== undefined) return [...outcomes, ...messages.slice(outcomes.length).map(() => without(stopped))]
  }
  return outcomes
}

const isUpdate = (message: Message | undefined): boolean => message?.type === 'updateClient'
const without = (outcome: Outcome): Outcome => ({ ...outcome, cost: 0n })

async function together(
  messages: readonly Message[],
  transact: (messages: readonly Message[]) => Promise<Transacted>,
): Promise<readonly Outcome[]> {
  if (messages.length === 0) return []
  const { place, ...outcome } = await transact(messages)
  if (outcome.status === 'done') return messages.map((_, i) => (i === 0 ? outcome : without(outcome)))
  if (messages.length === 1) return [outcome]
  if (place === undefined || place >= messages.length) {
    // The transaction as a whole does not fit, or has run out of gas.
    const half = Math.ceil(messages.length / 2)
    const first = await together(messages.slice(0, half), transact)
    const stopped = first.find(({ status }, at) => status === 'refused' && isUpdate(messages[at]))
    const rest = messages.slice(half)
    const second = stopped === undefined ? await together(rest, transact) : rest.map(() => without(stopped))
    return [...first, ...second].map((of, at) => (at === 0 ? { ...of, cost: of.cost + outcome.cost } : of))
  }
  const [before, after] = [messages.slice(0, place), messages.slice(place + 1)]
  if (isUpdate(messages[place]))
    return [...(await together(before, transact)), outcome, ...after.map(() => without(outcome))]
  const others = await together([...before, ...after], transact)
  return others.toSpliced(place, 0, outcome)
}
