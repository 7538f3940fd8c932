// Rows of a database as LevelDB stores them, for tests that change them beneath the store.
import { Level } from 'level'

export type RawLevel = Level<Uint8Array, Uint8Array>

/** Opens a closed database. Tables are not compressed, so that tests find bytes in them. */
export async function openRaw(directory: string): Promise<RawLevel> {
  const level: RawLevel = new Level(directory, { keyEncoding: 'view', valueEncoding: 'view', compression: false })
  await level.open()
  return level
}

/** Makes LevelDB compact all tables. The types of `level` have only what browsers support too. */
export const mergeTables = (level: RawLevel): Promise<void> =>
  (level as unknown as { compactRange(from: Uint8Array, to: Uint8Array): Promise<void> }).compactRange(
    new Uint8Array(0),
    Uint8Array.of(0xff, 0xff),
  )
