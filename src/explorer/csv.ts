// CSV files (RFC 4180) as streams: rows are read while the client takes them, and no more of them when it has gone.
import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import type { CsvTable } from './define.ts'

/** Rows of a file: as many as Blockscout exports. */
export const MOST_EXPORTED_ROWS = 10_000

/**
 * The text of a table. Names and symbols are anybody's words: a cell that a spreadsheet would run as a formula begins with an
 * apostrophe.
 */
export function csvStream({ columns, rows }: CsvTable): Readable {
  const text = stringify({ header: true, columns: [...columns], record_delimiter: '\r\n', escape_formulas: true })
  const source = Readable.from(rows, { objectMode: true })
  source.on('error', (error) => text.destroy(error))
  // A client that goes away ends the text, and with it the reading of rows.
  text.on('close', () => source.destroy())
  return source.pipe(text)
}
