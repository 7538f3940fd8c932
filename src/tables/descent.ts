// Reads the union of lists from the newest entry down. The lists may overlap: an entry that is in several comes once.
import type { Hex } from '../lib/hex.ts'
import { ListReader, type PointReader, sequenceOf } from './list.ts'

/** A list, and the position of its newest entry that has not been read. */
type Place = { readonly list: ListReader; position: number; sequence: number }

/** Sequences `from` (inclusive) to `to` (exclusive) that are in any of the lists, descending. */
export function* sequencesDown(
  rows: PointReader,
  lists: readonly Hex[],
  from: number,
  to: number,
): Generator<number, void> {
  const places = lists.flatMap((id) => {
    const list = new ListReader(rows, id)
    const place = { list, position: list.find(to), sequence: -1 }
    return stepDown(place, from) ? [place] : []
  })
  while (places.length > 0) {
    const newest = places.reduce((most, { sequence }) => Math.max(most, sequence), -1)
    yield newest
    for (let i = places.length - 1; i >= 0; i--) {
      const place = places[i]
      if (place?.sequence === newest && !stepDown(place, from)) places.splice(i, 1)
    }
  }
}

/** Moves to the next older entry; false if there is none from the sequence on. */
function stepDown(place: Place, from: number): boolean {
  place.position--
  const entry = place.position < 0 ? undefined : place.list.at(place.position)
  place.sequence = entry === undefined ? -1 : sequenceOf(entry)
  return place.sequence >= from
}

/** The number of entries with such sequences, counting an entry that is in several lists as often. */
export const countBetween = (rows: PointReader, lists: readonly Hex[], from: number, to: number): number =>
  lists.reduce((sum, id) => {
    const list = new ListReader(rows, id)
    return list.length === 0 ? sum : sum + Math.max(0, list.find(to) - list.find(from))
  }, 0)
