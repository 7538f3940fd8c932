// CSV files (RFC 4180) as streams: rows are read as the client receives them, and no more after it disconnects.
import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import type { CsvTable } from './define.ts'

/** Maximum rows of a file, as in Blockscout. */
export const MOST_EXPORTED_ROWS = 10_000

/**
 * The text of a table. Names and symbols are untrusted, so a cell that a spreadsheet would run as a formula gets an apostrophe
 * in front.
 */
export function csvStream({ columns, rows }: CsvTable): Readable {
  const text = stringify({ header: true, columns: [...columns], record_delimiter: '\r\n', escape_formulas: true })
  const source = Readable.from(rows, { objectMode: true })
  source.on('error', (error) => text.destroy(error))
  // A client that disconnects ends the text and the reading of rows.
  text.on('close', () => source.destroy())
  return source.pipe(text)
}
