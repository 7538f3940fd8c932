// Rows of a database as LevelDB has them, beneath the store: for tests that change them.
import { Level } from 'level'

export type RawLevel = Level<Uint8Array, Uint8Array>

/** Opens a database that is not open elsewhere. Tables are not compressed, so that tests find their bytes. */
export async function openRaw(directory: string): Promise<RawLevel> {
  const level: RawLevel = new Level(directory, { keyEncoding: 'view', valueEncoding: 'view', compression: false })
  await level.open()
  return level
}

/** Has LevelDB merge all tables. The types of `level` leave out what browsers have not. */
export const mergeTables = (level: RawLevel): Promise<void> =>
  (level as unknown as { compactRange(from: Uint8Array, to: Uint8Array): Promise<void> }).compactRange(
    new Uint8Array(0),
    Uint8Array.of(0xff, 0xff),
  )
