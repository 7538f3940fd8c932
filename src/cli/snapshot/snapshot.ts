// `kestrel snapshot`: the state of a chain as one file.
import type { Command } from 'commander'
import { registerExport } from './export.ts'
import { registerImport } from './import.ts'

export function register(snapshot: Command): void {
  registerExport(snapshot)
  registerImport(snapshot)
}
